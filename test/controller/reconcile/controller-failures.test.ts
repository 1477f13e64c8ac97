import { type ChangeSet, configMaps, informer, listWatch, type KubeClient } from 'rx-informers';
import { limitedClient } from 'rx-informers/client';
import { fastSlow, type ControllerOptions, controller, TerminalError } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { aConfigMap, createInMemoryApiServer, randomFromSeed, serverFaults, virtualClock } from 'rx-informers/testing';
import {
  concat,
  EMPTY,
  map,
  NEVER,
  of,
  Subject,
  type Observable,
  defer,
  mergeMap,
  throwError,
  timer,
  type SchedulerLike,
} from 'rxjs';
import { runTimeoutError } from '../../../src/controller/queue/errors.js';
import { recordingClient } from '../../../src/controller/reconcile/recording-client.js';
import { mappedKeyError } from '../../../src/controller/reconcile/triggers.js';
import { statusError } from '../../sources/support/scripted-client.js';
import { errorWith } from '../../support/error-with.js';
import { fail } from '../workqueue/support/recorded-events.js';
import { aChild, aSite, by, store, type Thing } from './support/stores.js';
import { notify } from './support/words.js';

function start(options: ControllerOptions<Thing, readonly Thing[]>) {
  const clock = virtualClock();
  const rateLimiter = () => fastSlow({ fast: 10, slow: 10, fastAttempts: 0 });
  return { ...notify(controller({ scheduler: clock, rateLimiter, ...options })), clock };
}

describe('controller: failures of reconcile are events', () => {
  const failures: readonly (readonly [string, () => unknown, unknown])[] = [
    ['throws', () => raise(new Error('broken')), new Error('broken')],
    ['throws a value that is not an error', () => raise('broken'), 'broken'],
    ['throws undefined', () => raise(undefined), undefined],
    ['errors', () => fail('broken'), 'broken'],
    ['errors after some values', () => concat(of(1, 2), fail('broken')), 'broken'],
  ];
  function raise(error: unknown): never {
    throw error;
  }

  it.each(failures)('%s: the key is retried, and other keys continue', (_what, work, error) => {
    const sites = store(aSite('a'), aSite('b'));
    const { clock, words, events } = start({ for: sites, reconcile: ({ key }) => (key === 'a' ? work() : undefined) });
    expect(words.filter((word) => !word.includes(' emitted '))).toEqual([
      'synced',
      'a started',
      'a failed, retry at 10',
      'b started',
      'b succeeded',
    ]);
    expect(events.find(({ type }) => type === 'failed')).toMatchObject({ key: 'a', error, outcome: 'retry' });
    clock.advance(10);
    expect(words.at(-1)).toBe('a failed, retry at 20');
  });

  it.each([[new Error('broken')], ['not an error'], [undefined]])(
    'a promise that rejects with %p: the key is retried, and other keys continue',
    async (reason: unknown) => {
      const sites = store(aSite('a'), aSite('b'));
      const stop$ = new Subject<void>();
      const words: string[] = [];
      const done = controller({
        for: sites,
        stop$,
        scheduler: virtualClock(), // time stands still, so the retry of `a` does not begin before the stop
        reconcile: ({ key }) => (key === 'a' ? Promise.reject(reason as Error) : Promise.resolve()),
      }).forEach((event) => {
        if (event.type === 'failed') words.push(`${event.key} ${event.outcome} ${String(event.error)}`);
        if (event.type !== 'succeeded') return;
        words.push(`${event.key} succeeded`);
        stop$.next();
      });
      await done;
      expect(words).toEqual([`a retry ${String(reason)}`, 'b succeeded']);
    },
  );

  it('a run that never completes is aborted after its timeout, and other keys continue', () => {
    const sites = store(aSite('a'), aSite('b'));
    const signals: AbortSignal[] = [];
    const { clock, news, events } = start({
      for: sites,
      timeout: 5,
      maxRetries: 0,
      reconcile: ({ key, signal }) => {
        signals.push(signal);
        return key === 'a' ? new Promise(() => undefined) : undefined;
      },
    });
    expect(news()).toEqual(['synced', 'a started']);
    clock.advance(5);
    expect(news()).toEqual(['a failed: retries-exhausted', 'b started', 'b succeeded']);
    expect(events.find(({ type }) => type === 'failed')).toMatchObject({ error: runTimeoutError('a', 5), took: 5 });
    expect(signals[0]?.reason).toEqual(errorWith('RXI_RUN_TIMEOUT'));
    expect(signals[1]?.aborted).toBe(false);
  });

  it('a key with a TerminalError is not retried until its object changes', () => {
    const sites = store(aSite('a'));
    const { clock, news } = start({
      for: sites,
      reconcile: () => {
        throw new TerminalError('never');
      },
    });
    clock.advance(1_000);
    expect(news()).toEqual(['synced', 'a started', 'a failed: terminal']);
    sites.update(aSite('a'));
    expect(news()).toEqual(['a started', 'a failed: terminal']);
  });

  it('a run may emit any number of values', () => {
    const { words } = start({ for: store(aSite('a')), reconcile: () => of(...Array.from({ length: 1_000 }, String)) });
    expect(words.filter((word) => word.startsWith('a emitted'))).toHaveLength(1_000);
    expect(words.at(-1)).toBe('a succeeded');
  });

  it('a run that returns nothing succeeds', () => {
    expect(start({ for: store(aSite('a')), reconcile: () => EMPTY }).words).toEqual([
      'synced',
      'a started',
      'a succeeded',
    ]);
  });
});

