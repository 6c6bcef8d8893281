import { setTimeout as delay } from 'node:timers/promises';
import { createMedia3Player, type Media3Answer } from './media3-player.ts';

/** Connecting and reading each wait for so long, ms. */
const requestMsMax = 8_000;
const stepMs = 200;
const headers = { 'user-agent': 'Tv/1.0 (Linux;Android 14) AndroidXMedia3/1.11.0' };

/** How a viewer fared up to now; `fatal` once its player has given up. */
export type Media3Seen = {
  readonly fatal: string | undefined;
  readonly starvedMs: number;
  /** Numbers of the segments it has had, in order. */
  readonly loaded: readonly number[];
  /** When it got no answer, or an error, Unix ms. */
  readonly failures: readonly { readonly at: number; readonly url: URL; readonly status: number }[];
};

/** A viewer whose player follows the rules of Media3, in real time, from the opening of `entry` on. */
export async function watchAsMedia3(entry: string) {
  const failures: { at: number; url: URL; status: number }[] = [];
  const request = async (url: string): Promise<Media3Answer> => {
    const answer = await ask(url);
    if (answer.status !== 200)
      failures.push({ at: Date.now(), url: new URL(url), status: answer.status });
    return answer;
  };
  const { text, url } = await ask(entry);
  const monoMs = () => performance.now();
  const player = createMedia3Player({ multivariant: text, entry: url, request, monoMs });
  let fatal: string | undefined;
  let isEnded = false;
  const playing = (async () => {
    while (!isEnded && fatal === undefined) {
      fatal = await player.step();
      await delay(stepMs);
    }
  })();
  const seen = (): Media3Seen => ({
    fatal,
    starvedMs: player.starvedMs(),
    loaded: [...player.loaded()],
    failures: [...failures],
  });
  return {
    headers,
    seen,
    async stop(): Promise<Media3Seen> {
      isEnded = true;
      await playing;
      return seen();
    },
  };
}

/** `url` of the answer: where a redirect led to, which is what its addresses are relative to. */
async function ask(url: string): Promise<Media3Answer & { url: string }> {
  try {
    const signal = AbortSignal.timeout(requestMsMax);
    const answer = await fetch(url, { headers, signal });
    return { status: answer.status, text: await answer.text(), url: answer.url };
  } catch {
    return { status: 0, text: '', url };
  }
}
