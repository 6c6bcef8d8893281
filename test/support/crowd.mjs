/**
 * A crowd of viewers in a process of its own: `node crowd.mjs <entry URL> <viewers>`. Each opens the stream and reloads
 * its media playlist every half second; when that fails it goes on to the next place that it knows, round and round.
 * Prints a line of JSON each second: how many were fed by each host, and how many were refused.
 */
const [entry, viewers] = process.argv.slice(2);
const reloadMs = 500;

let fed = new Map();
let refused = 0;

async function watch(number) {
  const headers = { 'user-agent': `Mozilla/5.0 crowd ${number}` };
  const playlist = await (await fetch(entry, { headers })).text();
  const places = playlist
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((uri) => new URL(uri, entry));
  for (let at = 0; ; ) {
    const place = places[at % places.length];
    try {
      const answer = await fetch(place, { headers, signal: AbortSignal.timeout(2_000) });
      await answer.arrayBuffer();
      if (answer.status === 200) fed.set(place.hostname, (fed.get(place.hostname) ?? 0) + 1);
      else {
        refused += 1;
        at += 1;
      }
    } catch {
      at += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, reloadMs));
  }
}

setInterval(() => {
  process.stdout.write(`${JSON.stringify({ fed: Object.fromEntries(fed), refused })}\n`);
  fed = new Map();
  refused = 0;
}, 1_000);
await Promise.all(Array.from({ length: Number(viewers) }, (_, number) => watch(number)));
