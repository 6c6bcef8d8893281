import type { DrillView } from '../../src/agent/drill/drill-view.ts';
import { type DrillWish, drillFamilies } from '../../src/core/drill/failure.ts';
import { type GroupNode, type GroupRig, urisOf } from './group-rig.ts';

/** Begins a drill at the first node of a rig. */
export async function beginDrill(rig: GroupRig, wish: Partial<DrillWish>) {
  const { agent, clock } = rig.node(0);
  const whole: DrillWish = {
    ...{ stream: 'ch1', failure: 'not-found', durationS: 20, probes: 1, families: drillFamilies },
    ...{ sharePercent: 100, viewersPercent: 0, slowMs: 3_000, force: false },
    ...wish,
  };
  const { id } = agent.drills.begin(whole, clock.now());
  const view = (): DrillView => {
    const found = agent.drills.get(id, clock.now());
    if (found === undefined) throw new Error('the drill is forgotten');
    return found;
  };
  return {
    id,
    view,
    /** Its players watch by then. */
    async untilFailing() {
      for (let step = 0; step < 50 && view().state === 'warming'; step += 1) await rig.run(100);
    },
    durationS: whole.durationS,
  };
}

/** A drill from its beginning to its end. */
export async function drillThrough(rig: GroupRig, wish: Partial<DrillWish>): Promise<DrillView> {
  const { untilFailing, view, durationS } = await beginDrill(rig, wish);
  await untilFailing();
  await rig.run(durationS * 1_000 + 1_000);
  return view();
}

/**
 * A viewer who has opened the channel. `reload` asks for the first media playlist again, `moveTo` for that of the same rung
 * at its first backup, `node`.
 */
export async function startPlaying(node: GroupNode, agent?: string) {
  const asking = agent === undefined ? {} : { agent };
  const uris = urisOf(await (await node.ask('/ch1/index.m3u8', asking)).text());
  const [variant = '', ofBackup = ''] = uris;
  const reload = () => node.ask(`/ch1/${variant}`, asking);
  await reload();
  return { reload, moveTo: (backup: GroupNode) => backup.ask(ofBackup, asking) };
}
