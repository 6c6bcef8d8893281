import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';

/**
 * Ports of 127.0.0.1 that were free a moment ago, all different: each of `wanted`, or any other when
 * that one is taken. All are held until the last is found.
 */
export async function findFreePorts(wanted: readonly number[]): Promise<readonly number[]> {
  const held: Server[] = [];
  try {
    for (const port of wanted) held.push((await hold(port)) ?? (await holdAny()));
    return held.map((server) => (server.address() as AddressInfo).port);
  } finally {
    for (const server of held) server.close();
  }
}

/** Undefined when the port cannot be had. */
function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function holdAny(): Promise<Server> {
  const server = await hold(0);
  if (server === undefined) throw new Error('no free port on 127.0.0.1');
  return server;
}
