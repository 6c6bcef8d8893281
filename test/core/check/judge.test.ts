import { describe, expect, it } from 'vitest';
import { checkAreas } from '../../../src/core/check/check-codes.ts';
import type { CheckFacts, PeerFacts } from '../../../src/core/check/facts.ts';
import { judgeDomain } from '../../../src/core/check/judge.ts';

const nowMs = 1_800_000_000_000;

function peer(id: string, given: Partial<PeerFacts> = {}): PeerFacts {
  const hears = ['node-a', 'node-b', 'node-c'].filter((one) => one !== id);
  return {
    ...{ url: `http://${id}:8082`, id, reachability: 'reachable', hears, clockOffsetMs: 0 },
    ...given,
  };
}

/** Three nodes of one group with nothing wrong. */
function facts(given: Partial<CheckFacts> = {}): CheckFacts {
  return {
    self: 'node-a',
    keyState: 'in-force',
    groups: [{ name: 'ch1', state: 'reserve', problems: [] }],
    peers: [peer('node-b'), peer('node-c')],
    hears: ['node-b', 'node-c'],
    strangers: [],
    wrongClocks: [],
    alerts: [],
    sites: [],
    delivery: { kind: 'tried', targets: [{ to: 'hooks.example.net' }] },
    trials: [{ group: 'ch1', stream: 'ch1', outcome: { kind: 'served', by: 'node-b' } }],
    ...given,
  };
}

const found = (given: Partial<CheckFacts>, isLab = false) =>
  judgeDomain(facts(given), { nowMs, isLab });
const codes = (given: Partial<CheckFacts>) => found(given).map(({ code }) => code);
const problem = { code: 'frozen', text: 'node-b: the live window does not move', node: 'node-b' };
const site = { node: 'node-a', base: 'http://127.0.0.2:8080', isDeclared: true } as const;
const trial = (outcome: CheckFacts['trials'][number]['outcome']) => ({
  trials: [{ group: 'ch1', stream: 'ch1', outcome }],
});

describe('a domain', () => {
  it('with nothing wrong is fit', () => {
    expect(codes({})).toEqual([]);
  });

  it('without groups is not', () => {
    expect(codes({ groups: [] })).toEqual(['groups-missing']);
  });

  it('has every problem of a group with what to do about it', () => {
    const [one] = found({ groups: [{ name: 'ch1', state: 'degraded', problems: [problem] }] });
    expect(one).toEqual({
      ...{ code: 'group-problem', area: 'groups', severity: 'error', node: 'node-b', group: 'ch1' },
      text: 'node-b: the live window does not move (frozen)',
      remedy: 'look at the encoder: no new segment for 1.5 target durations',
    });
    const unknown = { ...problem, code: 'of-a-later-version' };
    const [other] = found({ groups: [{ name: 'ch1', state: 'degraded', problems: [unknown] }] });
    expect(other?.remedy).toContain('docs/reasons.md');
  });

  it('has a group without backup', () => {
    const groups = [{ name: 'ch1', state: 'none', problems: [] }] as const;
    expect(codes({ groups })).toEqual(['group-without-backup']);
  });

  it.each(['spreading', 'missing'] as const)('whose viewing key is %s is not fit', (keyState) => {
    expect(codes({ keyState })).toEqual(['key-not-in-force']);
  });

  it('tells what it found in the order of areas, whatever came first', () => {
    const all = found({
      keyState: 'missing',
      groups: [],
      sites: [{ ...site, addresses: [{ text: '127.0.0.2', class: 'loopback' }] }],
      strangers: ['node-x'],
      peers: [peer('node-b', { clockOffsetMs: 9_000 }), peer('node-c')],
      delivery: { kind: 'tried', targets: [] },
      ...trial({ kind: 'not-redirected', status: 200 }),
    });
    expect([...new Set(all.map(({ area }) => area))]).toEqual(checkAreas);
  });

  it('of a lab needs no public names, no https and nobody who is told alerts', () => {
    const given: Partial<CheckFacts> = {
      sites: [
        { ...site, addresses: [{ text: '127.0.0.2', class: 'loopback' }] },
        { ...site, isDeclared: false, node: 'node-b' },
      ],
      delivery: { kind: 'tried', targets: [] },
    };
    expect(codes(given)).toEqual([
      ...['host-is-address', 'address-not-public', 'public-url-missing'],
      ...['plain-http', 'plain-http', 'alert-targets-missing'],
    ]);
    expect(found(given, true)).toEqual([]);
    expect(found({ ...given, keyState: 'missing' }, true)).toHaveLength(1);
  });
});