describe('controller: failures of a trigger are events', () => {
  const mapBroken = (object: unknown): string => {
    const { metadata } = object as Thing;
    if (metadata.name === 'bad') throw new Error(`cannot map ${metadata.name}`);
    return metadata.name;
  };

  it('a map function that throws: the event has the key of the object, and other objects are mapped', () => {
    const watched = store(aChild('web/bad'), aChild('web/good'));
    const { words, events } = start({
      for: store(aSite('a')),
      watches: [{ source: watched, map: mapBroken }],
      reconcile: () => undefined,
    });
    expect(words).toEqual([
      'watches[0] web/bad skipped',
      'synced',
      'a started',
      'a succeeded',
      'good started',
      'good succeeded',
    ]);
    expect(events[0]).toMatchObject({ key: 'web/bad', error: new Error('cannot map bad') });
    watched.update(aChild('web/good'));
    expect(words.slice(-2)).toEqual(['good started', 'good succeeded']);
  });

  it('a map function that returns an invalid key: the valid keys of the same call are reconciled', () => {
    const watched = store(aChild('web/b'));
    const { words, events } = start({
      for: store(aSite('a')),
      watches: [{ source: watched, map: () => ['x', 5 as unknown as string, 'y'] }],
      reconcile: () => undefined,
    });
    expect(words).toEqual([
      'watches[0] web/b skipped',
      'synced',
      'a started',
      'a succeeded',
      'x started',
      'x succeeded',
      'y started',
      'y succeeded',
    ]);
    expect(events[0]).toMatchObject({ key: 'web/b', error: mappedKeyError(5) });
  });

  it('a map function over an Observable that throws: later values are mapped', () => {
    const hooks = new Subject<unknown>();
    const { news } = start({
      for: store(aSite('a')),
      watches: [{ source: hooks, map: mapBroken }],
      reconcile: () => undefined,
    });
    news();
    hooks.next(undefined);
    hooks.next(aChild('bad'));
    hooks.next(aChild('good'));
    expect(news()).toEqual(['watches[0]  skipped', 'watches[0]  skipped', 'good started', 'good succeeded']);
  });

  it('an Observable that errors or completes ends only its own trigger', () => {
    const failing = new Subject<string>();
    const sites = store(aSite('a'));
    const { news } = start({
      for: sites,
      watches: [
        { source: failing, map: (key) => key as string },
        { source: of('b'), map: (key) => key as string },
      ],
      reconcile: () => undefined,
    });
    expect(news()).toEqual(['synced', 'b started', 'b succeeded', 'a started', 'a succeeded']);
    failing.error(new Error('no more'));
    sites.update(aSite('a'));
    expect(news()).toEqual(['watches[0]  ended', 'a started', 'a succeeded']);
  });

  it('a predicate that throws: the collection is followed again after a second, from its current state, so nothing is lost', () => {
    const sites = store(aSite('a'), aSite('b'));
    let isBroken = true;
    const through = map((set: ChangeSet<Thing>) => {
      if (isBroken && set.reason === 'watch') throw new Error('cannot compare');
      return set;
    });
    const { clock, news } = start({ for: { source: sites, through }, reconcile: () => undefined });
    news();
    sites.update(aSite('a'));
    isBroken = false;
    sites.update(aSite('b'));
    expect(news()).toEqual(['for  resubscribing']);
    expect(sites.hasSynced).toBe(true);
    clock.advance(1_000);
    expect(news()).toEqual(['a started', 'a succeeded', 'b started', 'b succeeded']);
    sites.update(aSite('a'));
    expect(news()).toEqual(['a started', 'a succeeded']);
  });

  it('an operator that always fails is retried once a second', () => {
    const through = (): Observable<never> => fail('always');
    const { clock, words } = start({ for: { source: store(aSite('a')), through }, reconcile: () => undefined });
    clock.advance(2_500);
    expect(words).toEqual(['for  resubscribing', 'synced', 'for  resubscribing', 'for  resubscribing']);
  });

  it('an operator that completes ends only its own trigger', () => {
    const sites = store(aSite('a'));
    const children = store(aChild('child', [by('a')]));
    const { news } = start({
      for: { source: sites, through: () => EMPTY },
      owns: [children],
      reconcile: () => undefined,
    });
    expect(news()).toEqual(['synced', 'a started', 'a succeeded']);
    sites.update(aSite('a'));
    expect(news()).toEqual([]);
    children.update(aChild('child', [by('a')]));
    expect(news()).toEqual(['a started', 'a succeeded']);
  });

  it('the controller continues after all triggers have ended, because retries and requeues may follow', () => {
    const { words } = start({ for: { source: store(aSite('a')), through: () => EMPTY }, reconcile: () => undefined });
    expect(words).toEqual(['synced']);
  });

  it('an invalid owned object: the event has its key', () => {
    const children = store(aChild('child', [by('a')]), {
      ...aChild('strange'),
      metadata: { ...aChild('strange').metadata, ownerReferences: 'nobody' as never },
    });
    const { words } = start({ for: store(aSite('a')), owns: [children], reconcile: () => undefined });
    expect(words).toEqual(['owns[0] strange skipped', 'synced', 'a started', 'a succeeded']);
  });

  it('a watched collection may contain any values', () => {
    const numbers = store(...(['n'] as const).map((name) => aChild(name)));
    const { words } = start({
      for: store(aSite('a')),
      watches: [
        { source: numbers, map: () => undefined },
        { source: NEVER, map: () => 'never' },
      ],
      reconcile: () => undefined,
    });
    expect(words).toEqual(['synced', 'a started', 'a succeeded']);
  });
});

