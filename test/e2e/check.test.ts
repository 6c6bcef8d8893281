import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createChannelApp, serveApp } from '../../src/demo/channel-server.ts';
import { secretsIn, testSecrets } from '../support/agent-output.ts';
import { createAuthority } from '../support/certificates.ts';
import { isInstalled } from '../support/installed.ts';
import { startTestNodes, type TestNode, untilInReserve } from '../support/nodes.ts';
import { tempFolder } from '../support/temp-folder.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const group = 'test';

type Report = {
  readonly ready: boolean;
  readonly checked: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly code: string; readonly text: string }[];
};

/** Runs `understudy check` against a node, as an operator would. */
async function check(node: TestNode | undefined, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(
    process.execPath,
    [program, 'check', '--node', node?.adminUrl ?? '', ...args],
    {
      cwd: tempFolder(),
      env: { PATH: process.env.PATH, UNDERSTUDY_ADMIN_TOKEN: testSecrets.adminToken, ...env },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  const [code] = await once(child, 'close');
  expect(secretsIn(said)).toEqual([]);
  const report: Report | undefined = said.startsWith('{') ? JSON.parse(said) : undefined;
  return { code, said, report, codes: report?.findings.map((one) => one.code).sort() };
}

/** Streams of one channel for so many nodes. */
function streamsOf(origin: { readonly port: number }, count: number) {
  const url = `http://127.0.0.1:${origin.port}/index.m3u8`;
  const stream = { name: 'live', origin: url, group, source: 'test-channel', canonical: false };
  return Array.from({ length: count }, () => [stream]);
}

describe('understudy check', () => {
  const told: { readonly state?: string; readonly name?: string }[] = [];
  let receiver: Server;
  let origin: Awaited<ReturnType<typeof serveApp>>;
  let rig: Awaited<ReturnType<typeof startTestNodes>>;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (part: Buffer) => {
        text += part.toString();
      });
      request.on('end', () => {
        told.push(JSON.parse(text));
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    origin = await serveApp(createChannelApp(), { host: '127.0.0.1', port: 0 });
    rig = await startTestNodes(streamsOf(origin, 3), [], {
      UNDERSTUDY_ALERT_WEBHOOKS: `http://127.0.0.1:${port}/`,
    });
    await untilInReserve(rig.nodes, group);
  });
  afterAll(async () => {
    await rig?.stop();
    await origin?.close();
    receiver?.close();
  });

  it('finds nothing in a domain of a lab in which all is well, after it has tried everything', async () => {
    const { code, report, said } = await check(rig.nodes[0], ['--lab', '--json']);
    expect([code, report?.findings], said).toEqual([0, []]);
    expect(report?.checked).toEqual({
      ...{ groups: 1, nodes: 3, peers: 2, alertTargets: 1, redirects: 1 },
    });
    expect(told).toContainEqual(expect.objectContaining({ state: 'test', node: 'node-a' }));
    const sessions = await Promise.all(rig.nodes.map((node) => node.api('/sessions')));
    const kinds = sessions.flatMap((page) => Object(page).sessions);
    expect(kinds.map(({ kind, home }) => [kind, home])).toEqual([['backup', 'node-a']]);
  });

  it('takes addresses of the loopback for what they are, unless it is told that it is a lab', async () => {
    const { code, codes } = await check(rig.nodes[1], ['--json', '--no-test-alert']);
    expect(code).toBe(1);
    expect(codes).toEqual([
      ...['address-not-public', 'address-not-public', 'address-not-public', 'alert-untried'],
      ...['host-is-address', 'host-is-address', 'host-is-address'],
      ...['plain-http', 'plain-http', 'plain-http'],
    ]);
  });

  it('looks with a token for reading as well, and says what it could not try', async () => {
    const wish = { method: 'POST', body: JSON.stringify({ name: 'looker', scope: 'read' }) };
    const { token } = Object(await rig.nodes[0]?.api('/tokens', wish));
    const env = { UNDERSTUDY_ADMIN_TOKEN: token };
    const { code, codes } = await check(rig.nodes[0], ['--lab', '--json'], env);
    expect([code, codes]).toEqual([0, ['alert-untried', 'redirect-untried']]);
  });

  it('says in words what is wrong when a node is dead, and what to do', async () => {
    const victim = rig.nodes[2];
    await victim?.kill();
    await expect
      .poll(async () => Object(await rig.nodes[0]?.api(`/groups/${group}`)).state, {
        timeout: 20_000,
      })
      .toBe('degraded');
    const { code, said } = await check(rig.nodes[0], ['--lab', '--no-test-alert']);
    victim?.start();
    expect(code, said).toBe(1);
    expect(said).toMatch(
      /error +groups +node-c: the node does not answer its peers \(unreachable\)/,
    );
    expect(said).toMatch(/error +names +nobody answers \(ECONNREFUSED\) at http:\/\/127\.0\.0\.4:/);
    expect(said).toMatch(/error +peers +node-c at http/);
    expect(said).toMatch(/ok +redirects +1 groups opened, sent on and served elsewhere/);
    expect(said).toContain('-> start that node');
    expect(said).toMatch(/not ready: \d errors, 1 warning, as node-a sees it/);
    await untilInReserve(rig.nodes, group);
  });

  it('ends with 1 when the node does not answer, and with 2 for wrong usage or without a token', async () => {
    expect((await check(undefined, ['--node', 'http://127.0.0.1:9'])).code).toBe(1);
    expect((await check(rig.nodes[0], ['--colour'])).code).toBe(2);
    const without = await check(rig.nodes[0], [], { UNDERSTUDY_ADMIN_TOKEN: '' });
    expect([without.code, without.said]).toEqual([2, expect.stringContaining('--token-file')]);
  });
});

it('understudy check finds that one of two nodes does not hear the other, from either', async () => {
  const { nodes, stop } = await startTestNodes([[], []], [], ({ host }) => ({
    ...(host === '127.0.0.3' && { UNDERSTUDY_PEERS: 'http://127.0.0.3:1' }),
  }));
  onTestFinished(stop);
  const found = (at: number) => async () => (await check(nodes[at], ['--lab', '--json'])).codes;
  const waitMs = { timeout: 60_000, interval: 1_000 };
  await expect.poll(found(0), waitMs).toContain('peer-deaf');
  await expect
    .poll(found(1), waitMs)
    .toEqual(expect.arrayContaining(['peer-unlisted', 'peer-unreachable']));
  expect(await found(0)()).not.toContain('peer-unreachable');
});

describe.skipIf(!isInstalled('openssl'))('understudy check of nodes with certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-authority-'));
  const authority = createAuthority(folder);
  const hosts = ['127.0.0.2', '127.0.0.3'];
  const files = authority.issue('both', { hosts, leftDays: 10 });
  const trusting = { NODE_EXTRA_CA_CERTS: authority.caFile };
  let origin: Awaited<ReturnType<typeof serveApp>>;
  let rig: Awaited<ReturnType<typeof startTestNodes>>;

  beforeAll(async () => {
    origin = await serveApp(createChannelApp(), { host: '127.0.0.1', port: 0 });
    rig = await startTestNodes(streamsOf(origin, 2), [], ({ host, viewers }) => ({
      UNDERSTUDY_PUBLIC_URL: `https://${host}:${viewers}`,
      UNDERSTUDY_TLS_CERT_FILE: files.certFile,
      UNDERSTUDY_TLS_KEY_FILE: files.keyFile,
    }));
    await untilInReserve(rig.nodes, group);
  });
  afterAll(async () => {
    await rig?.stop();
    await origin?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const checked = (env: NodeJS.ProcessEnv) =>
    check(rig.nodes[0], ['--lab', '--json', '--no-test-alert'], env);

  it('trusts no authority that nobody told it of, and gives no pass to such nodes', async () => {
    const { code, codes, report } = await checked({});
    expect([code, codes]).toEqual([
      1,
      [
        ...['alert-untried', 'certificate-expires-soon', 'certificate-expires-soon'],
        ...['certificate-untrusted', 'certificate-untrusted', 'redirect-untried'],
      ],
    ]);
    expect(report?.checked.redirects).toBe(0);
  });

  it('finds a certificate that is about to expire, and is content when it was renewed', async () => {
    const { code, report, codes } = await checked(trusting);
    expect([code, codes]).toEqual([
      1,
      ['alert-untried', 'certificate-expires-soon', 'certificate-expires-soon'],
    ]);
    expect(report?.findings.map(({ text }) => text)).toContain(
      'the certificate of 127.0.0.2 (node-a) expires in 10.0 days',
    );
    const renewed = authority.issue('renewed', { hosts });
    copyFileSync(renewed.keyFile, files.keyFile);
    copyFileSync(renewed.certFile, files.certFile);
    for (const node of rig.nodes)
      await expect.poll(() => node.log(), { timeout: 20_000 }).toContain('certificate reloaded');
    const after = await checked(trusting);
    expect([after.code, after.codes], after.said).toEqual([0, ['alert-untried']]);
    expect(after.report?.checked.redirects).toBe(1);
  });

  it('finds a certificate that is made for other names', async () => {
    const other = authority.issue('other', { hosts: ['127.0.0.2', 'edge.example.net'] });
    copyFileSync(other.keyFile, files.keyFile);
    copyFileSync(other.certFile, files.certFile);
    await expect
      .poll(async () => (await checked(trusting)).codes, { timeout: 30_000, interval: 1_000 })
      .toEqual(['alert-untried', 'certificate-name', 'redirect-refused']);
  });
});
