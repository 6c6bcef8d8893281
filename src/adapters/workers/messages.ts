import type { Ask, Reply, Report, Word } from '../../agent/worker-ports.ts';

/** What a worker needs to serve. No secret is in it. */
export type WorkerSettings = {
  /** Number of the last word before it began. */
  readonly seq: number;
  /** Where the main process answers. */
  readonly socketPath: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Memory for what is repeated, bytes. */
  readonly bytesMax: number;
  readonly isBehindProxy: boolean;
};

export type ToWorker =
  | { readonly kind: 'begin'; readonly settings: WorkerSettings }
  /** `taken`: reports taken in so far; `sentAtMs` by the clock that both share. */
  | {
      readonly kind: 'word';
      readonly word: Word;
      readonly taken: number;
      readonly sentAtMs: number;
    }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
  | { readonly kind: 'stop' };

export type FromWorker =
  /** It hears: what was sent to it before is lost. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** It cannot listen. */
  | { readonly kind: 'failed'; readonly cause: string }
  | { readonly kind: 'asks'; readonly asks: readonly Ask[] }
  /** `activeS`: how long its thread has worked since it began. */
  | { readonly kind: 'report'; readonly report: Report; readonly activeS: number }
  /** Its certificate runs out then, Unix ms. */
  | { readonly kind: 'expiry'; readonly at: number }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly event: string;
      readonly fields?: object | undefined;
    };
