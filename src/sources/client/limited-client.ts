import { defer, EMPTY, Observable, tap, type SchedulerLike, type Subscription } from 'rxjs';
import { steady } from '../../time/clock.js';
import { takeToken, tokenWait } from '../model/backoff.js';
import { InvalidOptionError, StatusError } from '../model/errors.js';
import { schedulerOf, type KubeClient, type KubeRequest } from './kube-client.js';

/** Limits of a client as a whole. */
export interface RateLimitOptions {
  /**
   * Requests per second, as a long-term average over all requests of the client. A watch counts once, when it
   * is opened. Default: no limit. client-go's default is 5, controller-runtime's is 20. API servers with
   * priority and fairness (on by default since Kubernetes 1.20) protect themselves.
   */
  readonly qps?: number | undefined;
  /**
   * The number of requests that may be sent at once after a quiet time, at least 1. Default: twice
   * `qps`. Without `qps`, it has no effect.
   */
  readonly burst?: number | undefined;
  /**
   * The longest time in milliseconds for which a `Retry-After` of a 429 or 503 holds back all requests of the
   * client. Default of `limitedClient`: 60,000. With 0, such an answer concerns only the request that it answers.
   * A higher value lets a proxy that asks for a day stop the program for a day.
   */
  readonly maxRetryAfter?: number | undefined;
}

/** Options of `limitedClient`. */
export interface LimitedClientOptions extends RateLimitOptions {
  /** The clock of the limit and of everything that uses the client. Default: the clock of `client`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Limits how fast a client sends requests, with a token bucket as client-go has it (`qps`, `burst`), and holds all
 * of them back for as long as the API server asks for with a 429 or 503 (`Retry-After`). Requests in flight go on.
 * The 429 of an eviction that a disruption budget forbids concerns one pod, and holds nothing else back.
 *
 * Requests wait in the order in which they came. One that is unsubscribed from while it waits leaves its place
 * to the next. The time that a request waits does not count against the timeouts of `resourceClient` and
 * `listWatch`.
 *
 * **Guarantees**: at most `burst + qps × t` requests in any t seconds. No timer while nothing waits.
 * **Does not guarantee**: that a request which was answered with 429 is sent again. Its caller does that, as the
 * queue of a controller does.
 *
 * Everything that uses the client shares the limit. Give leader election a client of its own: otherwise, its
 * renewals wait behind other requests, and the lease is lost.
 *
 * @throws InvalidOptionError for a `qps` that is not above 0, a `burst` below 1 or a negative `maxRetryAfter`
 * @example
 * import { fetchClient, limitedClient } from 'rx-informers';
 *
 * const client = limitedClient(fetchClient({ baseUrl: 'http://localhost:8001' }), { qps: 20, burst: 30 });
 */
export function limitedClient(client: KubeClient, options: LimitedClientOptions = {}): KubeClient {
  const { qps = Infinity, burst = qps < Infinity ? Math.max(1, 2 * qps) : 1, maxRetryAfter = 60_000 } = options;
  if (!(qps > 0)) throw new InvalidOptionError('qps', qps, 'more than 0 requests a second');
  if (!(burst >= 1)) throw new InvalidOptionError('burst', burst, 'at least 1 request');
  if (!(maxRetryAfter >= 0)) throw new InvalidOptionError('maxRetryAfter', maxRetryAfter, '0 or more milliseconds');
  const scheduler = steady(schedulerOf(client, options));
  const rate = { interval: 1_000 / qps, burst };
  // Requests in the order in which they arrived.
  const waiting = new Set<() => void>();
  let fullAt = -Infinity;
  let heldUntil = -Infinity;
  let alarm: Subscription | undefined;
  let isAdmitting = false;

  /**
   * Sends the requests whose turn it is, and sets the alarm for the next one. A request that is made meanwhile (a
   * client that answers synchronously) joins the end of the loop.
   */
  function admit(): void {
    if (isAdmitting) return;
    isAdmitting = true;
    alarm?.unsubscribe();
    try {
      for (const send of waiting) {
        const now = scheduler.now();
        const wait = Math.max(heldUntil - now, tokenWait(fullAt, now, rate));
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

  // The alarm that is set may ring before the hold is over. Then it is set again.
  function holdBack(error: unknown): void {
    if (!asksAllToWait(error)) return;
    heldUntil = Math.max(heldUntil, scheduler.now() + Math.min(error.retryAfter ?? 0, maxRetryAfter));
  }

  return {
    scheduler: options.scheduler ?? client.scheduler,
    random: client.random,
    exchange: (request: KubeRequest) =>
      new Observable((subscriber) => {
        let isQueued = false;
        // It must not throw: that would end the turn of those behind it.
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
  };
}

function asksAllToWait(error: unknown): error is StatusError {
  if (!(error instanceof StatusError) || (error.statusCode !== 429 && error.statusCode !== 503)) return false;
  return !error.status.details?.causes?.some(({ reason }) => reason === 'DisruptionBudget');
}

/** Returns the client as it is unless one of the options asks for a limit. */
export function limitedIfAsked(client: KubeClient, options: LimitedClientOptions): KubeClient {
  const { qps, burst, maxRetryAfter } = options;
  const isAsked = qps !== undefined || burst !== undefined || maxRetryAfter !== undefined;
  return isAsked ? limitedClient(client, options) : client;
}
