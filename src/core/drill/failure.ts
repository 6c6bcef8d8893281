/** What a drill does to the sessions that it meets, on this node only. */
export const drillFailures = ['not-found', 'cut', 'silent', 'frozen', 'slow'] as const;

/**
 * - `not-found`: media playlists are answered 404, entries as if the stream were off air: what the agent itself does.
 * - `cut`: connections are closed without an answer: a dead process on a machine that runs.
 * - `silent`: nothing is answered: a dead machine, or packets that are dropped.
 * - `frozen`: media playlists stand still, with status 200: a dead encoder, without the agent.
 * - `slow`: every answer comes late.
 */
export type DrillFailure = (typeof drillFailures)[number];

/** What somebody wants to be tried out. */
export type DrillWish = {
  readonly stream: string;
  readonly failure: DrillFailure;
  /** How long the failure lasts, seconds. */
  readonly durationS: number;
  /** Modelled players of each family. */
  readonly probes: number;
  readonly families: readonly DrillFamily[];
  /** How many of the modelled players meet the failure, percent, in each family. */
  readonly sharePercent: number;
  /** How many viewers meet it, percent; 0: none. */
  readonly viewersPercent: number;
  /** By how much answers are late if it is `slow`, ms. */
  readonly slowMs: number;
  /** Run it although nobody could take over now. */
  readonly force: boolean;
};

export const drillFamilies = ['hls.js', 'shaka', 'vhs', 'media3', 'avplayer', 'legacy'] as const;

/** Players that behave alike; `legacy`: those that never use a backup and open the stream again. */
export type DrillFamily = (typeof drillFamilies)[number];

/** Most of each; a drill is a trial, not load. */
export const drillLimits = {
  probesMax: 4,
  durationSMin: 5,
  durationSMax: 300,
  slowMsMax: 30_000,
  /** Everything that the modelled players of one drill may read. */
  bytesMax: 256 * 1024 * 1024,
} as const;

/** How many of `count` a share meets: none for 0 percent, else at least one. */
export function shareOfCount(count: number, percent: number): number {
  return percent <= 0 ? 0 : Math.max(1, Math.round((count * percent) / 100));
}
