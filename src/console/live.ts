/** How the connection is: `refused` waits for another token, `busy` until the node listens to this address again. */
export type Connection = 'waiting' | 'live' | 'lost' | 'refused' | 'busy';

/** Waits between attempts, ms. */
const retryMs = 2_000;
/** After too many wrong tokens from this address the node does not listen to it for so long, ms. */
const busyMs = 60_000;
/** A node that says nothing for this long is not there any more: it gives a sign of life every 15 s. */
const silentMsMax = 20_000;

/**
 * Follows the node's events until `stop` is aborted, and connects again whenever that breaks off. The token goes in a
 * header, which is why this is not an EventSource.
 */
export async function follow(options: {
  readonly token: string;
  readonly stop: AbortSignal;
  readonly onEvent: (event: string, data: string) => void;
  readonly onConnection: (connection: Connection) => void;
}): Promise<void> {
  const { stop, onConnection } = options;
  while (!stop.aborted) {
    const outcome = await followOnce(options).catch((): Connection => 'lost');
    if (stop.aborted) return;
    onConnection(outcome);
    if (outcome === 'refused') return;
    await new Promise((resolve) => setTimeout(resolve, outcome === 'busy' ? busyMs : retryMs));
  }
}

async function followOnce({
  token,
  stop,
  onEvent,
  onConnection,
}: Parameters<typeof follow>[0]): Promise<Connection> {
  const silence = new AbortController();
  const watchdog = setInterval(() => {
    if (performance.now() - heardAt > silentMsMax) silence.abort();
  }, 1_000);
  let heardAt = performance.now();
  try {
    const response = await fetch('api/v1/live', {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([stop, silence.signal]),
    });
    if (response.status === 401) return 'refused';
    if (response.status === 429) return 'busy';
    if (!response.ok || response.body === null) return 'lost';
    onConnection('live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      // An answer that ended in order is asked for again at once.
      if (done) return 'waiting';
      heardAt = performance.now();
      const messages = (text + value).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) tell(message, onEvent);
    }
  } finally {
    clearInterval(watchdog);
  }
}

/** One event, as the node writes it: a line with its name, a line with its value. */
function tell(message: string, onEvent: (event: string, data: string) => void): void {
  const field = (name: string) =>
    message
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const event = field('event');
  const data = field('data');
  if (event !== undefined && data !== undefined) onEvent(event, data);
}
