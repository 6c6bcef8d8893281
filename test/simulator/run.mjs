/**
 * A group in virtual time: real agents, modelled players. `npm run simulate -- --help`
 */
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const usage = `npm run simulate -- [options]
  --viewers 10000,2000,2000   viewers who open at each node; as many nodes as numbers
  --mbps 60000                network capacity of each node, or of all
  --backup-limit none         most viewers of other nodes at each node
  --seconds 600               virtual time
  --seed 1                    the same seed gives the same result
  --mix hls.js=4,Shaka=2,VHS=1,Media3=2,legacy=1
  --fault 120:0:kill          second, node by place, kill|start|freeze|thaw|stop|publish; may be repeated`;

const { values } = parseArgs({
  options: {
    viewers: { type: 'string', default: '10000,2000,2000' },
    mbps: { type: 'string', default: '60000' },
    'backup-limit': { type: 'string', default: 'none' },
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    mix: { type: 'string', default: 'hls.js=4,Shaka=2,VHS=1,Media3=2,legacy=1' },
    fault: { type: 'string', multiple: true, default: ['120:0:kill'] },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const limit = values['backup-limit'];
const capacities = values.mbps.split(',').map(Number);
const { module } = await runnerImport('./test/simulator/main.ts');
const startedAt = performance.now();
console.log(
  await module.run({
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    openOverS: 30,
    nodes: values.viewers.split(',').map((viewers, at) => ({
      viewers: Number(viewers),
      capacityMbps: capacities[at] ?? capacities[0],
      backupSessionsMax: limit === 'none' ? undefined : Number(limit),
    })),
    mix: Object.fromEntries(
      values.mix.split(',').map((part) => {
        const [name, share] = part.split('=');
        return [name, Number(share)];
      }),
    ),
    faults: values.fault.map((fault) => {
      const [atS, node, kind] = fault.split(':');
      return { atS: Number(atS), node: Number(node), kind };
    }),
  }),
);
console.log(`took ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
