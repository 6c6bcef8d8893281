// The yardstick: Node's own server, client and pipeline, which pass a body on from the origin and decide nothing.
import { Agent, createServer, request } from 'node:http';
import { pipeline } from 'node:stream';

const agent = new Agent({ keepAlive: true });
const options = { host: '127.0.0.1', port: Number(process.env.ORIGIN_PORT), agent };
const server = createServer(({ url }, outgoing) => {
  const asked = request({ ...options, path: url.replace('/origin', '') }, (answer) => {
    outgoing.writeHead(200, { 'content-length': answer.headers['content-length'] });
    pipeline(answer, outgoing, () => undefined);
  });
  asked.end();
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
