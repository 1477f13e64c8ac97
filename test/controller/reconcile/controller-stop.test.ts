import { informer } from 'rx-informers';
import { type ControllerOptions, controller, requeueAfter } from 'rx-informers/controller';
import { type WatchEventBatch, watchEvent } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { defer, NEVER, of, Subject, timer, type Observable } from 'rxjs';
import { drainEndedError, runStoppedError } from '../../../src/controller/queue/errors.js';
import { collectionEndedError } from '../../../src/controller/reconcile/sources.js';
import { errorWith } from '../../support/error-with.js';
import { fail } from '../workqueue/support/recorded-events.js';
import { aChild, aSite, by, store, type Thing } from './support/stores.js';
import { notify } from './support/words.js';

const { listed } = watchEvent;

type Options = ControllerOptions<Thing, readonly Thing[]>;

function start(options: Options, clock = virtualClock()) {
  return { ...notify(controller({ scheduler: clock, ...options }), clock), clock };
}

describe('controller: stop$', () => {
  it('accepts no more keys, finishes running and queued keys, and completes', () => {
    const clock = virtualClock();
    const stop$ = new Subject<void>();
    const hooks = new Subject<string>();
    const sites = store(aSite('a'), aSite('b'));
    const { news } = start(
      {
        for: sites,
        watches: [{ source: hooks, map: (key) => key as string }],
        stop$,
        reconcile: () => timer(10, clock),
      },
      clock,
    );
    clock.advance(5);
    stop$.next();
    // The runs may need what the Observable keeps alive, such as a membership.
    expect(hooks.observed).toBe(true);
    hooks.next('a');
    sites.update(aSite('a'));
    clock.advance(100);
    expect(news()).toEqual([
      '0 synced',
      '0 a started',
      '5 stopping stop',
      '10 a emitted 0',
      '10 a succeeded',
      '10 b started',
      '20 b emitted 0',
      '20 b succeeded',
      '20 stopped after 15: 0 aborted, 0 dropped',
      '20 complete',
    ]);
    expect([stop$.observed, hooks.observed, clock.timers]).toEqual([false, false, 0]);
  });

  it('keeps the caches connected while it finishes, so no object appears to be deleted', () => {
    const clock = virtualClock();
    const stop$ = new Subject<void>();
    const source = new Subject<WatchEventBatch<Thing>>();
    const sites = informer(source, { linger: 0, scheduler: clock });
    const seen: unknown[] = [];
    const { words } = start(
      {
        for: sites,
        stop$,
        reconcile: ({ object }) => {
          seen.push(object?.metadata.name);
          return timer(10, clock);
        },
      },
      clock,
    );
    source.next([listed([aSite('a'), aSite('b')], '1')]);
    stop$.next();
    expect(sites.isRunning).toBe(true);
    clock.advance(50);
    expect(words.at(-1)).toBe('20 complete');
    expect(seen).toEqual(['a', 'b']);
    expect([sites.isRunning, source.observed]).toEqual([false, false]);
  });

  it('aborts at the end of the grace period, and reports the remaining keys', () => {
    const stop$ = new Subject<void>();
    let seen: AbortSignal | undefined;
    const { clock, news, events } = start({
      for: store(aSite('a'), aSite('b')),
      stop$,
      gracePeriod: 30,
      reconcile: ({ signal }) => {
        seen = signal;
        return NEVER;
      },
    });
    stop$.next();
    clock.advance(29);
    expect([news(), seen?.aborted]).toEqual([['0 synced', '0 a started', '0 stopping stop'], false]);
    clock.advance(1);
    expect(news()).toEqual([
      '30 b dropped',
      '30 a failed: stopping',
      '30 stopped after 30: 1 aborted, 1 dropped',
      '30 complete',
    ]);
    expect(seen?.reason).toEqual(errorWith('RXI_DRAIN_ENDED'));
    expect(events.find(({ type }) => type === 'failed')).toMatchObject({ key: 'a', error: drainEndedError('a') });
    expect(clock.timers).toBe(0);
  });

  it('waits 30 s by default, and forever with Infinity', () => {
    const stops = [undefined, Infinity].map((gracePeriod) => {
      const stop$ = new Subject<void>();
      const options = gracePeriod === undefined ? {} : { gracePeriod };
      const started = start({ for: store(aSite('a')), stop$, reconcile: () => NEVER, ...options });
      stop$.next();
      return started;
    });
    for (const { clock } of stops) clock.advance(29_999);
    expect(stops.map(({ subscription }) => subscription.closed)).toEqual([false, false]);
    for (const { clock } of stops) clock.advance(1_000_000);
    expect(stops.map(({ subscription }) => subscription.closed)).toEqual([true, false]);
    expect(stops.map(({ clock }) => clock.timers)).toEqual([0, 0]);
  });

  it('a second value ends the grace period', () => {
    const stop$ = new Subject<void>();
    const { clock, news } = start({ for: store(aSite('a')), stop$, reconcile: () => NEVER });
    stop$.next();
    clock.advance(5);
    stop$.next();
    expect(news().slice(-3)).toEqual(['5 a failed: stopping', '5 stopped after 5: 1 aborted, 0 dropped', '5 complete']);
  });

  it('a value that arrives while it emits the stopping event counts as the second one', () => {
    const stop$ = new Subject<void>();
    const clock = virtualClock();
    const types: string[] = [];
    controller({ for: store(aSite('a')), stop$, scheduler: clock, reconcile: () => NEVER }).subscribe({
      next: ({ type }) => {
        types.push(type);
        if (type === 'stopping') stop$.next();
      },
      complete: () => types.push('complete'),
    });
    stop$.next();
    expect(types).toEqual(['synced', 'started', 'stopping', 'failed', 'stopped', 'complete']);
  });

  it('drops delayed retries and requeues, and reports them', () => {
    const stop$ = new Subject<void>();
    const { news } = start({ for: store(aSite('a')), stop$, reconcile: () => requeueAfter(50) });
    stop$.next();
    expect(news()).toEqual([
      '0 synced',
      '0 a started',
      '0 a succeeded, again at 50',
      '0 stopping stop',
      '0 a dropped',
      '0 stopped after 0: 0 aborted, 1 dropped',
      '0 complete',
    ]);
  });

  it('finishes debounced keys', () => {
    const stop$ = new Subject<void>();
    const { clock, news } = start({ for: store(aSite('a')), stop$, debounce: 50, reconcile: () => undefined });
    clock.advance(5);
    stop$.next();
    expect(news().slice(1)).toEqual([
      '5 stopping stop',
      '5 a started',
      '5 a succeeded',
      '5 stopped after 0: 0 aborted, 0 dropped',
      '5 complete',
    ]);
  });

  it('reconciles nothing if it is stopped before all collections have synced', () => {
    const stop$ = new Subject<void>();
    const { words } = start({ for: store(aSite('a')), owns: [store()], stop$, reconcile: () => NEVER });
    stop$.next();
    expect(words).toEqual(['0 stopping stop', '0 a dropped', '0 stopped after 0: 0 aborted, 1 dropped', '0 complete']);
  });

  it('connects nothing if it is stopped before it started', () => {
    let subscriptions = 0;
    const source = defer((): Observable<WatchEventBatch<Thing>> => {
      subscriptions++;
      return NEVER;
    });
    const sites = informer(source, { linger: 0 });
    const { words } = start({ for: sites, stop$: of('now'), reconcile: () => NEVER });
    expect(words).toEqual(['0 stopping stop', '0 stopped after 0: 0 aborted, 0 dropped', '0 complete']);
    expect(subscriptions).toBe(0);
  });

  it('stops if stop$ errors, and reports the error; completion of stop$ has no effect', () => {
    const failing = start({
      for: store(aSite('a')),
      stop$: fail('broken'),
      reconcile: () => undefined,
    });
    expect(failing.events[0]).toEqual({ type: 'stopping', cause: 'stop-failed', error: 'broken' });
    expect(failing.words.at(-1)).toBe('0 complete');
    const completing = start({ for: store(aSite('a')), stop$: of(), reconcile: () => undefined });
    expect(completing.words).toEqual(['0 synced', '0 a started', '0 a succeeded']);
  });
});