describe('peers', () => {
  it('that are not reachable are told with the fault', () => {
    const fault = 'refuses connections';
    const dead = peer('node-c', { reachability: 'unreachable', fault });
    const [one, ...more] = found({
      peers: [peer('node-b', { hears: ['node-a'] }), dead],
      hears: ['node-b'],
    });
    expect([one?.code, one?.text, more]).toEqual([
      'peer-unreachable',
      'node-c at http://node-c:8082: refuses connections',
      [],
    ]);
    const never = { url: 'http://x:8082', reachability: 'unknown' } as const;
    expect(found({ peers: [...facts().peers, never] })[0]?.node).toBe('http://x:8082');
  });

  it('that do not hear this node, or each other, are told which way', () => {
    const peers = [peer('node-b', { hears: ['node-c'] }), peer('node-c', { hears: ['node-a'] })];
    expect(found({ peers }).map(({ code, text }) => [code, text])).toEqual([
      ['peer-deaf', 'node-b does not hear node-a'],
      ['peer-deaf', 'node-c does not hear node-b'],
    ]);
  });

  it('of an older version that do not say whom they hear are believed', () => {
    expect(codes({ peers: [peer('node-b', { hears: undefined }), peer('node-c')] })).toEqual([]);
  });

  it('that are missing in the list are told', () => {
    expect(codes({ strangers: ['node-x'] })).toEqual(['peer-unlisted']);
  });
});

describe('clocks', () => {
  const off = (clockOffsetMs: number | undefined, wrongClocks: string[] = []) =>
    found({ peers: [peer('node-b', { clockOffsetMs }), peer('node-c')], wrongClocks });

  it.each([
    [5_000, []],
    [-5_000, []],
    [5_001, ['clock-apart']],
    [-5_001, ['clock-apart']],
    [240_000, ['clock-apart']],
    [240_001, ['clock-skew']],
    [-240_001, ['clock-skew']],
    [undefined, []],
  ])('that are %s ms apart', (offsetMs, wanted) => {
    expect(off(offsetMs).map(({ code }) => code)).toEqual(wanted);
  });

  it('are told with the one that is wrong, where that is known', () => {
    expect(off(300_000)[0]?.text).toBe('the clock of node-b is +300.0 s off that of node-a');
    const [one] = off(300_000, ['node-a']);
    expect([one?.text, one?.node]).toEqual([
      'the clock of node-b is +300.0 s off that of node-a: that of node-a is wrong',
      'node-a',
    ]);
  });
});

describe('alerts', () => {
  it('that stand, that nobody takes and that were not tried are told', () => {
    const alerts = [{ code: 70, text: 'viewers of node-b watch elsewhere', node: 'node-b' }];
    expect(found({ alerts })[0]?.text).toBe('alert 70 stands: viewers of node-b watch elsewhere');
    const targets = [{ to: 'one.example.net' }, { to: 'two.example.net', fault: 'status 404' }];
    const [one, ...more] = found({ delivery: { kind: 'tried', targets } });
    expect([one?.code, one?.text, more]).toEqual([
      'alert-undeliverable',
      'two.example.net did not take the test alert: status 404',
      [],
    ]);
    const untried = found({ delivery: { kind: 'untried', why: 'reading only' } });
    expect(untried.map(({ code, severity }) => [code, severity])).toEqual([
      ['alert-untried', 'warning'],
    ]);
  });
});

describe('redirects', () => {
  it.each([
    ['redirect-untried', { kind: 'untried', why: 'no viewing key is in force' }, 'key is in force'],
    [
      'redirect-missing',
      { kind: 'not-redirected', status: 404, reason: 'all-full' },
      'status 404, all-full',
    ],
    ['redirect-missing', { kind: 'not-redirected', status: 200 }, 'status 200'],
    ['redirect-elsewhere', { kind: 'elsewhere', host: 'evil.example.net' }, 'evil.example.net'],
    ['redirect-refused', { kind: 'refused', to: 'node-b', cause: 'status 403' }, 'node-b'],
  ] as const)('%s', (code, outcome, text) => {
    const [one, ...more] = found(trial(outcome));
    expect([one?.code, more]).toEqual([code, []]);
    expect(one?.text).toContain(text);
  });
});
