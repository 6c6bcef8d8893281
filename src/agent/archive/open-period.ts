import { type Period, periodName } from '../../core/archive/period.ts';
import type { ArchivePlacement } from '../../core/archive/place-archive.ts';
import { passGroup } from '../../core/pass/claims.ts';
import {
  compileMultivariant,
  type MultivariantTemplate,
} from '../../core/playlist/multivariant.ts';
import { renderMultivariant } from '../../core/playlist/render-multivariant.ts';
import { type Answer, notFromHere } from '../answer.ts';
import { passElsewhere } from '../pass-elsewhere.ts';
import {
  namePath,
  passClaims,
  sessionOf,
  startSession,
  type ViewingDeps,
} from '../viewing-parts.ts';
import {
  type ArchiveDeps,
  type PeriodRequest,
  periodLadder,
  periodMultivariant,
  placePeriod,
} from './archive-deps.ts';
import type { OriginPeriod } from './origin-archives.ts';
import { hlsType, secondsOf, servePlaylist } from './recorded-parts.ts';

type Here = Extract<ArchivePlacement, { pieces: unknown }>;

const dashType = 'application/dash+xml';

/** A viewer opens a period: its playlists here, a redirect to the node with more of it, or 404. */
export async function openPeriod(
  viewing: ViewingDeps,
  archive: ArchiveDeps,
  asked: PeriodRequest & { /** The player's own query. */ readonly others: string },
): Promise<Answer> {
  const entry = await loadEntry(viewing, archive, asked);
  const placement = placePeriod(viewing, archive, asked);
  switch (placement.kind) {
    case 'not-found':
      return notFromHere(placement.reason);
    case 'redirect':
      return redirect(viewing, asked, placement);
    default:
      return isMadeHere(archive, asked, placement)
        ? serveMultivariant(viewing, { asked, placement, entry })
        : serveFromOrigin(viewing, archive, asked, placement);
  }
}

/** Playlists of own segments and of pieces are made here; others the media server makes. */
function isMadeHere({ reader }: ArchiveDeps, { name, protocol }: PeriodRequest, { kind }: Here) {
  return protocol === 'hls' && (reader.reads(name) || kind === 'join');
}

/** The live multivariant playlist, or the one that was recorded; read from the origin only where there is neither. */
async function loadEntry(
  { live }: ViewingDeps,
  { reader }: ArchiveDeps,
  { name, protocol, request }: PeriodRequest,
): Promise<Uint8Array | undefined> {
  if (protocol === 'dash' || !reader.lists(name)) return undefined;
  const known = live.entry(name)?.bytes ?? reader.entry(name);
  if (known !== undefined || !reader.reads(name)) return known;
  const loaded = await live.load(name, 'entry', request.now);
  return loaded.kind === 'entry' ? loaded.bytes : undefined;
}

/** The playlist of one viewer: one pass good here, at the backups, and where the pieces of others are. */
function serveMultivariant(
  viewing: ViewingDeps,
  parts: {
    readonly asked: PeriodRequest;
    readonly placement: Here;
    readonly entry: Uint8Array | undefined;
  },
): Answer {
  const { asked, placement, entry } = parts;
  const { period } = asked;
  const template = entry && templateFor(entry, period);
  if (template === undefined) return notFromHere('starting');
  const { session, chosen, pass } = beginSession(viewing, asked, placement);
  const backups = chosen.flatMap(({ base, stream }) =>
    stream.hls?.ladder === undefined
      ? []
      : [
          {
            base: `${base}${namePath(stream.name)}/`,
            ladder: periodLadder(stream.hls.ladder, period),
          },
        ],
  );
  const body = renderMultivariant(template, { pass, backups, repeat: backups.length > 0 });
  return begun(viewing, asked, placement, { session, body });
}

/** A multivariant playlist for a session that begins. */
function begun(
  { sent, repeats }: ViewingDeps,
  { request }: PeriodRequest,
  { reason, missingMs }: Here,
  { session, body }: { session: string; body: string | Uint8Array },
): Answer {
  sent.note(request.connection, session, body.length);
  return {
    ...{ kind: 'playlist', body, contentType: hlsType, reason },
    missingS: secondsOf(missingMs),
    repeat: repeats?.once(session),
  };
}

