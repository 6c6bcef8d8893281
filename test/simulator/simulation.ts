import type { Answer } from '../../src/agent/answer.ts';
import type { Forecast } from '../../src/core/load/forecast.ts';
import { createLossyNetwork, createRandom } from '../support/lossy-network.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createSimNode, type LoadSample, type NodePlan, type SimNode } from './sim-node.ts';
import { type FamilyModel, families, type Place, SimPlayer } from './sim-player.ts';

const stepMs = 100;
const secondMs = 1_000;

/** The nodes settle before the first viewer comes, seconds. */
const settleS = 20;

type FaultKind = 'kill' | 'start' | 'freeze' | 'thaw' | 'stop' | 'publish';

export type Scenario = {
  readonly seed: number;
  readonly seconds: number;
  /** By node: who it is and how many viewers open there, evenly over `openOverS`. */
  readonly nodes: readonly (NodePlan & { readonly viewers: number })[];
  readonly openOverS: number;
  /** Share of each family; they need not add up to 1. */
  readonly mix: Readonly<Partial<Record<FamilyModel['name'], number>>>;
  /** `atS` counts from the first viewer; `node` by place. */
  readonly faults: readonly {
    readonly atS: number;
    readonly node: number;
    readonly kind: FaultKind;
  }[];
};

type NodeResult = {
  readonly id: string;
  readonly own: number;
  readonly backup: number;
  readonly peaks: LoadSample;
  /** Requests answered without playlist or redirect. */
  readonly refusals: number;
  readonly alerts: readonly string[];
};

export type Result = {
  readonly viewers: number;
  readonly requests: number;
  readonly watchedS: number;
  readonly lostS: number;
  /** Time without a picture of viewers whose own node had no fault. */
  readonly bystandersLostS: number;
  readonly moves: number;
  readonly refusals: number;
  /** 403 and 400: never right. */
  readonly denied: number;
  /** Second, from the first viewer, in which a viewer was last fed by another node than before. */
  readonly lastMoveS: number;
  readonly playing: number;
  readonly nodes: readonly NodeResult[];
  /** What the others said of a node a second before it was killed, by the first of them. */
  readonly forecasts: readonly { readonly atS: number; readonly forecast: Forecast }[];
  readonly samples: readonly (readonly LoadSample[])[];
};

/** Runs a scenario in virtual time. The same scenario gives the same result. */
export async function simulate(scenario: Scenario): Promise<Result> {
  const world = createWorld(scenario);
  for (const node of world.nodes) node.start();
  await world.run(settleS * secondMs);
  world.begin();
  await world.run(scenario.seconds * secondMs);
  return world.result();
}

