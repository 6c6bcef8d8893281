import { createPassSigner } from '../../src/adapters/hmac/pass-signer.ts';
import { createKeyWrap } from '../../src/adapters/jose/key-wrap.ts';
import { readMeaning } from '../../src/adapters/origin/read-playlist.ts';
import { checksum } from '../../src/adapters/system/checksum.ts';
import { createAgent } from '../../src/agent/agent.ts';
import type { Answer } from '../../src/agent/answer.ts';
import type { LoadCounter } from '../../src/core/load/load.ts';
import type { Viewer } from '../../src/core/viewer/viewer.ts';
import { createFakeLog } from '../support/fake-log.ts';
import type { LossyNetwork } from '../support/lossy-network.ts';
import { memoryAlertStore } from '../support/memory-alert-store.ts';
import { memoryCoverageStore } from '../support/memory-coverage-store.ts';
import { memoryTimelineStore } from '../support/memory-timeline-store.ts';
import { memoryKeyStore } from '../support/pass-fakes.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { bitsPerS, createSimOrigin, type OriginState, originEntry, targetS } from './sim-origin.ts';

export type NodePlan = {
  readonly capacityMbps: number;
  readonly backupSessionsMax?: number | undefined;
  /** Processor time of one reload with its segment, seconds. */
  readonly reloadCpuS?: number | undefined;
};

/** Unless the plan says otherwise. */
const defaultReloadCpuS = 0.000_2;

/** Processor time of a request that brings no playlist, seconds (`docs/performance.md`). */
export const refusalCpuS = 0.000_2;

/** What the node does anyway, percent. */
const idlePercent = 4;

const secondMs = 1_000;

/** As of one second, percent and requests; counted over the last target duration: all bits of a segment come at once. */
export type LoadSample = {
  readonly networkPercent: number;
  readonly cpuPercent: number;
  readonly refusalsPerS: number;
};

/** One node: the real agent, a modelled origin, and a model of what viewers cost. */
export function createSimNode(parts: {
  readonly id: string;
  readonly ids: readonly string[];
  readonly plan: NodePlan;
  readonly network: LossyNetwork;
  readonly clock: VirtualClock;
  readonly random: () => number;
}) {
  const { id, ids, plan, network, clock, random } = parts;
  const { reloadCpuS = defaultReloadCpuS } = plan;
  const origin: OriginState = { isFrozenAt: undefined, status: 200 };
  const used = { cpuS: 0, bits: 0, refusals: 0 };
  const peerUrl = (of: string) => `http://${of}.example.net:8082`;
  const capacity = plan.capacityMbps * 1_000_000;
  const host = `${id}.example.net`;
  const readLoad = (): readonly LoadCounter[] => [
    {
      ...{ resource: 'cpu', name: 'machine', perS: 1 },
      used: used.cpuS + (clock.now().monoMs / secondMs) * (idlePercent / 100),
    },
    { resource: 'loop', name: 'thread', used: used.cpuS, perS: 1 },
    { resource: 'network', name: 'eth0 out', used: used.bits, perS: capacity },
  ];
  const bytesOf = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
  const stores = {
    keyStore: memoryKeyStore(),
    alertStore: memoryAlertStore(),
    coverageStore: memoryCoverageStore(),
    timelineStore: memoryTimelineStore(),
  };
  const log = createFakeLog();
  const create = () =>
    createAgent(
      {
        ...{ clock, timers: clock, log, readMeaning, checksum, readLoad, ...stores },
        newId: () => Buffer.from(bytesOf(16)).toString('base64url'),
        randomBytes: bytesOf,
        openOrigin: createSimOrigin(origin, () => clock.now().monoMs),
        isFeed: () => false,
        openFeed: () => ({ close() {} }),
        pause: () => Promise.resolve(),
        alertTargets: [],
        keyWrap: createKeyWrap('the cluster secret of the simulator, long enough'),
        signer: createPassSigner(),
        openProbeConnection: () => {
          throw new Error('there are no drills in the simulator');
        },
        link: network.linkFrom(peerUrl(id)),
      },
      {
        ...{ id, version: '0.1.0', publicUrl: `http://${host}`, weight: 1 },
        ...{ passTtlS: 43_200, peerUrls: ids.map(peerUrl) },
        backupSessionsMax: plan.backupSessionsMax,
      },
    );
  let agent = create();
  let isAlive = false;
  const history: { readonly bits: number; readonly cpuS: number; readonly refusals: number }[] = [];
  const node = {
    id,
    origin,
    log,
    peaks: { networkPercent: 0, cpuPercent: 0, refusalsPerS: 0 },
    get refusals() {
      return used.refusals;
    },
    get agent() {
      return agent;
    },
    get isAlive() {
      return isAlive;
    },
    kill() {
      isAlive = false;
      network.detach(peerUrl(id));
      agent.peers.stop();
      agent.live.close();
    },
    start() {
      if (isAlive) return;
      isAlive = true;
      agent = create();
      agent.live.configure([streamConfig], clock.now());
      network.attach(peerUrl(id), agent.answerPeers, clock);
      agent.peers.start();
    },
    /** A viewer's request; undefined when nobody answers. Of a playlist that is served `segments` are read, too. */
    async ask(viewer: Viewer, path: string, query: string, segments: number) {
      if (!isAlive) return undefined;
      const answer: Answer = await agent.viewing.open({
        viewer,
        host,
        path,
        query,
        now: clock.now(),
      });
      used.cpuS += answer.kind === 'playlist' ? reloadCpuS : refusalCpuS;
      if (answer.kind === 'refusal') used.refusals += 1;
      if (answer.kind === 'playlist') used.bits += bitsPerS * targetS * segments;
      return answer;
    },
    /** What falls due in the step that ends now. */
    async step(isNewSecond: boolean) {
      if (!isAlive) return;
      const now = clock.now();
      await agent.live.tick(now);
      if (!isNewSecond) return;
      for (const { name, run } of agent.cycles) if (name !== 'live streams') await run(now);
    },
    /** Due each second. */
    sample(): LoadSample {
      history.push({ ...used });
      const [before = history[0]] = history.slice(-1 - targetS);
      const seconds = Math.min(history.length - 1, targetS) || 1;
      const sample = {
        networkPercent: (100 * (used.bits - (before?.bits ?? 0))) / seconds / capacity,
        cpuPercent: (100 * (used.cpuS - (before?.cpuS ?? 0))) / seconds + idlePercent,
        refusalsPerS: (used.refusals - (before?.refusals ?? 0)) / seconds,
      };
      node.peaks.networkPercent = Math.max(node.peaks.networkPercent, sample.networkPercent);
      node.peaks.cpuPercent = Math.max(node.peaks.cpuPercent, sample.cpuPercent);
      node.peaks.refusalsPerS = Math.max(node.peaks.refusalsPerS, sample.refusalsPerS);
      return sample;
    },
  };
  return node;
}

export type SimNode = ReturnType<typeof createSimNode>;

/** Written by the packager alone: the timeline has its own tests, and costs time here. */
const streamConfig = {
  ...{ name: 'ch1', origin: originEntry, group: 'ch1', source: 'studio' },
  ...{ reserve: true, canonical: false },
};
