import { defer, EMPTY, Observable, tap, type SchedulerLike, type Subscription } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { steady } from '../../scheduling/clock.js';
import { takeToken, tokenWait } from '../model/backoff.js';
import { StatusError } from '../model/errors.js';
import { schedulerOf, wrappedClient, type KubeClient } from './kube-client.js';

/** Limits that apply to all requests of a client together. */
export interface RateLimitOptions {
  /**
   * Requests per second, as a long-term average over all requests of the client. A watch counts
   * once, when it is opened. Default: no limit. The default of client-go is 5, the default of
   * controller-runtime is 20. API servers with priority and fairness (on by default since
   * Kubernetes 1.20) protect themselves.
   */
  readonly qps?: number | undefined;
  /**
   * The number of requests that may be sent without delay after a time without requests, at least
   * 1. Default: twice `qps`. Without `qps`, it has no effect.
   */
  readonly burst?: number | undefined;
  /**
   * The longest time in milliseconds for which a `Retry-After` of a 429 or 503 holds back all
   * requests of the client. Default of `limitedClient`: 60,000. With 0, a `Retry-After` affects
   * only the request that received it. Without a limit, a proxy that requests a wait of a day by
   * mistake would stop the program for that day.
   */
  readonly maxRetryAfter?: number | undefined;
}

/** Options of `limitedClient`. */
export interface LimitedClientOptions extends RateLimitOptions {
  /**
   * The clock of the limit and of everything that uses the client. Default: the clock of `client`.
   */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Limits how fast a client sends requests, with a token bucket as in client-go (`qps`, `burst`).
 * After a 429 or 503 with `Retry-After`, the client holds back all requests for that time. Requests
 * in flight continue. A 429 for an eviction that a disruption budget forbids concerns only one pod,
 * so it does not hold back other requests.
 *
 * Requests wait in the order of their arrival. A request that is unsubscribed while it waits leaves
 * the queue. The time that a request waits does not count against the timeouts of `resourceClient`
 * and `listWatch`.
 *
 * **Guarantees**: at most `burst + qps × t` requests in any t seconds. No timer while nothing
 * waits.
 * **Does not guarantee**: that a request is sent again after a 429. The caller has to do that, as
 * the queue of a controller does.
 *
 * All users of the client share the limit. Use a separate client for leader election. Otherwise the
 * renewals of the lease wait behind other requests, and the lease may be lost.
 *
 * @param client the client to limit
 * @param options the rate, the burst, the longest `Retry-After` and the clock; see
 *   {@link LimitedClientOptions}
 * @returns a client with the same guarantees as `client`
 * @throws `RXI_INVALID_OPTION` for a `qps` that is not above 0, a `burst` below 1 or a negative
 *   `maxRetryAfter`
 * @example
 * import { fetchClient } from 'rx-informers';
 * import { limitedClient } from 'rx-informers/client';
 *
 * const client = limitedClient(fetchClient({ baseUrl: 'http://localhost:8001' }), {
 *   qps: 20,
 *   burst: 30,
 * });
 */
export function limitedClient(client: KubeClient, options: LimitedClientOptions = {}): KubeClient {
  const { qps = Infinity, burst = qps < Infinity ? Math.max(1, 2 * qps) : 1, maxRetryAfter = 60_000 } = options;
  if (!(qps > 0)) throw invalidOptionError('qps', qps, 'above 0 requests a second');
  if (!(burst >= 1)) throw invalidOptionError('burst', burst, 'at least 1 request');
  if (!(maxRetryAfter >= 0)) throw invalidOptionError('maxRetryAfter', maxRetryAfter, 'at least 0 ms');
  const scheduler = steady(schedulerOf(client, options));
  const rate = { interval: 1_000 / qps, burst };
  // The waiting requests, in the order in which they arrived.
  const waiting = new Set<() => void>();
  let fullAt = -Infinity;
  let pausedUntil = -Infinity;
  let alarm: Subscription | undefined;
  let isAdmitting = false;

  /**
   * Sends the requests that may be sent now, and sets the alarm for the next request. A request
   * that is made meanwhile, because a client responds synchronously, is appended to the loop.
   */
  function admit(): void {
    if (isAdmitting) return;
    isAdmitting = true;
    alarm?.unsubscribe();
    try {
      for (const send of waiting) {
        const now = scheduler.now();
        const wait = Math.max(pausedUntil - now, tokenWait(fullAt, now, rate));
        if (wait > 0) {
          alarm = scheduler.schedule(admit, wait);
          return;
        }
        waiting.delete(send);
        fullAt = takeToken(fullAt, now, rate);
        send();
      }
    } finally {
      isAdmitting = false;
    }
  }

  // The alarm may fire before `pausedUntil`. Then the alarm is set again.
  function holdBack(error: unknown): void {
    if (!asksAllToWait(error)) return;
    pausedUntil = Math.max(pausedUntil, scheduler.now() + Math.min(error.retryAfter ?? 0, maxRetryAfter));
  }

  return wrappedClient(
    client,
    (request) =>
      new Observable((subscriber) => {
        let isQueued = false;
        // `send` must not throw, because otherwise later requests would not be sent.
        const send = (): void => {
          defer(() => {
            if (isQueued) request.onQueued?.(false);
            return subscriber.closed ? EMPTY : client.exchange(request);
          })
            .pipe(tap({ error: holdBack }))
            .subscribe(subscriber);
        };
        subscriber.add(() => {
          waiting.delete(send);
          if (waiting.size === 0) alarm?.unsubscribe();
        });
        waiting.add(send);
        admit();
        if (!waiting.has(send)) return;
        isQueued = true;
        request.onQueued?.(true);
      }),
    options.scheduler,
  );
}

function asksAllToWait(error: unknown): error is StatusError {
  if (!(error instanceof StatusError) || (error.statusCode !== 429 && error.statusCode !== 503)) return false;
  return !error.status.details?.causes?.some(({ reason }) => reason === 'DisruptionBudget');
}

/** Returns a limited client if one of the options sets a limit, otherwise the same client. */
export function limitedIfConfigured(client: KubeClient, options: LimitedClientOptions): KubeClient {
  const { qps, burst, maxRetryAfter } = options;
  const isConfigured = qps !== undefined || burst !== undefined || maxRetryAfter !== undefined;
  return isConfigured ? limitedClient(client, options) : client;
}
