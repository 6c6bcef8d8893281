import type { components, paths } from './api-types.ts';

type Schemas = components['schemas'];
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

export type Node = Schemas['Node'];
export type Peer = Schemas['Peer'];
export type Group = Schemas['Group'];
export type Member = Group['members'][number];
export type ViewingKeys = Schemas['ViewingKeys'];
export type Alert = Schemas['Alert'];
export type Forecast = Schemas['Forecast'];

/** What the node has told so far, part by part, each named after the call that answers the same. */
export type State = {
  readonly node?: Node;
  readonly groups?: Answer<'/api/v1/groups'>;
  readonly peers?: Answer<'/api/v1/peers'>;
  readonly key?: ViewingKeys;
  readonly alerts?: Answer<'/api/v1/alerts'>;
  readonly forecast?: Answer<'/api/v1/forecast'>;
  readonly drills?: Answer<'/api/v1/drills'>;
};

const parts: ReadonlySet<string> = new Set<keyof State>([
  'node',
  'groups',
  'peers',
  'key',
  'alerts',
  'forecast',
  'drills',
]);

/** The state after one event; events of other names change nothing. */
export function withEvent(state: State, event: string, data: string): State {
  return parts.has(event) ? { ...state, [event]: JSON.parse(data) } : state;
}
