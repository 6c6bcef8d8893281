import type { DrillFailure } from '../core/drill/failure.ts';
import type { Candidates } from '../core/placement/candidates.ts';
import { readViewerQuery, type ViewerQuery } from '../core/viewer/query.ts';
import { after } from './after.ts';
import { type Answer, denied, malformed, notFromHere } from './answer.ts';
import { openArchive } from './archive/archive-viewing.ts';
import { arrive } from './arrive.ts';
import { stagedFailure } from './drill/stage-request.ts';
import type { MediaSnapshot } from './live-snapshots.ts';
import { openEntry } from './open-entry.ts';
import { openMediaPlaylist } from './open-media-playlist.ts';
import type { OriginFault } from './ports.ts';
import type { StandIn } from './stand-in.ts';
import {
  type GoodArrival,
  type Opening,
  reloadRefusal,
  type ViewerRequest,
  type ViewingDeps,
} from './viewing-parts.ts';

const protocols = { 'hls-entry': 'hls', 'dash-entry': 'dash' } as const;
const entries = { 'index.m3u8': 'hls-entry', 'manifest.mpd': 'dash-entry' } as const;
type EntryName = keyof typeof entries;
type EntryForm = (typeof entries)[EntryName];

/** Playlists and MPDs, of which some are of the archive, and what is recorded. */
const archivePath = /\.(?:m3u8|mpd)$|\/~archive\//;

/** Segments never change under their name; a playlist, key or anything unknown may. */
const immutableFile = /\.(?:ts|m4s|mp4|m4v|m4a|cmfv|cmfa|cmft|aac|ac3|ec3|mp3|vtt|webvtt)$/i;

/** What each viewer's request is answered with: see `docs/architecture.md`, "A request". */
export class Viewing {
  readonly #deps: ViewingDeps;

  constructor(deps: ViewingDeps) {
    this.#deps = deps;
  }

  /** At once where nothing must be waited for. */
  open(asked: ViewerRequest): Answer | Promise<Answer> {
    const query = readViewerQuery(asked.query, this.#deps.auth !== undefined);
    const standIn = this.#deps.standIn(asked.host, asked.path, asked.now);
    const request = standIn === undefined ? asked : { ...asked, path: standIn.path };
    const match = this.#deps.live.match(request.path);
    if (archivePath.test(request.path)) {
      const archived = openArchive(this.#deps, this.#deps.archive, { request, query, match });
      if (archived !== undefined) return archived;
    }
    if (match === undefined) return this.#openUnknown(request, query);
    const { stream, rest } = match;
    if (isEntryName(rest))
      return this.#openKnown(request, query, { stream, entryName: rest, standIn });
    if (this.#deps.live.isPlaylist(stream.name, rest))
      return this.#openMedia(request, query, { stream, rest, standIn });
    return this.#openFile(request, query, { stream, rest, standIn });
  }

  #openKnown(
    request: ViewerRequest,
    query: ViewerQuery,
    { stream, entryName, standIn }: StreamAsked & { entryName: EntryName },
  ): Answer | Promise<Answer> {
    const form = entries[entryName];
    const standInFor = standIn?.node;
    const asking = { request, query, stream, standInFor, opens: protocols[form] };
    return after(arrive(this.#deps, asking), (arrival) => {
      if (arrival.kind === 'refused') return denied(arrival.reason);
      this.#deps.audience.noteViewer(request.viewer, request.now);
      const failure =
        form === 'hls-entry' ? this.#failureOf(request, arrival, stream.name) : undefined;
      const leaves = failure === 'not-found';
      const opening = { request, query, arrival };
      return after(
        failure && !leaves ? this.#deps.staging.instead(failure) : undefined,
        (instead) => instead ?? this.#openLive(opening, { asked: stream, form, leaves }),
      );
    });
  }

  /** Reads what is not there yet, then decides. */
  #openLive(
    { request, query, arrival }: Opening,
    how: { readonly asked: Stream; readonly form: EntryForm; readonly leaves: boolean },
  ): Answer | Promise<Answer> {
    const { live, outlook } = this.#deps;
    const { now } = request;
    const { asked, form, leaves } = how;
    const { name } = asked;
    live.watch(name, now);
    const loading =
      form === 'hls-entry'
        ? live.entry(name) === undefined &&
          !live.hasFailed(name, now) &&
          live.load(name, 'entry', now)
        : live.mpd(name) === undefined && live.load(name, 'mpd', now);
    return after<unknown, Answer>(loading, () =>
      openEntry(this.#deps, {
        request,
        query,
        arrival,
        asked,
        form,
        leaves,
        candidates: outlook.candidates(name, now),
        entry: live.entry(name),
        mpd: live.mpd(name),
      }),
    );
  }

