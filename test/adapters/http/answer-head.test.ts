import { describe, expect, it } from 'vitest';
import { createAnswerHead } from '../../../src/adapters/http/answer-head.ts';

const contentType = 'application/vnd.apple.mpegurl';
const shown = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

describe('the head of a playlist that many viewers get', () => {
  it('is told for each reason, with the bytes as they are', () => {
    const headOf = createAnswerHead([]);
    // Not even UTF-8.
    const body = Uint8Array.from({ length: 256 }, (_, at) => at);
    for (const reason of ['own-viewer', 'backup-viewer', 'backup-viewer', 'own-viewer'] as const) {
      const head = headOf({ kind: 'playlist', body, contentType, reason });
      expect(shown(head.headers, 'x-understudy-reason')).toBe(reason);
      expect(shown(head.headers, 'content-length')).toBe('256');
      expect(head.body).toBe(body);
    }
  });

  it('says what is missing only where something is', () => {
    const headOf = createAnswerHead([]);
    const body = new Uint8Array(1);
    const of = (missingS: number | undefined) =>
      headOf({ kind: 'playlist', body, contentType, reason: 'own-viewer', missingS }).headers;
    expect(of(undefined)).not.toContain('x-understudy-missing-seconds');
    expect(shown(of(12), 'x-understudy-missing-seconds')).toBe('12');
    expect(of(undefined)).not.toContain('x-understudy-missing-seconds');
  });
});
