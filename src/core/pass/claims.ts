/** Claims of a pass (JWT, HS256, `typ: "pass+jwt"`, `kid` = viewing key id). Times are Unix seconds. */
export type PassClaims = {
  /** Home node: where the viewer came first. */
  readonly iss: string;
  /** Nodes the pass is good for, home node included when it serves. */
  readonly aud: readonly string[];
  /** Viewer session id. */
  readonly sub: string;
  /** Group, see {@link passGroup}. */
  readonly grp: string;
  /** Login of the viewer, if known. */
  readonly lgn?: string | undefined;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  /** Ids of the nodes that sent the viewer on, first to last. */
  readonly hop: readonly string[];
};

/** Longest pass that is looked at, characters. */
export const passLengthMax = 2048;

/** Most forgiven between two clocks when a session starts on a node, seconds; the domain's skew limit. */
export const passToleranceS = 240;

/** Group named in a pass; a stream outside of any group has one of its own that no group name can equal. */
export function passGroup(stream: { readonly name: string; readonly group?: string | undefined }) {
  return stream.group ?? `stream:${stream.name}`;
}
