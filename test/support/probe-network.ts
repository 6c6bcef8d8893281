import { setTimeout as delay } from 'node:timers/promises';
import type { OpenProbeConnection, ProbeAnswer } from '../../src/agent/ports.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Real time in which an answer is expected, if there will be one soon, ms. */
const soonMs = 20;

/** The way of a drill's players to the nodes of a rig, in virtual time. `ask` is undefined where nobody is. */
export function createProbeNetwork(
  clock: VirtualClock,
  ask: (url: string, agent: string) => Promise<Response> | undefined,
): OpenProbeConnection {
  return () => {
    const open = new Set<() => void>();
    return {
      get(url, { userAgent, deadlineMs, bytesMax }) {
        const asked = ask(url, userAgent);
        if (asked === undefined) return Promise.resolve({ kind: 'fault', fault: 'cut' });
        const answered = asked.then((response) => answerOf(response, bytesMax));
        clock.hold(Promise.race([answered, delay(soonMs)]));
        return new Promise<ProbeAnswer>((resolve) => {
          const cut = () => resolve({ kind: 'fault', fault: 'cut' });
          const takeBack = clock.after(deadlineMs, () =>
            resolve({ kind: 'fault', fault: 'silent' }),
          );
          open.add(cut);
          void answered.then(resolve, cut).finally(() => {
            takeBack();
            open.delete(cut);
          });
        });
      },
      close() {
        for (const cut of open) cut();
      },
    };
  };
}

async function answerOf(response: Response, bytesMax: number): Promise<ProbeAnswer> {
  // An error of the network, see `respond`.
  if (response.type === 'error') return { kind: 'fault', fault: 'cut' };
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > bytesMax) return { kind: 'fault', fault: 'too-large' };
  return {
    kind: 'answer',
    status: response.status,
    node: response.headers.get('x-understudy-node') ?? undefined,
    location: response.headers.get('location') ?? undefined,
    bytes,
  };
}
