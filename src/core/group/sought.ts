/** Most sessions that one question seeks: it has to stay below what a peer reads. */
export const soughtMax = 100;

/** A session that was sought and is watched at the answering node. */
export type Found = {
  readonly session: string;
  /** How long ago it began there, ms; to the second. */
  readonly sinceMs: number;
};