describe('controller: unsubscribing', () => {
  it('G8: aborts at once and leaves no event, timer or subscription', () => {
    const clock = virtualClock();
    const source = new Subject<WatchEventBatch<Thing>>();
    const hooks = new Subject<string>();
    const stop$ = new Subject<void>();
    const sites = informer(source, { linger: 0, scheduler: clock });
    const signals: AbortSignal[] = [];
    const { subscription, news } = start(
      {
        for: sites,
        watches: [{ source: hooks, map: (key) => key as string }],
        stop$,
        debounce: 5,
        timeout: 1_000,
        reconcile: ({ signal }) => {
          signals.push(signal);
          return NEVER;
        },
      },
      clock,
    );
    source.next([listed([aSite('a'), aSite('b')], '1')]);
    clock.advance(5);
    hooks.next('c');
    expect(news()).toEqual(['0 synced', '5 a started']);
    expect(clock.timers).toBeGreaterThan(0);
    subscription.unsubscribe();
    expect(signals.map(({ reason }) => reason as unknown)).toEqual([runStoppedError('a')]);
    expect([source.observed, hooks.observed, stop$.observed, sites.isRunning]).toEqual([false, false, false, false]);
    clock.advance(10_000);
    expect([news(), clock.timers]).toEqual([[], 0]);
  });

  it.each(['synced', 'started', 'succeeded', 'stopping', 'dropped', 'stopped'])(
    'G8: is possible while %s is emitted, which is then the last event',
    (when) => {
      const clock = virtualClock();
      const sites = store();
      const stop$ = new Subject<void>();
      const types: string[] = [];
      const subscription = controller({
        for: sites,
        stop$,
        scheduler: clock,
        reconcile: ({ key }) => (key === 'a' ? requeueAfter(50) : undefined),
      }).subscribe(({ type }) => {
        types.push(type);
        if (type === when) subscription.unsubscribe();
      });
      sites.replace([aSite('a'), aSite('b')]);
      stop$.next();
      clock.advance(100);
      expect(types.indexOf(when)).toBe(types.length - 1);
      expect([clock.timers, stop$.observed]).toEqual([0, false]);
    },
  );
});