  /** A name this node does not carry: peers may. */
  #openUnknown(request: ViewerRequest, query: ViewerQuery): Answer | Promise<Answer> {
    const slash = request.path.lastIndexOf('/');
    const entryName = request.path.slice(slash + 1);
    if (slash < 1 || !isEntryName(entryName)) return notFromHere('unknown-stream');
    const name = decoded(request.path.slice(0, slash));
    if (name === undefined) return malformed('path-invalid');
    const candidates = this.#deps.outlook.candidates(name, request.now);
    const [first] = candidates.list;
    if (first === undefined) return notFromHere('unknown-stream');
    const asked = { name, group: first.stream.group };
    const form = entries[entryName];
    const opens = protocols[form];
    return after(arrive(this.#deps, { request, query, stream: asked, opens }), (arrival) =>
      arrival.kind === 'refused'
        ? denied(arrival.reason)
        : openEntry(this.#deps, { request, query, arrival, asked, form, candidates }),
    );
  }

  #openMedia(
    request: ViewerRequest,
    query: ViewerQuery,
    { stream, rest, standIn }: StreamAsked & { rest: string },
  ): Answer | Promise<Answer> {
    const standInFor = standIn?.node;
    const asking = { request, query, stream, standInFor, opens: undefined };
    return after(arrive(this.#deps, asking), (arrival) => {
      if (arrival.kind === 'refused') return denied(arrival.reason);
      const [fault] = standIn?.faults ?? [];
      if (fault !== undefined) return notFromHere(fault);
      const { staging } = this.#deps;
      const failure = this.#failureOf(request, arrival, stream.name);
      const opening = { request, query, arrival };
      const asked = { name: stream.name, rest, isForPeer: standIn !== undefined };
      if (failure === undefined) return this.#reload(opening, asked, undefined);
      return after(staging.instead(failure), (instead) => {
        const now = failure === 'slow' ? staging.now() : request.now;
        const later = { ...opening, request: { ...request, now } };
        return instead ?? this.#reload(later, asked, failure);
      });
    });
  }

  #reload(
    opening: Opening,
    { name, rest, isForPeer }: { name: string; rest: string; isForPeer: boolean },
    failure: DrillFailure | undefined,
  ): Answer | Promise<Answer> {
    const { live, outlook, staging } = this.#deps;
    const { request, query, arrival } = opening;
    const { now } = request;
    const candidates = outlook.candidates(name, now);
    const answer = (current: MediaSnapshot | OriginFault, judged: Candidates) => {
      const isFrozen = failure === 'frozen' && current.kind !== 'fault';
      const snapshot = isFrozen ? staging.frozen(rest, current) : current;
      const isForOnce = query.blocks || isForPeer || failure !== undefined;
      return openMediaPlaylist(this.#deps, opening, {
        name,
        candidates: judged,
        snapshot,
        rest: isForOnce ? undefined : rest,
      });
    };
    const present = query.blocks ? undefined : live.media(name, rest);
    if (present === undefined) {
      const refusal = reloadRefusal(this.#deps, arrival, { name, candidates, now });
      if (refusal !== undefined) return notFromHere(refusal);
    }
    live.watch(name, now);
    if (present !== undefined) return answer(present, candidates);
    const loading = query.blocks
      ? live.blockingReload(name, rest, query.others, now)
      : live.load(name, rest, now);
    // Others may have been heard of while something was waited for.
    return loading.then((current) => answer(current, outlook.candidates(name, now)));
  }

  async #openFile(
    request: ViewerRequest,
    query: ViewerQuery,
    { stream, rest, standIn }: StreamAsked & { rest: string },
  ): Promise<Answer> {
    const { name } = stream;
    const instead = await this.#fileInstead(request, query, stream);
    if (instead !== undefined) return instead;
    const file = await this.#deps.live.open(name, rest, query.others, request.range);
    if (file.kind === 'fault')
      return file.reason === 'path-invalid' ? malformed(file.reason) : notFromHere(file.reason);
    this.#deps.sent.noteFile(request.connection, file);
    const immutable = file.status !== 416 && immutableFile.test(rest);
    const isShared = file.kind === 'stored' && file.status === 200 && immutable;
    const repeats = isShared && standIn === undefined ? this.#deps.repeats : undefined;
    return { kind: 'file', file, immutable, repeat: repeats?.segment(request, { name, rest }) };
  }

  /** The failure of a drill that this request meets; undefined for almost all. */
  #failureOf(request: ViewerRequest, arrival: GoodArrival, stream: string) {
    if (!this.#deps.staging.isOn(request.now)) return undefined;
    const candidates = () => this.#deps.outlook.candidates(stream, request.now);
    return stagedFailure(this.#deps, arrival, { stream, request, candidates });
  }

  /** Segments carry no pass, but for those that players of a drill ask for: these meet what a whole node would do. */
  async #fileInstead(
    request: ViewerRequest,
    { pass }: ViewerQuery,
    stream: Stream,
  ): Promise<Answer | undefined> {
    const { staging, arrivals } = this.#deps;
    if (pass === undefined || !staging.isOn(request.now)) return undefined;
    const arrival = arrivals.of(pass, stream, request.now);
    if (arrival.kind === 'refused') return undefined;
    const failure = this.#failureOf(request, arrival, stream.name);
    return failure === undefined || failure === 'not-found' ? undefined : staging.instead(failure);
  }
}

type Stream = { readonly name: string; readonly group?: string | undefined };
type StreamAsked = {
  readonly stream: Stream;
  readonly standIn: StandIn | undefined;
};

function isEntryName(rest: string): rest is EntryName {
  return rest === 'index.m3u8' || rest === 'manifest.mpd';
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
