import {
  allObjects,
  informer,
  type Informer,
  type InformerOptions,
  type Source,
  type SourceStatus,
} from 'rx-informers';
import type { WatchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, map, NEVER, of, Subject, throwError } from 'rxjs';
import { unexpectedSourceError } from '../../src/sources/model/errors.js';
import { a1, b1, byNode, type Pod } from '../fixtures/pods.js';
import { events as podEvents } from '../fixtures/watch-events.js';
import { errorWith } from '../support/error-with.js';
import { textOfAll } from './support/text.js';

const failure = unexpectedSourceError('in band');
const events: Readonly<Record<string, WatchEvent<Pod>>> = {
  ...podEvents,
  l: { type: 'STATUS', status: { state: 'listing', by: 'stream', received: 7 } },
  w: { type: 'STATUS', status: { state: 'watching', since: 1, resourceVersion: '1' } },
  r: { type: 'STATUS', status: { state: 'reconnecting' } },
  X: { type: 'ERROR', error: failure },
};

const objects = { a: a1, b: b1 };

const podInformer = (source: Source<Pod>, options: InformerOptions<Pod, 'node'> = {}): Informer<Pod, 'node'> =>
  informer(source, {
    linger: 0,
    onUnobservedError: () => undefined,
    indexers: { node: byNode },
    relistBackoff: () => 10,
    ...options,
  });

describe('linger', () => {
  it('keeps the source for its duration after the last subscriber has unsubscribed', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('--L(ab)');
      const pods = podInformer(traffic, { linger: 5 });
      expectQuery(pods, allObjects(), '^---!').toBe('--(ab)');
      expectSubscriptions(traffic.subscriptions).toBe('^--------!');
    });
  });

  it('emits the state at once to a subscriber that returns in time, from the same subscription', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('--L(ab)');
      const pods = podInformer(traffic, { linger: 5 });
      expectQuery(pods, allObjects(), '^---!').toBe('       --(ab)');
      expectQuery(pods, allObjects(), '-------^--!').toBe('-------(ab)');
      expectSubscriptions(traffic.subscriptions).toBe('       ^--------------!');
    });
  });

  it('starts again after each last subscriber', () => {
    informerTest(objects, ({ source, expectObjects, expectSubscriptions }) => {
      const traffic = source('--L(ab)');
      const pods = podInformer(traffic, { linger: 3 });
      expectObjects(pods.get$('c'), '^!').toBe('     -');
      expectObjects(pods.get$('c'), '---^!').toBe('  ---()');
      expectObjects(pods.get$('c'), '-----^!').toBe('-----()');
      expectSubscriptions(traffic.subscriptions).toBe('^--------!');
    });
  });

  it('ends at once when the informer is stopped', () => {
    informerTest(objects, ({ source, expectQuery, expectStatus, expectSubscriptions, scheduler }) => {
      const traffic = source('--L(ab)');
      const pods = podInformer(traffic, { linger: 5 });
      expectQuery(pods, allObjects(), '^---!').toBe('--(ab)');
      expectStatus(pods).toBe('l-w---s');
      scheduler.schedule(() => pods.stop(), 6);
      expectSubscriptions(traffic.subscriptions).toBe('^-----!');
    });
  });

  it.each([-1, Number.NaN, Infinity])('refuses %d ms: no timer can wait that long', (linger) => {
    expect(() => podInformer(NEVER, { linger })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});

describe('connect', () => {
  it('runs the informer without a subscriber, until it is disconnected', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    expect(source.observed).toBe(false);
    const connection = pods.connect();
    expect([source.observed, pods.isRunning]).toEqual([true, true]);
    source.next(events['L'] as WatchEvent<Pod>);
    expect(pods.list()).toEqual([a1, b1]);
    connection.unsubscribe();
    expect([source.observed, pods.isRunning, pods.list()]).toEqual([false, false, []]);
  });

  it('counts each connection; disconnecting twice counts once', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const [one, two] = [pods.connect(), pods.connect()];
    one.unsubscribe();
    one.unsubscribe();
    expect(source.observed).toBe(true);
    two.unsubscribe();
    expect(source.observed).toBe(false);
  });

  it('keeps the content of a completed source for late subscribers', () => {
    const pods = podInformer(of(events['L'] as WatchEvent<Pod>));
    const connection = pods.connect();
    const seen: string[] = [];
    pods.list$().subscribe({ next: (list) => seen.push(textOfAll(list)), complete: () => seen.push('complete') });
    expect(seen).toEqual(['a@1 b@1', 'complete']);
    expect(pods.status).toEqual({ state: 'stopped' });
    connection.unsubscribe();
    expect(pods.list()).toEqual([]);
  });
});