function createWorld(scenario: Scenario) {
  const random = createRandom(scenario.seed);
  const clock = createVirtualClock();
  const network = createLossyNetwork(clock, { seed: scenario.seed });
  const ids = scenario.nodes.map((_, at) => `node-${String.fromCharCode(97 + at)}`);
  const nodes = scenario.nodes.map((plan, at) =>
    createSimNode({ ...{ id: ids[at] ?? '', ids, plan, network, clock, random } }),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const players = createPlayers(scenario, ids, random);
  const faulty = new Set(scenario.faults.map(({ node }) => ids[node]));
  const samples: LoadSample[][] = nodes.map(() => []);
  const forecasts: { atS: number; forecast: Forecast }[] = [];
  /** Players by the step in which they act. */
  const due = new Map<number, SimPlayer[]>();
  let steps = 0;
  let beganStep = 0;
  const count = { requests: 0, denied: 0, lastMoveS: 0 };

  const plan = (player: SimPlayer, inMs: number) => {
    const at = steps + Math.max(1, Math.round(inMs / stepMs));
    const list = due.get(at);
    if (list === undefined) due.set(at, [player]);
    else list.push(player);
  };
  const nowMs = () => clock.now().monoMs;
  const nowS = () => ((steps - beganStep) * stepMs) / secondMs;

  async function request(player: SimPlayer, place: Place, segments: number) {
    count.requests += 1;
    const answer = await byId
      .get(place.nodeId)
      ?.ask(player.viewer, place.path, place.query, segments);
    if (answer?.kind === 'refusal') {
      if (answer.status !== 404) count.denied += 1;
      if (answer.reason === 'overloaded' || answer.reason === 'backup-limit') player.refusals += 1;
    }
    return answer;
  }

  async function reload(player: SimPlayer, place: Place): Promise<void> {
    const answer = await request(player, place, player.segmentsDue(nowMs()));
    const moves = player.moves;
    const next =
      answer?.kind === 'playlist'
        ? player.played(place.nodeId, nowMs())
        : player.failed(answer === undefined ? 'gone' : 'refused', nowMs());
    if (player.moves !== moves) count.lastMoveS = nowS();
    plan(player, next.inMs);
  }

  /** Follows redirects, as every player does, and knows the places then. */
  async function open(player: SimPlayer): Promise<void> {
    let place: Place = { nodeId: player.homeId, path: 'ch1/index.m3u8', query: '' };
    for (let hop = 0; hop < 4; hop += 1) {
      const answer = await request(player, place, 0);
      if (answer?.kind === 'playlist') {
        player.opened(placesIn(answer, place.nodeId));
        plan(player, stepMs);
        return;
      }
      if (answer?.kind !== 'redirect') break;
      place = placeOf(answer.location, place.nodeId);
    }
    plan(player, player.notOpened().inMs);
  }

  /** What the first of the others says of a node a second before it is killed. */
  function forecastBeforeKill(): void {
    for (const { atS, node, kind } of scenario.faults) {
      if (kind !== 'kill' || nowS() !== atS - 1) continue;
      const observer = nodes.find(({ id, isAlive }) => isAlive && id !== ids[node]);
      const all = observer?.agent.forecasts.all(clock.now()) ?? [];
      const forecast = all.find((one) => one.node === ids[node]);
      if (forecast !== undefined) forecasts.push({ atS, forecast });
    }
  }

  async function act(): Promise<void> {
    for (const { atS, node, kind } of scenario.faults)
      if (nowS() === atS) strike(nodes[node], kind, nowMs());
    const acting = due.get(steps) ?? [];
    due.delete(steps);
    for (const player of acting)
      await (player.place === undefined ? open(player) : reload(player, player.place));
  }

  async function step(): Promise<void> {
    steps += 1;
    await clock.run(stepMs);
    const isNewSecond = (steps * stepMs) % secondMs === 0;
    for (const node of nodes) await node.step(isNewSecond);
    if (beganStep > 0) await act();
    if (!isNewSecond) return;
    forecastBeforeKill();
    for (const [at, node] of nodes.entries()) samples[at]?.push(node.sample());
  }

  return {
    nodes,
    async run(ms: number) {
      for (let passed = 0; passed < ms; passed += stepMs) await step();
    },
    begin() {
      beganStep = steps;
      for (const player of players) plan(player, random() * scenario.openOverS * secondMs);
    },
    result(): Result {
      for (const player of players) player.ended(nowMs());
      const sum = (of: (player: SimPlayer) => number, among = players) =>
        among.reduce((total, player) => total + of(player), 0);
      const lostS = (among = players) => Math.round(sum(({ lostMs }) => lostMs, among) / secondMs);
      const bystanders = players.filter(({ homeId }) => !faulty.has(homeId));
      return {
        ...{ viewers: players.length, ...count, forecasts, samples },
        watchedS: players.length * scenario.seconds - lostS(),
        lostS: lostS(),
        bystandersLostS: lostS(bystanders),
        moves: sum(({ moves }) => moves),
        refusals: sum(({ refusals }) => refusals),
        playing: players.filter(
          ({ place, nodeId }) => place !== undefined && nodeId === place.nodeId,
        ).length,
        nodes: nodes.map(nodeResult),
      };
    },
  };
}

function createPlayers(scenario: Scenario, ids: readonly string[], random: () => number) {
  const shares = Object.entries(scenario.mix) as [FamilyModel['name'], number][];
  const total = shares.reduce((sum, [, share]) => sum + share, 0);
  const pick = (): FamilyModel => {
    let left = random() * total;
    for (const [name, share] of shares) {
      left -= share;
      if (left < 0) return families[name];
    }
    return families['hls.js'];
  };
  let number = 0;
  return scenario.nodes.flatMap(({ viewers }, at) =>
    Array.from({ length: viewers }, () => {
      number += 1;
      const address = `203.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
      return new SimPlayer(pick(), ids[at] ?? '', address);
    }),
  );
}

function strike(node: SimNode | undefined, kind: FaultKind, nowMs: number): void {
  if (kind === 'kill') node?.kill();
  else if (kind === 'start') node?.start();
  else if (node !== undefined) {
    if (kind === 'freeze') node.origin.isFrozenAt = nowMs;
    if (kind === 'thaw') node.origin.isFrozenAt = undefined;
    if (kind === 'stop') node.origin.status = 404;
    if (kind === 'publish') node.origin.status = 200;
  }
}

function nodeResult({ id, agent, peaks, refusals }: SimNode): NodeResult {
  const { own, backup } = agent.sessions.counts();
  const alerts = agent.alerts
    .list()
    .map(({ code, node, clearedAt }) => `${code} ${node}${clearedAt === undefined ? '' : ' over'}`);
  return { id, own, backup, peaks, refusals, alerts };
}

function placesIn({ body }: Extract<Answer, { kind: 'playlist' }>, nodeId: string) {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((uri) => placeOf(uri.startsWith('http') ? uri : `/ch1/${uri}`, nodeId));
}

/** `http://node-b.example.net/ch1/x?y`, or `/ch1/x?y` at the node that answered. */
function placeOf(url: string, nodeId: string): Place {
  const [, host, path = '', query = ''] =
    /^(?:http:\/\/([^/.]+)[^/]*)?\/([^?]*)\??(.*)$/.exec(url) ?? [];
  return { nodeId: host ?? nodeId, path, query };
}
