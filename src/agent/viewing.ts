import type { ReasonCode } from '../core/reasons.ts';
import { readViewerQuery, type ViewerQuery } from '../core/viewer/query.ts';
import { type Answer, denied, notFromHere } from './answer.ts';
import { openArchive } from './archive/archive-viewing.ts';
import { arrive } from './arrive.ts';
import { stagedFailure } from './drill/stage-request.ts';
import { openEntry } from './open-entry.ts';
import { openMediaPlaylist } from './open-media-playlist.ts';
import type { StandIn } from './stand-in.ts';
import {
  type GoodArrival,
  reloadRefusal,
  type ViewerRequest,
  type ViewingDeps,
} from './viewing-parts.ts';

const protocols = { 'hls-entry': 'hls', 'dash-entry': 'dash' } as const;
const entries = { 'index.m3u8': 'hls-entry', 'manifest.mpd': 'dash-entry' } as const;
type EntryName = keyof typeof entries;

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

  async open(asked: ViewerRequest): Promise<Answer> {
    const query = readViewerQuery(asked.query, this.#deps.auth !== undefined);
    const standIn = this.#deps.standIn(asked.host, asked.path, asked.now);
    const request = standIn === undefined ? asked : { ...asked, path: standIn.path };
    if (archivePath.test(request.path)) {
      const archived = openArchive(this.#deps, this.#deps.archive, { request, query });
      if (archived !== undefined) return archived;
    }
    const match = this.#deps.live.match(request.path);
    if (match === undefined) return this.#openUnknown(request, query);
    const { stream, rest } = match;
    if (isEntryName(rest))
      return this.#openKnown(request, query, { stream, entryName: rest, standIn });
    if (this.#deps.live.isPlaylist(stream.name, rest))
      return this.#openMedia(request, query, { stream, rest, standIn });
    return this.#openFile(request, query, { stream, rest, standIn });
  }

  async #openKnown(
    request: ViewerRequest,
    query: ViewerQuery,
    { stream, entryName, standIn }: StreamAsked & { entryName: EntryName },
  ): Promise<Answer> {
    const { live, outlook } = this.#deps;
    const form = entries[entryName];
    const { now } = request;
    const arrival = await arrive(this.#deps, {
      ...{ request, query, stream, standInFor: standIn?.node },
      opens: protocols[form],
    });
    if (arrival.kind === 'refused') return denied(arrival.reason);
    this.#deps.audience.noteViewer(request.viewer, now);
    const failure =
      form === 'hls-entry' ? this.#failureOf(request, arrival, stream.name) : undefined;
    const leaves = failure === 'not-found';
    const instead = failure && !leaves ? await this.#deps.staging.instead(failure) : undefined;
    if (instead !== undefined) return instead;
    live.watch(stream.name, now);
    if (form === 'hls-entry') {
      if (live.entry(stream.name) === undefined) await live.load(stream.name, 'entry', now);
    } else if (live.mpd(stream.name) === undefined) await live.load(stream.name, 'mpd', now);
    return openEntry(this.#deps, {
      request,
      query,
      arrival,
      asked: stream,
      form,
      candidates: outlook.candidates(stream.name, now),
      entry: live.entry(stream.name),
      mpd: live.mpd(stream.name),
      leaves,
    });
  }

  /** A name this node does not carry: peers may. */
  async #openUnknown(request: ViewerRequest, query: ViewerQuery): Promise<Answer> {
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
    const arrival = await arrive(this.#deps, { request, query, stream: asked, opens });
    if (arrival.kind === 'refused') return denied(arrival.reason);
    return openEntry(this.#deps, { request, query, arrival, asked, form, candidates });
  }

  async #openMedia(
    request: ViewerRequest,
    query: ViewerQuery,
    { stream, rest, standIn }: StreamAsked & { rest: string },
  ): Promise<Answer> {
    const { live, outlook, staging } = this.#deps;
    const { name } = stream;
    const arrival = await arrive(this.#deps, {
      ...{ request, query, stream, standInFor: standIn?.node },
      opens: undefined,
    });
    if (arrival.kind === 'refused') return denied(arrival.reason);
    const [fault] = standIn?.faults ?? [];
    if (fault !== undefined) return notFromHere(fault);
    const failure = this.#failureOf(request, arrival, name);
    const instead = failure && (await staging.instead(failure));
    if (instead !== undefined) return instead;
    const now = failure === 'slow' ? staging.now() : request.now;
    const asked = { name, candidates: outlook.candidates(name, now), now };
    const refusal = reloadRefusal(this.#deps, arrival, asked);
    if (refusal !== undefined) return notFromHere(refusal);
    live.watch(name, now);
    const present = query.blocks ? undefined : live.media(name, rest);
    const current =
      present ??
      (await (query.blocks
        ? live.blockingReload(name, rest, query.others, now)
        : live.load(name, rest, now)));
    const snapshot =
      failure === 'frozen' && current.kind !== 'fault' ? staging.frozen(rest, current) : current;
    // Others may have been heard of while something was waited for.
    const candidates = present === undefined ? outlook.candidates(name, now) : asked.candidates;
    return openMediaPlaylist(this.#deps, {
      request: { ...request, now },
      ...{ query, arrival, name, candidates, snapshot },
      rest: query.blocks || standIn !== undefined || failure !== undefined ? undefined : rest,
    });
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
    const candidates = () => this.#deps.outlook.candidates(stream, request.now);
    return stagedFailure(this.#deps, arrival, { stream, request, candidates });
  }

  /** Segments carry no pass, but for those that players of a drill ask for: these meet what a whole node would do. */
  async #fileInstead(
    request: ViewerRequest,
    { pass }: ViewerQuery,
    stream: { readonly name: string; readonly group?: string | undefined },
  ): Promise<Answer | undefined> {
    const { staging, arrivals } = this.#deps;
    if (pass === undefined || !staging.isOn(request.now)) return undefined;
    const arrival = arrivals.of(pass, stream, request.now);
    if (arrival.kind === 'refused') return undefined;
    const failure = this.#failureOf(request, arrival, stream.name);
    return failure === undefined || failure === 'not-found' ? undefined : staging.instead(failure);
  }
}

type StreamAsked = {
  readonly stream: { readonly name: string; readonly group?: string | undefined };
  readonly standIn: StandIn | undefined;
};

function isEntryName(rest: string): rest is EntryName {
  return Object.hasOwn(entries, rest);
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function malformed(reason: ReasonCode): Answer {
  return { kind: 'refusal', status: 400, reason };
}
