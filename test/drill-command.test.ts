import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../src/adapters/http/listen.ts';
import { loadConfig } from '../src/config.ts';
import { runDrill } from '../src/drill-command.ts';
import { adminToken, createAdminRig } from './support/admin-rig.ts';

/** Runs the command against a node behind a real listener. */
async function withNode() {
  const rig = createAdminRig();
  const listener = await listen({ app: rig.app, host: '127.0.0.1', port: 0, log: rig.log });
  onTestFinished(() => listener.close());
  const run = async (
    args: readonly string[],
    onInterrupt: (end: () => void) => void = () => {},
  ) => {
    const said: string[] = [];
    const code = await runDrill(args, {
      config: () =>
        loadConfig({
          UNDERSTUDY_ADMIN_LISTEN: `127.0.0.1:${listener.address.port}`,
          UNDERSTUDY_ADMIN_TOKEN: adminToken,
        }),
      say: (text) => said.push(text),
      onInterrupt: (end) => {
        onInterrupt(end);
        return () => {};
      },
    });
    return { code, said: said.join('\n') };
  };
  return { ...rig, run };
}

it('shows a table of the players, with exit code 0 when nobody was lost', async () => {
  const { facts, run } = await withNode();
  facts.drills.endsAs = 'passed';
  const { code, said } = await run(['ch1', '--duration', '30', '--probes', '2']);
  expect(code).toBe(0);
  expect(said).toContain('ch1, not-found, 30 s: nobody was lost who moves by its rules');
  expect(said).toMatch(/^hls\.js +carried +1\.2 s +0 s +0 s +2 of 2 +node-b +moves within 3 s$/m);
  expect(said).toContain(
    'viewers, browser: 12 met it, 10 were found at node-b after 1 s at most, 11 ask here no more',
  );
});

it('ends with 1 when somebody was lost, and tells all as JSON', async () => {
  const { facts, run } = await withNode();
  facts.drills.endsAs = 'lost';
  const { code, said } = await run(['ch1', '--failure', 'cut', '--family', 'media3', '--json']);
  expect([code, JSON.parse(said).wish]).toEqual([
    1,
    {
      ...{ stream: 'ch1', failure: 'cut', durationS: 30, probes: 1, families: ['media3'] },
      ...{ sharePercent: 100, viewersPercent: 0, slowMs: 3_000, force: false },
    },
  ]);
});

it('ends the drill when it is interrupted', async () => {
  const { facts, run } = await withNode();
  const { code, said } = await run(['ch1'], (end) => end());
  expect([code, facts.drills.list(facts.now)[0]?.state]).toEqual([1, 'stopped']);
  expect(said).toContain('stopped early: it did not come to the failure');
});

it('says why the node refuses', async () => {
  const { facts, run } = await withNode();
  facts.drills.refusal = 'nobody could take over "ch1" now: no other node carries it';
  await expect(run(['ch1'])).rejects.toThrow('nobody could take over "ch1" now');
});

it.each([
  [[]],
  [['ch1', 'ch2']],
  [['ch1', '--failure', 'fire']],
  [['ch1', '--family', 'vlc']],
  [['ch1', '--duration', 'long']],
])('shows its usage and ends with 2 for %j', async (args) => {
  const { run } = await withNode();
  const { code, said } = await run(args);
  expect([code, said.startsWith('Usage: understudy drill')]).toEqual([2, true]);
});