/** Picks the backups, starts the session, and issues its pass: good here, at the backups, and where the pieces are. */
function beginSession(
  viewing: ViewingDeps,
  asked: PeriodRequest,
  placement: Pick<Here, 'kind' | 'pieces' | 'offers'>,
) {
  const { request, arrival, name } = asked;
  const { viewer, now } = request;
  const isSigned = placement.offers.length > 0 || placement.kind === 'join';
  const signing = isSigned ? viewing.keys.signing() : undefined;
  const asker = {
    viewerKey: viewer.key,
    session: arrival.session,
    had: arrival.nodes,
    stream: name,
  };
  const chosen =
    signing !== undefined && viewer.followsBackups
      ? viewing.spread.pick(placement.offers, asker, now)
      : [];
  const session = arrival.session ?? viewing.newId();
  const backups = chosen.map(({ node }) => node.id);
  startSession(viewing, sessionOf(arrival, viewer, { id: session, stream: name, backups }), now);
  const self = viewing.self();
  const pieceNodes = placement.pieces.flatMap(({ node }) => node ?? []);
  const claims = passClaims({
    home: arrival.home,
    nodes: [...new Set([self.id, ...backups, ...pieceNodes])],
    session,
    group: passGroup({ name, group: viewing.live.config(name)?.group }),
    login: arrival.login,
    hops: arrival.hops,
    ttlS: self.passTtlS,
    now,
  });
  const pass = viewing.passes.issue(claims, signing ?? viewing.keys.ownKey());
  return { session, chosen, pass };
}

/** The media server answers in its own words; its playlists get the viewer's pass, and no backups. */
async function serveFromOrigin(
  viewing: ViewingDeps,
  { origins }: ArchiveDeps,
  asked: PeriodRequest,
  placement: Here,
): Promise<Answer> {
  const config = viewing.live.config(asked.name);
  if (config === undefined) return notFromHere('unknown-stream');
  const { protocol, period, request } = asked;
  const found = await origins.read(config, { protocol, period, nowMs: request.now.wallMs });
  if (found.kind === 'fault') return notFromHere(found.reason);
  if (found.kind === 'multivariant') return withPass(viewing, asked, placement, found);
  return servePlaylist(viewing, asked, {
    body: found.bytes,
    contentType: found.kind === 'mpd' ? dashType : hlsType,
    reason: placement.reason,
    missingS: secondsOf(placement.missingMs),
  });
}

function withPass(
  viewing: ViewingDeps,
  asked: PeriodRequest,
  placement: Here,
  { bytes }: OriginPeriod,
): Answer {
  const template = compileMultivariant(bytes);
  // What cannot be taken apart cannot be given a pass, and would lead nowhere.
  if (template === undefined) return notFromHere('playlist-invalid');
  const alone = { ...placement, kind: 'serve', offers: [] } as const;
  const { session, pass } = beginSession(viewing, asked, alone);
  const body = renderMultivariant(template, { pass, backups: [], repeat: false });
  return begun(viewing, asked, placement, { session, body });
}

function redirect(
  viewing: ViewingDeps,
  asked: PeriodRequest & { readonly others: string },
  placement: Extract<ArchivePlacement, { kind: 'redirect' }>,
): Answer {
  const { protocol, container, period } = asked;
  const { target, reason } = placement;
  const pass = passElsewhere(viewing, asked, placement);
  if (pass === undefined) return notFromHere('key-not-in-force');
  const form = container === undefined ? '' : `.${container}`;
  const file =
    protocol === 'dash'
      ? `manifest-${periodName(period)}.mpd`
      : `index-${periodName(period)}${form}.m3u8`;
  const others = asked.others === '' ? '' : `${asked.others}&`;
  const path = `${namePath(target.stream.name)}/${file}?${others}pass=${pass}`;
  return { kind: 'redirect', location: target.base + path, reason };
}

/** Templates of the periods asked for last, per live playlist. */
const templatesMax = 64;
const templates = new WeakMap<Uint8Array, Map<string, MultivariantTemplate | undefined>>();

function templateFor(entry: Uint8Array, period: Period): MultivariantTemplate | undefined {
  const ofEntry = templates.get(entry) ?? new Map<string, MultivariantTemplate | undefined>();
  templates.set(entry, ofEntry);
  const key = periodName(period);
  const known = ofEntry.get(key);
  if (known !== undefined) return known;
  const template = compileMultivariant(periodMultivariant(entry, period));
  const [oldest] = ofEntry.keys();
  if (ofEntry.size >= templatesMax && oldest !== undefined) ofEntry.delete(oldest);
  ofEntry.set(key, template);
  return template;
}
