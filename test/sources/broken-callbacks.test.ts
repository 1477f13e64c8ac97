import { informer, listWatch, mergeSources, type ListWatchOptions, type RxInformersError } from 'rx-informers';
import { exponentialBackoff, type ListWatchMetrics, type SourceSet } from 'rx-informers/client';
import { overlay } from 'rx-informers/controller';
import type { WatchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import {
  asyncScheduler,
  BehaviorSubject,
  defer,
  NEVER,
  of,
  startWith,
  takeUntil,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { unexpectedSourceError } from '../../src/sources/model/errors.js';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { list, open, paged, refused } from './support/run-list-watch.js';
import { refuse, scriptedClient, statusError } from './support/scripted-client.js';
import { describeEvent } from './support/timeline.js';

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

const listed = (...items: readonly Pod[]): Observable<WatchEvent<Pod>> =>
  NEVER.pipe(startWith({ type: 'LISTED' as const, items, resourceVersion: '1' }));

function follow(options: ListWatchOptions<Pod>, retryAfter?: number, until = 600_000) {
  const client = scriptedClient([
    refuse(retryAfter === undefined ? refused : statusError(429, {}, retryAfter)),
    list('10'),
    open,
  ]);
  const requestedAt: number[] = [];
  const errors: string[] = [];
  const data: string[] = [];
  informerTest(
    ({ flush }) => {
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
    },
    { until: Infinity },
  );
  return { requestedAt, errors, data };
}

describe('G5: a callback that throws never stops a source', () => {
  it.each<[string, ListWatchOptions<Pod>]>([
    ['backoff', { backoff: broken }],
    ['random', { random: broken }],
    ['metrics.listStarted', { metrics }],
    ['metrics.watchOpened', { metrics }],
    ['metrics.resourceVersion', { metrics }],
  ])('%s: the error names it, and the source continues', (name, options) => {
    const { errors, data } = follow(options);
    expect(errors).toContain(`${name} threw; the default was used instead: a bug of the caller`);
    expect(data).toEqual(['LISTED 10(a@1)']);
  });

  it('one metrics hook that throws does not prevent the others from being called', () => {
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(name);
    follow({
      metrics: {
        listStarted: note('listStarted'),
        listFinished: broken,
        watchOpened: note('watchOpened'),
        watchEnded: note('watchEnded'),
        resourceVersion: broken,
      },
    });
    expect(calls.slice(0, 4)).toEqual(['listStarted', 'listStarted', 'watchOpened', 'watchEnded']);
  });

  it.each([NaN, -1, 7, Infinity])('a source whose random returns %p gives up a watch that falls silent', (number) => {
    const silent = { watchTimeout: [60, 120] as const, grace: 1_000, random: () => number };
    const { requestedAt } = follow(silent);
    expect(requestedAt.length).toBeGreaterThan(3);
  });

  it('a scheduler that throws ends the source with its error, so it can be subscribed to again', () => {
    const errors: string[] = [];
    informerTest(({ flush, scheduler }) => {
      let isBroken = false;
      const faulty: SchedulerLike = {
        now: () => (isBroken ? broken() : scheduler.now()),
        schedule: (work, delay, state) =>
          scheduler.schedule(work as Parameters<SchedulerLike['schedule']>[0], delay, state),
      };
      listWatch(scriptedClient([list('10'), open]), pods, { ...paged, scheduler: faulty }).subscribe({
        next: (batch) => (isBroken ||= batch.some(({ type }) => type === 'LISTED')),
        error: (error: Error) => errors.push(error.message),
      });
      flush();
    });
    expect(errors).toEqual(['a bug of the caller']);
  });

  it('uses the default wait if backoff throws', () => {
    const { requestedAt } = follow({ backoff: broken });
    expect(requestedAt[1]! - requestedAt[0]!).toBe(1 + exponentialBackoff()(1, 0));
  });

  it('an informer whose relistBackoff throws reports it, and subscribes to its source again', () => {
    const errors: string[] = [];
    let subscriptions = 0;
    informerTest(({ flush }) => {
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
    expect(errors).toContain('relistBackoff threw; the default was used instead: a bug of the caller');
    expect(subscriptions).toBeGreaterThan(1);
  });

  it.each([
    ['relistBackoff', { relistBackoff: broken }],
    ['random', { random: broken }],
  ])('an informer calls a failed index function again though %s throws', (name, options) => {
    const errors: string[] = [];
    const indexed: unknown[] = [];
    let failures = 2;
    informerTest(({ flush }) => {
      const indexers = { node: () => (failures-- > 0 ? broken() : ['worker']) };
      const informed = informer(listed(podOf('a@1')), { ...options, indexers, scheduler: asyncScheduler });
      informed.errors$.subscribe(({ message }) => errors.push(message));
      const connection = informed.connect();
      timer(60_000).subscribe(() => {
        indexed.push(...informed.byIndex('node', 'worker').map(({ metadata }) => metadata.name));
        connection.unsubscribe();
      });
      flush();
    });
    expect(errors.filter((message) => message.startsWith(`${name} threw`))).toHaveLength(2);
    expect(indexed).toEqual(['a']);
  });

  it.each([
    ['the source failed', () => throwError(() => new Error('gone'))],
    ['an index function failed', () => listed(podOf('a@1'))],
  ])('stop() in response to a relistBackoff that threw after %s is final', (_, makeSource) => {
    let subscriptions = 0;
    informerTest(({ flush }) => {
      // Without a bound, virtual time might never end.
      const source = defer(() => ((subscriptions += 1) > 5 ? NEVER : makeSource()));
      const informed = informer(source, {
        relistBackoff: broken,
        indexers: { node: broken },
        scheduler: asyncScheduler,
      });
      informed.errors$.subscribe(({ message }) => {
        if (message.startsWith('relistBackoff')) informed.stop();
      });
      informed.connect();
      flush();
      expect(informed.status).toEqual({ state: 'stopped' });
    });
    expect(subscriptions).toBe(1);
  });

  it('an informer whose keyOf throws for one object reports it, and contains the others', () => {
    const errors: string[] = [];
    let stored: readonly string[] = [];
    informerTest(({ flush }) => {
      const keyOf = (pod: Pod): string => (pod.metadata.name === 'a' ? broken() : pod.metadata.name);
      const informed = informer(listed(podOf('a@1'), podOf('b@1')), { keyOf, scheduler: asyncScheduler });
      informed.errors$.subscribe((error) => errors.push(error.code));
      const connection = informed.connect();
      timer(1_000).subscribe(() => {
        stored = [...informed.snapshot.keys()];
        connection.unsubscribe();
      });
      flush();
    });
    expect(errors).toContain('RXI_KEY');
    expect(stored).toEqual(['b']);
  });

  it('overlay.show throws what accepts or transform throws, and a later write is shown', () => {
    const seen: string[] = [];
    let isBroken = true;
    const callback = <R>(result: R): R => (isBroken ? broken() : result);
    const source = overlay(listed(podOf('a@1')), { accepts: () => callback(true) });
    const transforming = overlay(listed(podOf('a@1')), { transform: callback });
    for (const each of [source, transforming]) {
      const subscription = each.subscribe((batch) => seen.push(...batch.map(describeEvent)));
      isBroken = true;
      expect(() => each.show(podOf('a@2'))).toThrow('a bug of the caller');
      isBroken = false;
      each.show(podOf('a@2'));
      subscription.unsubscribe();
    }
    expect(seen.filter((text) => text === 'MODIFIED(a@2)')).toHaveLength(2);
  });

  it.each<[string, () => SourceSet<Pod>]>([
    ['null', () => null as unknown as SourceSet<Pod>],
    ['a set whose getter throws', () => Object.defineProperty({}, 'a', { enumerable: true, get: broken })],
    ['a member that is not a source', () => ({ a: 7 as unknown as SourceSet<Pod>[string] })],
  ])('mergeSources errors if its sets emit %s, so it can be subscribed to again', (_, badSet) => {
    const errors: unknown[] = [];
    const sets = new BehaviorSubject<SourceSet<Pod>>({});
    mergeSources(sets).subscribe({ error: (error: unknown) => errors.push(error) });
    sets.next(badSet());
    expect(errors).toHaveLength(1);
    expect(sets.observed).toBe(false);
  });

  it('mergeSources reports the errors of a batch that also makes it fail', () => {
    const seen: string[] = [];
    const failure: WatchEvent<Pod> = { type: 'ERROR', error: unexpectedSourceError(new Error('first')) };
    const outer = of([{ type: 'LISTED' as const, items: [], resourceVersion: '1', partition: 'x' }]);
    const inner = of([failure, { type: 'LISTED' as const, items: [], resourceVersion: '1' }]);
    mergeSources<Pod>({ a: outer, 'a/x': inner }).subscribe({
      next: (batch) => seen.push(...batch.map(describeEvent)),
      error: (error: RxInformersError) => seen.push(error.code),
    });
    expect(seen).toEqual(['a/x:ERROR RXI_UNEXPECTED_SOURCE', 'RXI_INVALID_OPTION']);
  });
});

describe('Retry-After', () => {
  it.each([
    ['is honoured up to five minutes', 200_000, 200_000],
    ['of a month means five minutes, not 0 ms', 31 * 24 * 3_600_000, 300_000],
    ['of Infinity means five minutes', Infinity, 300_000],
    ['of NaN is ignored', NaN, 800],
    ['below 0 is ignored', -5, 800],
  ])('a Retry-After header %s', (_, retryAfter, wait) => {
    const { requestedAt } = follow({}, retryAfter);
    expect(requestedAt.slice(0, 2)).toEqual([0, 1 + wait]);
  });

  it('is honoured for as long as `maxRetryAfter` allows, also longer than the longest timer', () => {
    const month = 31 * 24 * 3_600_000;
    const { requestedAt } = follow({ maxRetryAfter: 2 * month }, month, 2 * month);
    expect(requestedAt.slice(0, 2)).toEqual([0, 1 + month]);
  });
});
