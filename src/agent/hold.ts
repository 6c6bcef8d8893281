import {
  neverOffered,
  type Settling,
  type StreamSight,
  settle,
  settledAir,
} from '../core/stream/settling.ts';
import type { AirState } from '../core/stream/stream.ts';
import type { MonoMs } from '../core/time.ts';

/** Keeps one protocol of a stream off air for a while after it has come back. */
export class Hold {
  #settling: Settling = neverOffered;

  /** The state that is told. */
  air(sight: StreamSight, at: MonoMs): AirState {
    this.#settling = settle(this.#settling, sight, at);
    return settledAir(this.#settling, sight.air);
  }

  /** The stream begins anew because somebody wants it so: that is no trouble. */
  forget(): void {
    this.#settling = neverOffered;
  }
}
