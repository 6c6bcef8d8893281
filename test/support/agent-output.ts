import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets of the agents that tests start. None of them may ever be read in what an agent says. */
export const testSecrets = {
  clusterSecret: 'the cluster secret of nodes in tests',
  adminToken: 'for-tests-only-0123456789',
};

/** Where `npm test` collects what agents say; absent when test files are run by themselves. */
export const outputFolder = process.env.AGENT_OUTPUT;

/** A JWT or JWE: its header begins with `{"`, which is `eyJ` in base64url. */
const jwtShape = /eyJ[\w-]{6,}\.[\w-]*\.[\w.-]*/g;

/** Whatever in the output of an agent looks like a pass, or is one of the secrets; each with what stands around it. */
export function secretsIn(text: string): readonly string[] {
  const found = [...text.matchAll(jwtShape)].map(({ index }) => index);
  for (const secret of Object.values(testSecrets))
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      if (text.includes(form)) found.push(text.indexOf(form));
  return found.map((at) => text.slice(Math.max(0, at - 80), at + 20));
}

/**
 * Looks for secrets in what an agent has said, and keeps it in `folder` for the look at the whole run.
 *
 * @throws when there is one
 */
export function checkOutput(text: string, folder = outputFolder): void {
  if (folder !== undefined)
    writeFileSync(join(mkdtempSync(join(folder, 'agent-')), 'output.log'), text);
  const found = secretsIn(text);
  if (found.length > 0) throw new Error(`an agent told a secret: ${found.join(' | ')}`);
}

/** All that was kept in `folder`. */
export function keptOutput(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
