import { describe, expect, it } from 'vitest';
import { assessMember, assessTarget } from '../../../src/core/group/eligibility.ts';
import type { ReasonCode } from '../../../src/core/reasons.ts';
import type { StreamFacts } from '../../../src/core/stream/stream.ts';
import {
  aLadder,
  aPeer,
  aStreamFacts,
  aVariant,
  offAir,
  testKeyId,
  testNow,
} from '../../support/builders.ts';

type Parts = {
  self?: StreamFacts | undefined;
  peer?: Parameters<typeof aPeer>[0];
  stream?: Parameters<typeof aStreamFacts>[0];
  signingKeyId?: string | undefined;
};

function member(parts: Parts) {
  return {
    selfStream: parts.self ?? aStreamFacts(),
    peer: aPeer(parts.peer),
    peerStream: aStreamFacts(parts.stream),
    signingKeyId: 'signingKeyId' in parts ? parts.signingKeyId : testKeyId,
    now: testNow,
  };
}

function backupFaults(parts: Parts): readonly ReasonCode[] {
  const assessment = assessMember(member(parts));
  return assessment.eligible ? [] : assessment.reasons;
}

function targetFaults(parts: Parts, protocol: 'hls' | 'dash' = 'hls'): readonly ReasonCode[] {
  const assessment = assessTarget({ ...member(parts), protocol });
  return assessment.eligible ? [] : assessment.reasons;
}

const movedMsAgo = (ms: number) => ({
  hls: { air: offAir('frozen'), lastMovedAt: testNow.wallMs - ms },
});
const offset = (offsetMs: number) => ({ clock: { offsetMs, roundTripMs: 2 } });
const differing = aLadder({ variants: [aVariant(), aVariant({ uri: 'v1/index.m3u8' })] });

describe('a member that lacks nothing', () => {
  it('is eligible as a backup and as the target of a redirect', () => {
    expect(assessMember(member({}))).toEqual({ eligible: true });
    expect(assessTarget({ ...member({}), protocol: 'hls' })).toEqual({ eligible: true });
  });
});

/** Each fault alone: as a backup, and as the target of a redirect where that differs. */
const single: readonly [string, Parts, readonly ReasonCode[], (readonly ReasonCode[])?][] = [
  ['does not answer', { peer: { reachability: 'unreachable' } }, ['unreachable']],
  ['is not known to be there', { peer: { reachability: 'unknown' } }, ['reachability-unknown']],
  ['speaks an older protocol', { peer: { facts: { protocol: 0 } } }, ['protocol-version']],
  ['speaks a newer protocol', { peer: { facts: { protocol: 2 } } }, ['protocol-version']],
  ['does not offer itself', { stream: { reserve: false } }, ['reserve-off']],
  ['is being drained', { peer: { facts: { draining: true } } }, ['draining']],
  ['is off air', { stream: { hls: { air: offAir('frozen') } } }, ['frozen']],
  ['has no HLS', { stream: { hls: undefined } }, ['no-such-protocol', 'no-recent-window']],
  ['declares no source', { stream: { source: undefined } }, ['source-undeclared'], []],
  ['faces no source', { self: aStreamFacts({ source: undefined }) }, ['source-undeclared'], []],
  ['declares another source', { stream: { source: 'other' } }, ['source-differs'], []],
  ['packs fMP4', { stream: { hls: { container: 'fmp4' } } }, ['container-differs']],
  ['shows no form yet', { stream: { hls: { container: undefined } } }, ['container-differs'], []],
  ['has parts', { stream: { hls: { lowLatency: true } } }, ['low-latency-differs'], []],
  ['has two rungs', { stream: { hls: { ladder: differing } } }, ['rungs-differ'], []],
  ['shows no rungs', { stream: { hls: { ladder: undefined } } }, ['rungs-differ'], []],
  ['has no measured clock', { peer: { clock: undefined } }, ['clock-unknown']],
  ['lacks the key', { peer: { facts: { keys: ['1-old'] } } }, ['key-missing']],
  ['is beside a node without key', { signingKeyId: undefined }, ['key-not-in-force']],
  ['is overloaded', { peer: { facts: { overloaded: true } } }, ['overloaded']],
  ['is at its limit', { peer: { facts: { atBackupLimit: true } } }, ['backup-limit']],
];