const second = 1_000;

const latency = 5;

const concurrency = 10;

/**
 * 300 objects, each of which a run patches; writes are answered with 429 and a Retry-After of 30 s
 * at first.
 */
function overloaded(limit: (client: KubeClient, scheduler: SchedulerLike) => KubeClient) {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock, random: () => 0 });
  server.apply(Array.from({ length: 300 }, (_, index) => aConfigMap({ name: `settings-${index}` })));
  const writes: number[] = [];
  const distant: KubeClient = {
    exchange: (request) =>
      defer(() => {
        if (request.method === 'PATCH') writes.push(clock.now());
        return timer(latency, clock).pipe(mergeMap(() => server.client.exchange(request)));
      }),
  };
  const client = limit(distant, clock);
  const configMapInformer = informer(listWatch(client, configMaps, { scheduler: clock, random: () => 0 }), {
    scheduler: clock,
  });
  const configMapClient = resourceClient(client, configMaps, { fieldManager: 'test', scheduler: clock });
  const stop$ = new Subject<void>();
  const done = new Set<string>();
  controller({
    for: configMapInformer,
    concurrency,
    scheduler: clock,
    random: randomFromSeed(1),
    stop$,
    reconcile: ({ key, object }) => (object?.data ? [] : configMapClient.patch(key, { data: { seen: 'yes' } })),
  }).subscribe((event) => {
    if (event.type === 'succeeded') done.add(event.key);
  });
  server.faults.always('write', serverFaults.respond(429, { retryAfter: 30 }));
  return { server, clock, writes, done, stop$ };
}