describe('stop', () => {
  it('completes every stream, unsubscribes from the source, empties the cache and closes every connection', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const connection = pods.connect();
    const completed: string[] = [];
    pods.list$().subscribe({ complete: () => completed.push('list$') });
    pods.get$('a').subscribe({ complete: () => completed.push('get$') });
    pods.index$('node', { ...a1, spec: {} }).subscribe({ complete: () => completed.push('index$') });
    pods.synced$.subscribe({ complete: () => completed.push('synced$') });
    pods.stop();
    expect(completed).toEqual(['list$', 'get$', 'index$', 'synced$']);
    expect([source.observed, connection.closed, pods.isRunning, pods.hasSynced, pods.status.state]).toEqual([
      false,
      true,
      false,
      false,
      'stopped',
    ]);
  });

  it('may be called twice, and on an informer that never ran', () => {
    const pods = podInformer(NEVER);
    const states: string[] = [];
    pods.status$.subscribe(({ state }) => states.push(state));
    pods.stop();
    pods.stop();
    expect(states).toEqual(['stopped']);
  });

  it('does not end subscriptions made in response to it: they start the next run', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const seen: string[] = [];
    pods.list$().subscribe({
      complete: () =>
        pods.list$().subscribe({ next: (list) => seen.push(textOfAll(list)), complete: () => seen.push('end') }),
    });
    pods.stop();
    source.next(events['L'] as WatchEvent<Pod>);
    expect(seen).toEqual(['a@1 b@1']);
  });

  it('does not end subscriptions made when status$ emits stopped', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const seen: string[] = [];
    pods.connect();
    pods.status$.subscribe(({ state }) => {
      if (state === 'stopped')
        pods.list$().subscribe({ next: (list) => seen.push(textOfAll(list)), complete: () => seen.push('end') });
    });
    pods.stop();
    source.next(events['L'] as WatchEvent<Pod>);
    expect(seen).toEqual(['a@1 b@1']);
  });

  it('drops the status of the batch in which it was called, when the informer runs again', () => {
    const source = new Subject<readonly WatchEvent<Pod>[]>();
    const pods = podInformer(source);
    const subscription = pods.list$().subscribe(() => {
      subscription.unsubscribe();
      pods.connect();
    });
    source.next([events['L'] as WatchEvent<Pod>, events['r'] as WatchEvent<Pod>]);
    expect([pods.status.state, pods.hasSynced]).toEqual(['listing', false]);
  });

  it('keeps indexes and options', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod>(source).addIndexers({ node: byNode });
    pods.connect();
    pods.stop();
    pods.connect();
    source.next(events['L'] as WatchEvent<Pod>);
    expect(pods.byIndex('node', 'n1')).toEqual([a1]);
  });
});

