import type { SchedulerLike } from 'rxjs';

export interface SignInLimitOptions {
  readonly scheduler: SchedulerLike;
  /** The number of failed attempts of an address within `period`; default: 20. */
  readonly attempts?: number;
  /** Milliseconds; default: one minute. */
  readonly period?: number;
  /** The number of addresses that are counted; default: 10,000. */
  readonly addresses?: number;
}

/**
 * Limits how often an address may fail to sign in. The limit protects the API server from load;
 * tokens are too long to be guessed.
 *
 * An attempt counts as failed from its start, so attempts at the same time do not bypass the limit.
 * A successful attempt is taken back. If too many addresses are counted, the address whose attempts
 * began first is no longer counted.
 */
export class SignInLimit {
  readonly #counts = new Map<string, { readonly since: number; failed: number }>();
  readonly #attempts: number;
  readonly #period: number;
  readonly #addresses: number;

  constructor(private readonly options: SignInLimitOptions) {
    ({ attempts: this.#attempts = 20, period: this.#period = 60_000, addresses: this.#addresses = 10_000 } = options);
  }

  /**
   * Records an attempt.
   *
   * @returns a function that takes the attempt back; `undefined` if the address must wait
   */
  begin(address: string): (() => void) | undefined {
    const now = this.options.scheduler.now();
    let count = this.#counts.get(address);
    if (count === undefined || now - count.since >= this.#period) {
      this.#counts.delete(address);
      count = { since: now, failed: 0 };
      this.#counts.set(address, count);
      const [oldest] = this.#counts.keys();
      if (this.#counts.size > this.#addresses && oldest !== undefined) this.#counts.delete(oldest);
    }
    if (count.failed >= this.#attempts) return undefined;
    const counted = count;
    counted.failed += 1;
    return () => {
      counted.failed -= 1;
    };
  }

  /** The seconds after which an address may try again. */
  get retryAfter(): number {
    return Math.ceil(this.#period / 1000);
  }
}