describe('a member that', () => {
  it.each(single)(
    '%s is not eligible, for that reason only',
    (_name, parts, asBackup, asTarget) => {
      expect(backupFaults(parts)).toEqual(asBackup);
      expect(targetFaults(parts)).toEqual(asTarget ?? asBackup);
    },
  );

  it('fails in every way has every reason, in one order', () => {
    const everything: Parts = {
      peer: {
        reachability: 'unreachable',
        clock: { offsetMs: -312_000, roundTripMs: 2 },
        facts: { protocol: 0, draining: true, keys: [], overloaded: true, atBackupLimit: true },
      },
      stream: {
        reserve: false,
        source: 'other',
        hls: {
          air: offAir('ended'),
          lastMovedAt: undefined,
          container: 'fmp4',
          lowLatency: true,
          ladder: differing,
        },
      },
    };
    expect(backupFaults(everything)).toEqual([
      ...['unreachable', 'protocol-version', 'reserve-off', 'draining', 'ended'],
      ...['no-recent-window', 'source-differs', 'container-differs', 'low-latency-differs'],
      ...['rungs-differ', 'clock-skew', 'key-missing', 'overloaded', 'backup-limit'],
    ]);
    expect(targetFaults(everything)).toEqual([
      ...['unreachable', 'protocol-version', 'reserve-off', 'draining', 'ended'],
      ...['no-recent-window', 'container-differs'],
      ...['clock-skew', 'key-missing', 'overloaded', 'backup-limit'],
    ]);
  });
});

describe('the clock of a member', () => {
  it.each([
    [239_999, []],
    [240_000, []],
    [240_001, ['clock-skew']],
    [-240_000, []],
    [-240_001, ['clock-skew']],
  ])('may be off by 240 s: %d ms gives %o', (offsetMs, reasons) => {
    expect(backupFaults({ peer: offset(offsetMs) })).toEqual(reasons);
    expect(targetFaults({ peer: offset(offsetMs) })).toEqual(reasons);
  });
});

describe('a live window', () => {
  it.each([
    [599_999, ['frozen']],
    [600_000, ['frozen']],
    [600_001, ['frozen', 'no-recent-window']],
  ])('was recent if it moved 10 min ago: %d ms gives %o', (ms, reasons) => {
    expect(backupFaults({ stream: movedMsAgo(ms) })).toEqual(reasons);
  });

  it('is dated by the clock of the node that saw it', () => {
    expect(backupFaults({ stream: movedMsAgo(600_000), peer: offset(-1) })).toEqual(['frozen']);
    expect(backupFaults({ stream: movedMsAgo(600_001), peer: offset(1) })).toEqual([
      'frozen',
      'no-recent-window',
    ]);
    expect(backupFaults({ stream: movedMsAgo(600_001), peer: offset(-1) })).toEqual(['frozen']);
  });

  it('that moves is not dated at all while the node is heard', () => {
    const hls = { lastMovedAt: testNow.wallMs - 3_600_000 };
    expect(backupFaults({ stream: { hls } })).toEqual([]);
  });

  it.each([
    [600_000, ['reachability-unknown']],
    [600_001, ['reachability-unknown', 'no-recent-window']],
  ])('is as old as the last word of a node that is not heard: %d ms', (ms, reasons) => {
    const peer = { reachability: 'unknown', heardAt: testNow.monoMs - ms } as const;
    expect(backupFaults({ peer })).toEqual(reasons);
  });
});

describe('the own stream', () => {
  it('whose form is not known yet excludes nobody by its form', () => {
    const self = aStreamFacts({ hls: { container: undefined, ladder: undefined } });
    const stream = { hls: { container: 'fmp4', lowLatency: true } } as const;
    expect(backupFaults({ self, stream })).toEqual([]);
    expect(targetFaults({ self, stream })).toEqual([]);
  });

  it('excludes nobody by a form that an off-air member has not shown', () => {
    const hls = { air: offAir('starting'), container: undefined, ladder: undefined };
    expect(backupFaults({ stream: { hls } })).toEqual(['starting']);
  });

  it('that does not exist here leaves only what concerns the target', () => {
    const { selfStream: _, ...rest } = member({ stream: { source: undefined } });
    expect(assessTarget({ ...rest, selfStream: undefined, protocol: 'hls' })).toEqual({
      eligible: true,
    });
  });
});

describe('the target of a redirect over DASH', () => {
  const dash = { air: { onAir: true } } as const;

  it('needs DASH on air, whatever its HLS does', () => {
    expect(targetFaults({ stream: { dash } }, 'dash')).toEqual([]);
    expect(targetFaults({ stream: { dash, hls: undefined } }, 'dash')).toEqual([]);
    expect(targetFaults({ stream: { dash, hls: { container: 'fmp4' } } }, 'dash')).toEqual([]);
    expect(targetFaults({}, 'dash')).toEqual(['no-such-protocol']);
    expect(targetFaults({ stream: { dash: { air: offAir('frozen') } } }, 'dash')).toEqual([
      'frozen',
    ]);
  });
});

describe('field report 30: a low-latency stream that only one node has', () => {
  const self = aStreamFacts({ hls: { container: 'fmp4', lowLatency: true } });

  it('is never continued on nor sent to a node that has it in MPEG-TS only, and the reason says so', () => {
    const stream = { hls: { container: 'ts', lowLatency: false } } as const;
    expect(backupFaults({ self, stream })).toContain('container-differs');
    expect(targetFaults({ self, stream })).toEqual(['container-differs', 'low-latency-differs']);
  });

  it('is not sent to a node that has it without parts either', () => {
    const stream = { hls: { container: 'fmp4', lowLatency: false } } as const;
    expect(targetFaults({ self, stream })).toEqual(['low-latency-differs']);
  });
});
