import { describe, expect, it } from 'vitest';
import { type Asker, judgeQuestion, type PeerQuestion } from '../../../src/core/group/exchange.ts';

const self = { id: 'node-b', boot: 'b-1' };

function aQuestion(question: Partial<PeerQuestion> = {}): PeerQuestion {
  return {
    protocol: 1,
    from: 'node-a',
    boot: 'a-1',
    seq: 5,
    to: 'b-1',
    since: 0,
    wantKeys: false,
    ...question,
  };
}

/** Judges one question after the other at the times given; what each came to. */
function judgeAll(questions: readonly (readonly [Partial<PeerQuestion>, number])[]): string[] {
  let asker: Asker | undefined;
  return questions.map(([question, now]) => {
    const verdict = judgeQuestion(aQuestion(question), self, asker, now);
    if (verdict.kind === 'refused') return verdict.reason;
    asker = verdict.asker;
    return 'accepted';
  });
}

describe('a question', () => {
  it.each([
    [4, 'replayed'],
    [5, 'replayed'],
    [6, 'accepted'],
  ])('with number %i after number 5 is %s', (seq, verdict) => {
    expect(judgeAll([[{}, 0], [{ seq }, 1]])).toEqual(['accepted', verdict]); // biome-ignore format: one row
  });

  it.each([undefined, 'b-0'])('to boot %s of this node is told the right one', (to) => {
    expect(judgeAll([[{ to }, 0]])).toEqual(['boot']);
  });

  it('of another protocol version is refused before anything else of it is believed', () => {
    expect(judgeAll([[{ protocol: 2, to: undefined }, 0]])).toEqual(['protocol']);
  });

  it('from another process with the id of this node is refused, from this very process not', () => {
    expect(judgeAll([[{ from: 'node-b', boot: 'b-9' }, 0]])).toEqual(['same-id']);
    expect(judgeAll([[{ from: 'node-b', boot: 'b-1' }, 0]])).toEqual(['accepted']);
  });

  it('of an earlier boot is refused once a later one asked, recorded or new', () => {
    expect(
      judgeAll([
        [{}, 0],
        [{ boot: 'a-2', seq: 1 }, 10],
        [{ seq: 5 }, 20],
        [{ seq: 6 }, 30],
      ]),
    ).toEqual(['accepted', 'accepted', 'replayed', 'superseded']);
  });

  it('of an earlier boot is answered again when the later one has been silent for over 60 s', () => {
    expect(
      judgeAll([
        [{}, 0],
        [{ boot: 'a-2', seq: 1 }, 10],
        [{ seq: 6 }, 60_010],
        [{ seq: 6 }, 60_011],
        [{ boot: 'a-2', seq: 2 }, 60_012],
      ]),
    ).toEqual(['accepted', 'accepted', 'superseded', 'accepted', 'accepted']);
  });

  it.each([
    [63, 'replayed'],
    [64, 'accepted'],
  ])('recorded %i boots of its sender ago is %s: 64 boots are remembered', (later, verdict) => {
    const restarts = Array.from(
      { length: later },
      (_, at) => [{ boot: `a-${at + 2}` }, at] as const,
    );
    expect(judgeAll([[{}, 0], ...restarts, [{}, 99]]).at(-1)).toBe(verdict);
  });
});
