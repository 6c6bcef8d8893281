import http from 'node:http';
import https from 'node:https';

/** Largest answer that is read, bytes. */
const answerBytesMax = 8 * 1024 * 1024;
/** From the first packet to the last byte, ms. */
const deadlineMs = 10_000;

/** What a server answered, or in words why it did not; no URL and no header in them. */
export type JsonAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly value: unknown }
  | { readonly kind: 'fault'; readonly cause: string };

/** Asks for JSON; redirects are not followed. Never rejects. */
export async function getJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<JsonAnswer> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const { status, text } = await get(url, headers, signal);
    if (status === 404) return { kind: 'answer', status, value: undefined };
    if (status !== 200) return { kind: 'fault', cause: `status ${status}` };
    return { kind: 'answer', status, value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'fault', cause: signal.aborted ? 'no answer in time' : causeOf(error) };
  }
}

function get(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent: false, signal, headers: { accept: 'application/json', ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        let size = 0;
        response.on('data', (part: Buffer) => {
          size += part.length;
          parts.push(part);
          if (size > answerBytesMax) sent.destroy(new Error('answer too large'));
        });
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: response.statusCode ?? 0, text });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

function causeOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'not JSON';
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error ? String(error.code) : error.message;
}