describe('a controller over a server that answers 429 with Retry-After 30', () => {
  it('sends only the requests that were in flight within those 30 s, through a limited client', () => {
    const { server, clock, writes, done, stop$ } = overloaded((client, scheduler) =>
      limitedClient(client, { scheduler }),
    );
    clock.advance(30 * second);
    expect(writes).toHaveLength(concurrency);

    server.faults.clear();
    clock.advance(300 * second);
    expect(done.size).toBe(300);
    expect(Math.min(...writes.slice(concurrency))).toBeGreaterThanOrEqual(30 * second);
    stop$.next();
  });

  it('spreads the retries over at least a tenth of that time, so that they do not arrive all at once', () => {
    const { server, clock, writes, stop$ } = overloaded((client) => client);
    clock.advance(29 * second);
    server.faults.clear();
    const first = writes.length;
    clock.advance(60 * second);
    const retries = writes.slice(first);
    expect(retries).toHaveLength(300);
    const perSecond = [30, 31, 32].map((from) => retries.filter((at) => Math.floor(at / second) === from).length);
    expect(Math.min(...retries)).toBeGreaterThanOrEqual(30 * second);
    expect(Math.min(...perSecond)).toBeGreaterThan(60);
    stop$.next();
  });

  it('sends at least one write for each key without a limited client', () => {
    const { clock, writes, stop$ } = overloaded((client) => client);
    clock.advance(30 * second);
    expect(writes.length).toBeGreaterThanOrEqual(300);
    stop$.next();
  });
});

describe('calls of a resourceClient over a limited client', () => {
  function waiting(answers: KubeClient['exchange']) {
    const clock = virtualClock();
    const limited = limitedClient({ exchange: answers }, { scheduler: clock });
    limited.exchange({ method: 'GET', path: '/busy' }).subscribe({ error: () => undefined });
    // As the client of a run does.
    const client = recordingClient(limited, () => undefined);
    const errors: unknown[] = [];
    const call = resourceClient(client, configMaps, { timeout: 10 * second, scheduler: clock }).get('web/a');
    const subscription = call.subscribe({ error: (error: unknown) => errors.push(error) });
    return { clock, errors, subscription };
  }

  it('do not time out while they wait for their turn, but do if the server does not respond afterwards', () => {
    const { clock, errors } = waiting(({ path }) =>
      path === '/busy' ? throwError(() => statusError(429, {}, 60 * second)) : NEVER,
    );
    clock.advance(60 * second + 9_999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors).toEqual([errorWith('RXI_CALL_TIMEOUT')]);
  });

  it('leave no timer if they are aborted while they wait', () => {
    const paths: string[] = [];
    const { clock, subscription } = waiting(({ path }) => {
      paths.push(path);
      return throwError(() => statusError(429, {}, 60 * second));
    });
    clock.advance(second);
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
    expect(paths).toEqual(['/busy']);
  });
});
