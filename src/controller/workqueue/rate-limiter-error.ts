import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { messageOf } from '../../kubernetes/message-of.js';

/** A run failed, and the rate limiter failed to say when to try again (it threw, or gave no finite number). It is tried again after 1 s. */
export class RateLimiterError extends RxInformersError {
  static override readonly code = 'RXI_RATE_LIMITER';
  override readonly name = 'RateLimiterError';
  constructor(
    readonly key: string,
    /** What the run failed with. */
    readonly failure: unknown,
    override readonly cause: unknown,
  ) {
    super(`the rate limiter failed for ${key}: ${messageOf(cause)}; its run had failed: ${messageOf(failure)}`, {
      cause,
    });
  }
}
