import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserPlayer, Measured, Playback, PlayerBrowser } from './browser.ts';
import type { CloneRig } from './clone-rig.ts';
import { type Media3Seen, watchAsMedia3 } from './media3-viewer.ts';

/** What befalls a group whose viewers all watch at its first node. */
export type Scenario = {
  readonly name: string;
  /** Whether a node refuses connections: Media3 gives up then, unless its address moves (`black-hole.test.ts`). */
  readonly refuses?: boolean;
  /** Resolves when the last failure has happened. */
  act(rig: CloneRig): Promise<void>;
};

/** A packager that has died is started anew by its supervisor after so long, ms. */
const restartMs = 1_000;

export const scenarios = {
  killed: { name: 'node killed', refuses: true, act: (rig) => rig.node(0).kill() },
  stopped: {
    name: 'stream stopped',
    async act(rig) {
      const { packager, origin } = rig.node(0);
      await packager.kill();
      origin.stopStream();
    },
  },
  frozen: { name: 'playlist frozen', act: async (rig) => rig.node(0).packager.freeze() },
  hanging: { name: 'origin hanging', act: async (rig) => rig.node(0).origin.hang() },
  restarted: {
    name: 'origin restarted',
    async act(rig) {
      const { packager } = rig.node(0);
      await packager.kill();
      await delay(restartMs);
      packager.start();
    },
  },
  second: {
    name: 'second failure',
    refuses: true,
    async act(rig) {
      const { agent } = rig.node(0);
      await agent.kill();
      await delay(8_000);
      agent.start();
      await delay(12_000);
      await rig.node(1).kill();
    },
  },
} as const satisfies Record<string, Scenario>;

type Player = BrowserPlayer | 'media3';

/** What one viewer saw from the first failure to the end. */
export type Outcome = {
  readonly player: Player;
  readonly starvedS: number;
  readonly lost: number;
  readonly repeated: number;
  readonly fatal: readonly string[];
  /** The most requests that one node refused or did not answer, of one visit: players come back to try again. */
  readonly inVain: number;
  /** Time that the page itself stood still: what it has seen is worth little on a machine that is so busy. */
  readonly lagS: number;
  /** Whether the picture still moved at the end. */
  readonly isPlaying: boolean;
  /** Whether it watched at the first node when that failed: on a busy machine viewers may have been sent elsewhere. */
  readonly wasThere: boolean;
  /** For people: what happened when, in ms from the first failure. */
  readonly evidence: string;
};

/** The picture stands for less than this at the end of a run that is still playing, ms. */
const stillMsMax = 2_000;

/** Shaka tries a node that failed again after 30 s, VHS after 60 s. */
const visitMsMax = 20_000;
const picturesPerSegment = 50;
/** Shaka reports as critical what it then tries again; one that plays for longer than any buffer after that has not ended. */
const survivedMs = 15_000;

/**
 * One viewer for each of `players` watches at the first node of `rig`, at once, through the scenario; and one by the rules
 * of Media3 where these can bear it.
 */
export async function watchThrough(options: {
  readonly browser: PlayerBrowser;
  readonly rig: CloneRig;
  readonly players: readonly BrowserPlayer[];
  readonly scenario: Scenario;
  readonly beforeMs: number;
  readonly afterMs: number;
}): Promise<readonly Outcome[]> {
  const { browser, rig, players, scenario, beforeMs, afterMs } = options;
  const entry = `${rig.node(0).agent.url}/live/index.m3u8`;
  const home = rig.node(0).agent.host;
  const playbacks = await Promise.all(players.map((player) => browser.play(player, entry)));
  const media3 = scenario.refuses ? undefined : await watchAsMedia3(entry);
  try {
    await Promise.all(playbacks.map((playback) => playback.waitForFrames(25, 30_000)));
    await delay(beforeMs);
    const before = await Promise.all(playbacks.map((playback) => playback.measure()));
    const failedAt = Date.now();
    await scenario.act(rig);
    await delay(afterMs);
    const outcomes = playbacks.map(async (playback, at) => {
      const [player = 'hls', after] = [players[at], await playback.measure()];
      return outcomeOf({ player, playback, failedAt, after, before: before[at], home });
    });
    const modelled = media3 === undefined ? [] : [outcomeOfMedia3(media3.seen(), failedAt)];
    return [...(await Promise.all(outcomes)), ...modelled];
  } finally {
    await media3?.stop();
    await Promise.all(playbacks.map((playback) => playback.close()));
  }
}

function outcomeOf(seen: {
  player: BrowserPlayer;
  playback: Playback;
  failedAt: number;
  before: Measured | undefined;
  after: Measured;
  home: string;
}): Outcome {
  const { player, playback, failedAt, before, after, home } = seen;
  const failures = playback.failures.filter(({ at }) => at >= failedAt);
  const since = <T extends { readonly at: number }>(list: readonly T[]) =>
    list.filter(({ at }) => at >= failedAt).map((entry) => ({ ...entry, at: entry.at - failedAt }));
  const asked = since(playback.requests).map(
    ({ at, url }) => `${at} ${url.hostname}${url.pathname}`,
  );
  return {
    player,
    starvedS: (after.starvedMs - (before?.starvedMs ?? 0)) / 1000,
    lost: after.lost - (before?.lost ?? 0),
    repeated: after.repeated - (before?.repeated ?? 0),
    fatal: after.errors
      .filter(({ fatal, at }) => fatal && after.lastAt - at < survivedMs)
      .map(({ text }) => text),
    inVain: mostInVain(failures),
    lagS: (after.lagMs - (before?.lagMs ?? 0)) / 1000,
    isPlaying: after.now - after.lastAt < stillMsMax,
    wasThere: playback.requests.findLast(({ at }) => at < failedAt)?.url.hostname === home,
    evidence: JSON.stringify({
      gaps: since(after.gaps),
      jumps: since(after.jumps),
      errors: since(after.errors),
      failures: since(failures).map(
        ({ at, url, status }) => `${at} ${url.host}${url.pathname} ${status}`,
      ),
      asked,
      named: playback.named,
    }),
  };
}

/** Of the failed requests of one viewer. */
function mostInVain(failures: readonly { readonly at: number; readonly url: URL }[]): number {
  const visits = failures.map(({ at, url }) => {
    const isSameVisit = (other: (typeof failures)[number]) =>
      other.url.hostname === url.hostname && other.at >= at && other.at < at + visitMsMax;
    return failures.filter(isSameVisit).length;
  });
  return Math.max(0, ...visits);
}

/** A segment left out or had twice counts with all its pictures. */
function outcomeOfMedia3(seen: Media3Seen, failedAt: number): Outcome {
  const { loaded, fatal, starvedMs } = seen;
  const steps = loaded.slice(1).map((number, at) => number - (loaded[at] ?? number));
  const pictures = (counts: readonly number[]) =>
    picturesPerSegment * counts.reduce((sum, count) => sum + count, 0);
  const failures = seen.failures.filter(({ at }) => at >= failedAt);
  return {
    player: 'media3',
    starvedS: starvedMs / 1000,
    lost: pictures(steps.map((step) => Math.max(0, step - 1))),
    repeated: pictures(steps.map((step) => Math.max(0, 1 - step))),
    fatal: fatal === undefined ? [] : [fatal],
    inVain: mostInVain(failures),
    lagS: 0,
    isPlaying: fatal === undefined,
    wasThere: loaded.length > 0,
    evidence: JSON.stringify({
      ...{ gaps: [], jumps: [], errors: [], asked: [], loaded },
      failures: failures.map(({ at, url, status }) => `${at - failedAt} ${url.pathname} ${status}`),
    }),
  };
}
