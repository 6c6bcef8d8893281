import { describe, expect, it } from 'vitest';
import { keptOutput, outputFolder, secretsIn } from '../support/agent-output.ts';

/** Runs last, in `npm test` only: what all agents of all tests before have said. */
describe.skipIf(outputFolder === undefined)('the output of all agents of the test run', () => {
  const texts = outputFolder === undefined ? [] : keptOutput(outputFolder);

  it('is there', () => {
    expect(texts.filter((text) => text.includes('"event":"agent started"'))).not.toEqual([]);
  });

  it('holds no pass, key, cluster secret or admin token', () => {
    expect(texts.flatMap(secretsIn)).toEqual([]);
  });

  it('is JSON lines with time, level, node and a constant event', () => {
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({
        at: expect.any(Number),
        level: expect.stringMatching(/^(debug|info|warn|error)$/),
        node: expect.any(String),
        event: expect.stringMatching(/^[a-z]/),
      });
  });
});