describe('controller: a collection that completes', () => {
  it('ends the controller at once, because an empty cache is not an empty cluster', () => {
    const clock = virtualClock();
    const source = new Subject<WatchEventBatch<Thing>>();
    const children = informer(source, { linger: 0, scheduler: clock });
    const { news, events } = start(
      { for: store(aSite('a'), aSite('b')), owns: [children], reconcile: () => NEVER },
      clock,
    );
    source.next([listed([aChild('child', [by('a')])], '1')]);
    news();
    children.stop();
    expect(news()).toEqual([
      '0 stopping collection-ended',
      '0 b dropped',
      '0 a failed: stopping',
      '0 stopped after 0: 1 aborted, 1 dropped',
      '0 complete',
    ]);
    expect(events.find(({ type }) => type === 'stopping')).toMatchObject({ trigger: 'owns[0]' });
    expect(source.observed).toBe(false);
  });

  it('causes no reconcile over the emptied cache, not even before the controller sees the end', () => {
    const clock = virtualClock();
    const source = new Subject<WatchEventBatch<Thing>>();
    const hooks = new Subject<string>();
    const sites = informer(source, { linger: 0, scheduler: clock });
    const keys: string[] = [];
    const { events } = start(
      {
        for: sites,
        watches: [{ source: hooks, map: (key) => key as string }],
        reconcile: ({ key }) => void keys.push(key),
      },
      clock,
    );
    source.next([listed([aSite('a')], '1')]);
    sites.status$.subscribe(({ state }) => {
      if (state === 'stopped') hooks.next('a');
    });
    sites.stop();
    expect(keys).toEqual(['a']);
    expect(events.find(({ type }) => type === 'failed')).toMatchObject({ error: collectionEndedError('a', 'for') });
    expect(events.at(-1)).toMatchObject({ type: 'stopped' });
  });

  it('ends the controller also while it is finishing, and before it has started', () => {
    const clock = virtualClock();
    const stop$ = new Subject<void>();
    const source = new Subject<WatchEventBatch<Thing>>();
    const sites = informer(source, { linger: 0, scheduler: clock });
    const first = start({ for: sites, stop$, reconcile: () => NEVER }, clock);
    const second = start({ for: sites, owns: [store()], reconcile: () => NEVER }, clock);
    source.next([listed([aSite('a')], '1')]);
    stop$.next();
    sites.stop();
    expect(first.words.slice(-3)).toEqual([
      '0 a failed: stopping',
      '0 stopped after 0: 1 aborted, 0 dropped',
      '0 complete',
    ]);
    expect(second.words).toEqual([
      '0 stopping collection-ended',
      '0 a dropped',
      '0 stopped after 0: 0 aborted, 1 dropped',
      '0 complete',
    ]);
  });
});