describe('status$', () => {
  it('G6: emits the status of the source after the data that came with it', () => {
    const source = new Subject<readonly WatchEvent<Pod>[]>();
    const pods = podInformer(source);
    const seen: string[] = [];
    pods.status$.subscribe(({ state }) => seen.push(`${state} ${pods.list().length}`));
    const connection = pods.connect();
    source.next([events['l'] as WatchEvent<Pod>]);
    source.next([events['w'] as WatchEvent<Pod>, events['L'] as WatchEvent<Pod>]);
    source.next([events['r'] as WatchEvent<Pod>]);
    connection.unsubscribe();
    expect(seen).toEqual(['stopped 0', 'listing 0', 'listing 0', 'watching 2', 'reconnecting 2', 'stopped 0']);
  });

  it('G6: is listing and watching for a source without a status of its own, and backing-off while it waits', () => {
    informerTest(({ cold, expectObservable }) => {
      const source = cold('--L--#', events);
      const pods = podInformer(source);
      expectObservable(pods.list$().pipe(map(textOfAll)), '^------------------!').toBe('--p', { p: 'a@1 b@1' });
      const listing: SourceStatus = { state: 'listing', by: 'pages', received: 0 };
      expectObservable(pods.status$, '^-------------------!').toBe('l-w--b---------l-v-s', {
        l: listing,
        w: { state: 'watching', since: 2, resourceVersion: '1' },
        b: { state: 'backing-off', until: 15, attempt: 1, cause: unexpectedSourceError('error') },
        v: { state: 'watching', since: 17, resourceVersion: '1' },
        s: { state: 'stopped' },
      });
    });
  });

  it('only observes: subscribing to it connects nothing', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    pods.status$.subscribe();
    pods.errors$.subscribe();
    pods.synced$.subscribe();
    expect(source.observed).toBe(false);
  });
});

describe('lastMessageAt', () => {
  it('G6: is the time of the last change, list or bookmark, and not of a status of the source', () => {
    informerTest(({ cold, scheduler }) => {
      const pods = podInformer(cold('--L-w-X-K-', events));
      const seen: (number | undefined)[] = [];
      pods.connect();
      for (const at of [1, 3, 5, 7, 9]) scheduler.schedule(() => seen.push(pods.lastMessageAt), at);
      scheduler.schedule(() => {
        pods.stop();
        seen.push(pods.lastMessageAt);
        expect(seen).toEqual([undefined, 2, 2, 2, 8, undefined]);
      }, 10);
    });
  });
});

describe('errors$', () => {
  it('G4: emits the errors that the source reports in its batches, and the informer continues', () => {
    informerTest(({ cold, expectObservable }) => {
      const pods = podInformer(cold('--L-X-M-', events));
      expectObservable(pods.errors$, '^--------!').toBe('----e', { e: failure });
      expectObservable(pods.list$().pipe(map(textOfAll)), '^--------!').toBe('--p---q', { p: 'a@1 b@1', q: 'a@2 b@1' });
    });
  });

  it('G4: emits the error with which a source ends', () => {
    informerTest(({ cold, expectObservable }) => {
      const pods = podInformer(cold('--L--#', events));
      expectObservable(pods.errors$, '^-----!').toBe('-----e', { e: unexpectedSourceError('error') });
      expectObservable(pods.list$().pipe(map(textOfAll)), '^-----!').toBe('--p', { p: 'a@1 b@1' });
    });
  });

  it('G4: emits an error even if the data that came with it made the last subscriber unsubscribe', () => {
    const source = new Subject<readonly WatchEvent<Pod>[]>();
    const pods = podInformer(source);
    const errors: unknown[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    const subscription = pods.list$().subscribe(() => subscription.unsubscribe());
    source.next([events['L'] as WatchEvent<Pod>, events['X'] as WatchEvent<Pod>]);
    expect(errors).toEqual([failure]);
  });

  it('replays nothing for late subscribers', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    pods.connect();
    source.next(events['X'] as WatchEvent<Pod>);
    const errors: unknown[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    expect(errors).toEqual([]);
  });
});

describe('synced$', () => {
  it('emits once when the first list is complete, and completes', () => {
    informerTest(objects, ({ source, expectObservable, expectQuery }) => {
      const pods = podInformer(source('                 B-L(ab)-L(ab)'));
      expectObservable(pods.synced$).toBe('             --(s|)', { s: undefined });
      expectQuery(pods, allObjects(), '^---------!').toBe('--(ab)');
    });
  });

  it('Q1: an empty list is enough, and so is a first change', () => {
    for (const letter of ['E', 'A', 'D']) {
      const source = new Subject<WatchEvent<Pod>>();
      const pods = podInformer(source);
      pods.connect();
      expect(pods.hasSynced).toBe(false);
      source.next(events[letter] as WatchEvent<Pod>);
      expect(pods.hasSynced).toBe(true);
    }
  });

  it('emits at once to late subscribers', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    pods.connect();
    source.next(events['L'] as WatchEvent<Pod>);
    const seen: string[] = [];
    pods.synced$.subscribe({ next: () => seen.push('synced'), complete: () => seen.push('complete') });
    expect(seen).toEqual(['synced', 'complete']);
  });
});

