import { asyncScheduler, takeUntil, throwError, timer } from 'rxjs';
import { exponentialBackoff, informer, listWatch, type ListWatchMetrics, type ListWatchOptions } from 'rx-informers';
import { pods, type Pod } from './support/pod.js';
import { list, open, paged, refused } from './support/run-list-watch.js';
import { refuse, scriptedClient, statusError } from './support/scripted-client.js';
import { describeEvent, inVirtualTime } from './support/timeline.js';

const broken = (): never => {
  throw new Error('a bug of the caller');
};
const metrics: ListWatchMetrics = {
  listStarted: broken,
  listFinished: broken,
  watchOpened: broken,
  watchEnded: broken,
  resourceVersion: broken,
};

function follow(options: ListWatchOptions<Pod>, retryAfter?: number, until = 600_000) {
  const client = scriptedClient([
    refuse(retryAfter === undefined ? refused : statusError(429, {}, retryAfter)),
    list('10'),
    open,
  ]);
  const requestedAt: number[] = [];
  const errors: string[] = [];
  const data: string[] = [];
  inVirtualTime(({ flush }) => {
    const counted = {
      exchange: (request: Parameters<typeof client.exchange>[0]) => {
        requestedAt.push(asyncScheduler.now());
        return client.exchange(request);
      },
    };
    listWatch(counted, pods, { ...paged, ...options })
      .pipe(takeUntil(timer(until)))
      .subscribe((batch) => {
        for (const event of batch) {
          if (event.type === 'ERROR') errors.push(event.error.message);
          else if (event.type === 'LISTED') data.push(describeEvent(event));
        }
      });
    flush();
  });
  return { requestedAt, errors, data };
}

describe('G5: a callback that throws never stops a source', () => {
  it.each<[string, ListWatchOptions<Pod>]>([
    ['backoff', { backoff: broken }],
    ['random', { random: broken }],
    ['a metrics hook', { metrics }],
  ])('%s: the error is reported, and the source goes on', (_, options) => {
    const { errors, data } = follow(options);
    expect(errors).toContain('the source failed: a bug of the caller');
    expect(data).toEqual(['LISTED 10(a@1)']);
  });

  it('waits as by default if backoff throws', () => {
    const { requestedAt } = follow({ backoff: broken });
    expect(requestedAt[1]! - requestedAt[0]!).toBe(1 + exponentialBackoff()(1, 0));
  });

  it('an informer whose relistBackoff throws reports it, and subscribes to its source again', () => {
    const errors: string[] = [];
    let subscriptions = 0;
    inVirtualTime(({ flush }) => {
      const source = throwError(() => {
        subscriptions += 1;
        return new Error('gone');
      });
      const informed = informer(source, { relistBackoff: broken, scheduler: asyncScheduler });
      informed.errors$.subscribe(({ message }) => errors.push(message));
      const connection = informed.connect();
      timer(10_000).subscribe(() => connection.unsubscribe());
      flush();
    });
    expect(errors).toContain('the source failed: a bug of the caller');
    expect(subscriptions).toBeGreaterThan(1);
  });
});

describe('Retry-After', () => {
  it.each([
    ['is honoured up to five minutes', 200_000, 200_000],
    ['of a month waits five minutes, not 0 ms', 31 * 24 * 3_600_000, 300_000],
    ['of Infinity waits five minutes', Infinity, 300_000],
    ['of NaN is none', NaN, 800],
    ['below 0 is none', -5, 800],
  ])('%s', (_, retryAfter, wait) => {
    const { requestedAt } = follow({}, retryAfter);
    expect(requestedAt.slice(0, 2)).toEqual([0, 1 + wait]);
  });

  it('is honoured as long as `maxRetryAfter` says, also longer than a timer can wait', () => {
    const month = 31 * 24 * 3_600_000;
    const { requestedAt } = follow({ maxRetryAfter: 2 * month }, month, 2 * month);
    expect(requestedAt.slice(0, 2)).toEqual([0, 1 + month]);
  });
});
