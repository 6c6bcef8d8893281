// An origin for many streams: /{any}/index.m3u8 is the demo's test channel; /{1|4}mb/ lists segments of that size.
import { createServer } from 'node:http';
import { createTestChannel, loadClip } from '../../../dist/demo/test-channel.js';

const channel = createTestChannel(loadClip());
/** Segments of a size stay listed, so that one of them can be asked for for as long as it takes. */
const still = channel.mediaPlaylist(Date.now());
const types = { m3u8: 'application/vnd.apple.mpegurl', ts: 'video/mp2t' };
const large = { '1mb': Buffer.alloc(2 ** 20, 71), '4mb': Buffer.alloc(4 * 2 ** 20, 71) };
/** Segments last written, by number: all streams have the same. */
const written = new Map();

function segment(number) {
  if (!written.has(number)) written.set(number, channel.segment(number, Date.now()));
  if (written.size > 64) written.delete(written.keys().next().value);
  return written.get(number);
}

function bodyOf(folder, name) {
  if (name === 'index.m3u8') return channel.multivariantPlaylist();
  const ofSize = large[folder];
  if (name === 'video.m3u8') return ofSize ? still : channel.mediaPlaylist(Date.now());
  return ofSize ?? segment(Number.parseInt(name, 10));
}

createServer({ keepAliveTimeout: 60_000 }, ({ url }, outgoing) => {
  const [, folder, name = ''] = url.split('/');
  const body = bodyOf(folder, name);
  if (body === undefined) return outgoing.writeHead(404).end();
  const type = types[name.split('.')[1]];
  outgoing.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('listening'));
