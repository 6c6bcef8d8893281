// A worker that serves nobody. What it does, the main process says in the place of the socket's path.
process.on('SIGTERM', () => {});
const send = (message) => process.send(message);
process.on('message', (message) => {
  if (message.kind === 'stop') process.disconnect();
  if (message.kind === 'replies') {
    const ids = message.replies.map(({ id }) => id);
    send({ kind: 'log', level: 'info', event: 'replied', fields: { ids } });
  }
  if (message.kind !== 'begin') return;
  const { socketPath: does, seq } = message.settings;
  if (does === 'fails') send({ kind: 'failed', cause: 'the port is taken' });
  if (does === 'fails') return;
  if (does === 'ends') process.exit(3);
  send({ kind: 'listening', port: 4711 });
  if (does === 'asks')
    send({ kind: 'asks', asks: [{ id: process.pid, target: '/', headers: {} }] });
  const settings = Object.keys(process.env).filter((name) => name.startsWith('UNDERSTUDY_'));
  send({ kind: 'log', level: 'info', event: 'begun', fields: { seq, settings } });
  const report = { seen: [], sent: [], answered: [] };
  if (does !== 'hangs') setInterval(() => send({ kind: 'report', report, activeS: 1 }), 20);
});
send({ kind: 'ready' });
