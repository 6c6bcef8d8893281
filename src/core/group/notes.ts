/** A session that an operator ended: its passes are good for nothing any more. */
export type EndedSession = {
  readonly id: string;
  /** When the last of its passes has run out, Unix seconds. */
  readonly untilS: number;
};

/** A session that counts against the limit of a login; hashes, so that no login travels. */
export type Slot = {
  readonly session: string;
  readonly login: string;
  /** Address and player. */
  readonly viewer: string;
  /** Sessions of the same login, address and player that let go for this one: they are refused from now on. */
  readonly insteadOf?: readonly string[] | undefined;
};

/** Most sessions that let go for one. */
export const insteadOfMax = 16;

/** What a node tells the others of single sessions, as far as it changed. */
export type Notes = {
  readonly version: number;
  /** Whether the slots known of this node before are void. */
  readonly full: boolean;
  readonly more: boolean;
  readonly ended: readonly EndedSession[];
  readonly taken: readonly Slot[];
  /** Sessions whose slots are free again. */
  readonly freed: readonly string[];
};

/** Most changes in one answer. */
export const notesMax = 500;
