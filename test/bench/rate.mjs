/** `node rate.mjs URL PER_SECOND SECONDS`: so many requests each second, over 64 kept connections, spread over each second. */
import { connect } from 'node:net';

const [url, perSecond, seconds] = process.argv.slice(2);
const { hostname, port, pathname, search, host } = new URL(url);
const agent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0';
const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${agent}\r\n\r\n`;
let answers = 0;
const sockets = Array.from({ length: 64 }, () => {
  const socket = connect(Number(port), hostname);
  socket.on('data', (chunk) => {
    answers += chunk.toString('latin1').split('HTTP/1.1 200').length - 1;
  });
  return socket;
});
const from = performance.now();
let sent = 0;
const timer = setInterval(() => {
  const passedS = (performance.now() - from) / 1000;
  for (; sent < passedS * Number(perSecond); sent += 1)
    sockets[sent % sockets.length].write(request);
  if (passedS < Number(seconds)) return;
  clearInterval(timer);
  setTimeout(() => {
    console.log(JSON.stringify({ sent, answers }));
    for (const socket of sockets) socket.destroy();
  }, 500);
}, 2);