describe('a source that fails', () => {
  it('G5: the source is subscribed to again after any failure, until the last subscriber has unsubscribed', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('#');
      const pods = podInformer(traffic, { relistBackoff: (attempt) => attempt * 2 });
      expectQuery(pods, allObjects(), '^-------------!').toBe('-');
      expectSubscriptions(traffic.subscriptions).toBe(['(^!)', '--(^!)', '------(^!)', '------------(^!)']);
    });
  });

  it.each([Number.NaN, -5, Infinity, -Infinity])('G5: a backoff of %d ms means no wait, not the end', (wait) => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('-#');
      const pods = podInformer(traffic, { relistBackoff: () => wait });
      expectQuery(pods, allObjects(), '^--!').toBe('-');
      expectSubscriptions(traffic.subscriptions).toBe(['^!', '-^!', '--^!']);
    });
  });

  it('G8: the source is not subscribed to again after the last subscriber has unsubscribed', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('-#');
      expectQuery(podInformer(traffic), allObjects(), '^----!').toBe('-');
      expectSubscriptions(traffic.subscriptions).toBe('^!');
    });
  });

  it('waits on the given clock, with the given random numbers', () => {
    const source = throwError(() => new Error('down'));
    const pods = podInformer(source, { relistBackoff: (attempt, random) => attempt * 100 + random, random: () => 0.5 });
    pods.connect();
    expect(pods.status).toMatchObject({ state: 'backing-off', attempt: 1 });
    const { until } = pods.status as { readonly until: number };
    expect(until - asyncScheduler.now()).toBeLessThanOrEqual(100.5);
    pods.stop();
  });
});

describe('a source that completes', () => {
  it('is not subscribed to again automatically', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('--L(ab)-|');
      expectQuery(podInformer(traffic), allObjects()).toBe('--(ab)--|');
      expectSubscriptions(traffic.subscriptions).toBe('^-------!');
    });
  });

  it('is subscribed to again for the next subscriber', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('--L(ab)-|');
      const pods = podInformer(traffic);
      expectQuery(pods, allObjects()).toBe('             --(ab)--|');
      expectQuery(pods, allObjects(), '---------^').toBe('-----------(ab)--|');
      expectSubscriptions(traffic.subscriptions).toBe(['^-------!', '---------^-------!']);
    });
  });

  it('in the middle of a round completes the informer after every subscriber received the last value', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const seen: string[] = [];
    let isFirst = true;
    pods.list$().subscribe(() => {
      if (!isFirst) return;
      isFirst = false;
      source.next(events['M'] as WatchEvent<Pod>);
      source.complete();
    });
    pods.list$().subscribe({ next: (list) => seen.push(textOfAll(list)), complete: () => seen.push('complete') });
    source.next(events['L'] as WatchEvent<Pod>);
    expect(seen).toEqual(['a@1 b@1', 'a@2 b@1', 'complete']);
  });
});
