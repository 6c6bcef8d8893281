import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createAdminRig } from './support/admin-rig.ts';
import { isInstalled } from './support/installed.ts';

const path = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

/** Metrics of our own as the registry has them. */
async function ownMetrics() {
  const all = await createAdminRig().metrics.registry.getMetricsAsJSON();
  return all.filter(({ name }) => name.startsWith('understudy_'));
}

/** Names of series in a PromQL expression. */
const seriesIn = (text: string) =>
  [...text.matchAll(/\b(?:understudy|nodejs|process)_\w+/g)].map(([name]) => name);

describe('the metrics page', () => {
  it('lists every metric of the agent with type and meaning, and no other', async () => {
    const listed = [
      ...read('metrics.md').matchAll(/^\| `(understudy_\w+)` \| (\w+) \| .*\| ([^|]+) \|$/gm),
    ].map(([, name, type, help]) => ({ name, type, help }));
    const own = (await ownMetrics()).map(({ name, type, help }) => ({ name, type, help }));
    expect(listed).toEqual(own);
  });

  it.each(['monitoring/alert-rules.yml', 'monitoring/grafana-dashboard.json'])(
    'has series in %s that there are',
    async (file) => {
      const text = await createAdminRig().ask('GET', '/metrics', { token: undefined });
      const known = new Set(
        [...String(text.body).matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name, type]) =>
          type === 'histogram' ? [`${name}_bucket`] : name,
        ),
      );
      const used = seriesIn(read(file));
      expect(used.length).toBeGreaterThan(5);
      expect(used.filter((name) => !known.has(name))).toEqual([]);
    },
  );

  it.skipIf(!isInstalled('promtool'))('has rules and settings that promtool accepts', () => {
    const promtool = (...args: string[]) => {
      const { status, stderr, stdout } = spawnSync('promtool', args, { encoding: 'utf8' });
      return status === 0 ? 'good' : `${stdout}${stderr}`;
    };
    expect(promtool('check', 'rules', path('monitoring/alert-rules.yml'))).toBe('good');
    expect(promtool('check', 'config', path('monitoring/prometheus.yml'))).toBe('good');
    expect(promtool('test', 'rules', path('monitoring/alert-rules-test.yml'))).toBe('good');
  });

  it.skipIf(!isInstalled('promtool'))('has names and texts as promtool advises', async () => {
    const { body } = await createAdminRig().ask('GET', '/metrics', { token: undefined });
    const own = String(body)
      .split('\n')
      .filter((line) => /^(# (HELP|TYPE) )?understudy_/.test(line));
    const input = `${own.join('\n')}\n`;
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});
