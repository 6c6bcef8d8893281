import type { AnswerPeers, PeerFault, PeerLink } from '../../src/agent/peer-ports.ts';
import { answersOf } from './peer-http.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** An in-memory network of peer links in virtual time. Questions and answers travel as JSON, as on a wire. */
export type LossyNetwork = {
  /** One way, ms; applies to all that is sent from now on. */
  delayMs: number;
  /** Chance that an attempt is lost, 0 to 1, the question or the answer. */
  loss: number;
  /** Questions sent so far, lost ones included. */
  readonly asked: number;
  /** From now on the node at `url` answers; `clock` tells it when it was asked. Replaces whoever was there. */
  attach(url: string, answer: AnswerPeers['ask'] | AnswerPeers, clock: VirtualClock): void;
  /** Nobody listens at `url` any more: connections are refused. */
  detach(url: string): void;
  /** The way of the node at `from` to all others; works whether or not that node is attached. */
  linkFrom(from: string): PeerLink;
  /** Nothing gets through between the two any more, either way; without `b`: between `a` and everybody. */
  cut(a: string, b?: string): void;
  heal(a: string, b?: string): void;
};

type Station = { readonly answer: AnswerPeers; readonly clock: VirtualClock };

export function createLossyNetwork(
  clock: VirtualClock,
  options: { readonly delayMs?: number; readonly loss?: number; readonly seed?: number } = {},
): LossyNetwork {
  const stations = new Map<string, Station>();
  const cuts = new Set<string>();
  const random = createRandom(options.seed ?? 1);
  const isCut = (a: string, b: string) =>
    [pairOf(a, b), pairOf(a), pairOf(b)].some((pair) => cuts.has(pair));
  let asked = 0;

  /** Takes a question to a station and what `ask` makes of it back. */
  function travel<T>(
    from: string,
    to: string,
    ask: (station: Station) => T | Promise<T>,
    end: (reply: T | PeerFault) => void,
  ) {
    asked += 1;
    const isLost = random() < network.loss;
    const isAnswerLost = isLost && random() < 0.5;
    clock.after(network.delayMs, () => {
      if ((isLost && !isAnswerLost) || isCut(from, to)) return;
      const station = stations.get(to);
      if (station === undefined) return end(fault('refuses connections'));
      const answered = Promise.resolve(ask(station)).then((reply) => {
        if (isAnswerLost) return;
        clock.after(network.delayMs, () => {
          if (!isCut(from, to) && stations.get(to) === station) end(reply);
        });
      });
      clock.hold(answered);
    });
  }

  function within<T>(
    deadlineMs: number,
    from: string,
    to: string,
    ask: (station: Station) => T | Promise<T>,
  ): Promise<T | PeerFault> {
    return new Promise((resolve) => {
      const giveUp = clock.after(deadlineMs, () => resolve(fault('no answer in time')));
      travel(from, to, ask, (reply) => {
        giveUp();
        resolve(reply);
      });
    });
  }

  const network: LossyNetwork = {
    delayMs: options.delayMs ?? 2,
    loss: options.loss ?? 0,
    get asked() {
      return asked;
    },
    attach: (url, answer, stationClock) => {
      const answers = typeof answer === 'function' ? answersOf(answer) : answer;
      stations.set(url, { answer: answers, clock: stationClock });
    },
    detach: (url) => {
      stations.delete(url);
    },
    linkFrom: (from) => ({
      ask: (url, question, deadlineMs) =>
        within(deadlineMs, from, url, async ({ answer, clock: at }) =>
          copy(await answer.ask(copy(question), at.now())),
        ),
      compare: (url, question, deadlineMs) =>
        within(deadlineMs, from, url, ({ answer, clock: at }) =>
          copy(answer.compare(copy(question), at.now())),
        ),
      segment: (url, name, deadlineMs) =>
        within(
          deadlineMs,
          from,
          url,
          ({ answer }) => answer.segment(copy(name)) ?? fault('no such segment'),
        ),
      close: () => {},
    }),
    cut: (a, b) => {
      cuts.add(pairOf(a, b));
    },
    heal: (a, b) => {
      cuts.delete(pairOf(a, b));
    },
  };
  return network;
}

function fault(text: string): PeerFault {
  return { kind: 'fault', cause: 'unanswered', text };
}

function copy<T>(message: T): T {
  return JSON.parse(JSON.stringify(message));
}

function pairOf(a: string, b = '*'): string {
  return [a, b].sort().join(' ');
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
