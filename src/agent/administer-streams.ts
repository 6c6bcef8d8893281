import { AgentError } from '../core/errors.ts';
import type { AirState, StreamConfig, StreamFacts, TimelineState } from '../core/stream/stream.ts';
import type { DefinedIn, StreamCatalogue } from './stream-catalogue.ts';
import type { Damage } from './timeline/release.ts';

type Deps = {
  readonly catalogue: Pick<StreamCatalogue, 'list' | 'get' | 'definedIn' | 'put' | 'remove'>;
  /** Own facts of a stream; absent until it was looked at. */
  readonly facts: (name: string) => StreamFacts | undefined;
  readonly damage: (name: string) => Damage | undefined;
};

/** Which streams are asked for; what is absent does not matter. */
type StreamFilter = {
  readonly group?: string | undefined;
  readonly definedIn?: DefinedIn | undefined;
  readonly onAir?: 'true' | 'false' | undefined;
};

/** Air states by protocol. */
type Air = { readonly hls?: AirState | undefined; readonly dash?: AirState | undefined };

/** A stream with what this node sees of it; air states are absent until it was looked at. */
type StreamView = StreamConfig & {
  readonly definedIn: DefinedIn;
  readonly air: Air;
  /** Whether it is written anew, and how many segments had to be taken from other members, or left out. */
  readonly timeline?: (TimelineState & Partial<Damage>) | undefined;
};

/** Asking for streams and changing them. */
export function administerStreams(deps: Deps) {
  const viewOf = (stream: StreamConfig): StreamView => {
    const facts = deps.facts(stream.name);
    const timeline = facts?.hls?.timeline;
    return {
      ...stream,
      definedIn: deps.catalogue.definedIn(stream.name) ?? 'api',
      air: airOf(facts),
      timeline: timeline && { ...timeline, ...deps.damage(stream.name) },
    };
  };

  return {
    /** By name. */
    streams: ({ group, definedIn, onAir }: StreamFilter = {}) =>
      deps.catalogue
        .list()
        .filter(
          ({ name, group: own }) =>
            (group === undefined || group === own) &&
            (onAir === undefined || (onAir === 'true') === isOnAir(airOf(deps.facts(name)))),
        )
        .map(viewOf)
        .filter((view) => definedIn === undefined || view.definedIn === definedIn),

    /** What an operator said of the stream; absent when there is none. */
    settings: (name: string) => deps.catalogue.get(name),

    /** @throws not_found */
    stream: (name: string) => viewOf(found(deps.catalogue.get(name), `stream "${name}"`)),

    /** Adds or replaces a stream. @throws conflict when it comes from the streams file; store_failed */
    putStream(stream: StreamConfig) {
      const outcome = deps.catalogue.put(stream);
      return { outcome, stream: viewOf(stream) };
    },

    /** @throws not_found, conflict when it comes from the streams file; store_failed */
    removeStream: (name: string) => deps.catalogue.remove(name),
  };
}

/** Over any protocol. */
export function isOnAir({ hls, dash }: Air): boolean {
  return hls?.onAir === true || dash?.onAir === true;
}

export function airOf(facts: StreamFacts | undefined): Air {
  return { hls: facts?.hls?.air, dash: facts?.dash?.air };
}

/** What was asked for. @throws not_found */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AgentError('not_found', `there is no ${what}`);
  return value;
}
