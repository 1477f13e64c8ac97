import { expectTypeOf } from 'expect-type';
import fc from 'fast-check';
import type { ChangeSet } from 'rx-informers';
import {
  changedKeys,
  type KeyReason,
  requeueAfter,
  resultsOf,
  workqueue,
  type DebounceOptions,
  type KeyRequest,
} from 'rx-informers/controller';
import { informerTest, virtualClock } from 'rx-informers/testing';
import { map, of, Subject, timer, VirtualTimeScheduler, type Observable } from 'rxjs';
import { debounceKeys, DebounceState } from '../../../src/controller/reconcile/debounce-keys.js';
import { errorWith } from '../../support/error-with.js';

describe('keys', () => {
  const set = (reason: ChangeSet<string>['reason'], ...names: string[]): ChangeSet<string> => ({
    reason,
    changes: names.map((key) => ({ type: 'added', key, object: key })),
  });

  it('emits the initial state and resyncs with low priority, and with the reason', () => {
    const requests: unknown[] = [];
    of(set('initial', 'a', 'b'), set('watch', 'c'), set('relist', 'd'), set('resync', 'e'), set('watch'))
      .pipe(changedKeys({ scheduler: new VirtualTimeScheduler() }))
      .subscribe((request) => requests.push(request));
    expect(requests).toEqual([
      { key: 'a', priority: -100, reason: 'added:initial' },
      { key: 'b', priority: -100, reason: 'added:initial' },
      { key: 'c', priority: 0, reason: 'added:watch' },
      { key: 'd', priority: 0, reason: 'added:relist' },
      { key: 'e', priority: -100, reason: 'added:resync' },
    ]);
  });

  it('forms a readable pipeline: changes in, results out, changed objects before the initial list', () => {
    informerTest(({ hot, expectObservable }) => {
      const changes$ = hot('(iw)', { i: set('initial', 'a', 'b', 'c'), w: set('watch', 'c') });
      const reconcile = (key: string): Observable<string> => timer(2).pipe(map(() => key));
      expectObservable(changes$.pipe(changedKeys(), workqueue(reconcile), resultsOf())).toBe('--a-c-b');
    });
  });

  it('infers the types of the emitted values', () => {
    const changes$ = new Subject<ChangeSet<string>>();
    const results$ = changes$.pipe(
      changedKeys(),
      workqueue(async (key, { reasons }) => {
        expectTypeOf(key).toEqualTypeOf<string>();
        expectTypeOf(reasons).toEqualTypeOf<readonly KeyReason[]>();
        return key === '' ? requeueAfter(5) : key.length;
      }),
      resultsOf(),
    );
    expectTypeOf(results$).toEqualTypeOf<Observable<number>>();
    expect(changes$.observed).toBe(false);
  });
});

const joinReasons = (reasons: readonly string[]): string => reasons.join(' and ');

const requests = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, { key, priority: 0, reason: undefined }]));

function expectDebounced(debounce: number | DebounceOptions, input: string, expected: string): void {
  informerTest(({ hot, expectObservable, expectSubscriptions, scheduler }) => {
    const source = hot(input, requests);
    expectObservable(source.pipe(debounceKeys(debounce, { joinReasons, scheduler }))).toBe(expected, requests);
    const end = input.search(/[|#]/);
    if (end >= 0) expectSubscriptions(source.subscriptions).toBe(`^${'-'.repeat(end - 1)}!`);
  });
}

describe('debounceKeys', () => {
  it('emits a key after its quiet period', () => {
    expectDebounced(5, '-a-a--------|', '--------a---|');
  });

  it('debounces each key separately', () => {
    expectDebounced(5, '-a-b-a------|', '--------b-a-|');
  });

  it('emits a key that changes constantly after the maximum wait', () => {
    expectDebounced({ wait: 3, maxWait: 8 }, '-a-a-a-a-a-a-a-a-a----|', '---------a---------a--|');
  });

  it('waits at most ten times as long by default', () => {
    const every3 = 'a--'.repeat(20);
    expectDebounced(4, every3, `${'-'.repeat(40)}a--------------------a`);
  });

  it('emits the held keys when the source completes', () => {
    expectDebounced(5, '-ab|', '---(ab|)');
  });

  it('passes an error on at once, and drops the held keys', () => {
    expectDebounced(5, '-ab#', '---#');
  });

  it('holds nothing back for 0', () => {
    expectDebounced(0, '-ab-|', '-ab-|');
  });

  it('keeps the highest priority and every reason once', () => {
    const clock = virtualClock();
    const source = new Subject<KeyRequest<string, string>>();
    const out: unknown[] = [];
    source.pipe(debounceKeys(5, { joinReasons, scheduler: clock })).subscribe((request) => out.push(request));
    source.next({ key: 'a', priority: -100, reason: 'list' });
    source.next({ key: 'a', priority: 0, reason: 'watch' });
    source.next({ key: 'a', priority: -100, reason: 'watch' });
    clock.advance(4);
    expect(out).toEqual([]);
    clock.advance(1);
    expect(out).toEqual([{ key: 'a', priority: 0, reason: 'list and watch' }]);
  });

  it('keeps the delay of a request; of several requests for a key, the shortest delay', () => {
    const clock = virtualClock();
    const source = new Subject<KeyRequest<string, string>>();
    const out: unknown[] = [];
    source.pipe(debounceKeys(5, { joinReasons, scheduler: clock })).subscribe((request) => out.push(request));
    source.next({ key: 'a', delay: 300 });
    source.next({ key: 'b', delay: 300 });
    source.next({ key: 'b', delay: 200 });
    source.next({ key: 'c', delay: 300 });
    source.next({ key: 'c' });
    clock.advance(5);
    expect(out).toMatchObject([{ key: 'a', delay: 300 }, { key: 'b', delay: 200 }, { key: 'c' }]);
    expect(out[2]).not.toHaveProperty('delay');
  });

  it('stays correct if its subscriber adds keys during an emission', () => {
    const clock = virtualClock();
    const source = new Subject<KeyRequest<string, string>>();
    const times: number[] = [];
    source.pipe(debounceKeys(5, { joinReasons, scheduler: clock })).subscribe(({ key }) => {
      times.push(clock.now());
      if (times.length < 3) source.next({ key });
    });
    source.next({ key: 'a' });
    clock.advance(100);
    expect(times).toEqual([5, 10, 15]);
    expect(clock.timers).toBe(0);
  });

  it('G8: leaves no timer when the subscriber unsubscribes, also in the middle of an emission', () => {
    const clock = virtualClock();
    const source = new Subject<KeyRequest<string, string>>();
    const subscription = source.pipe(debounceKeys(5, { joinReasons, scheduler: clock })).subscribe(() => {
      subscription.unsubscribe();
    });
    source.next({ key: 'a' });
    source.next({ key: 'b' });
    clock.advance(3);
    source.next({ key: 'c' });
    clock.advance(2);
    expect(subscription.closed).toBe(true);
    expect(clock.timers).toBe(0);
    expect(source.observed).toBe(false);
  });

  it.each([[-1], [Number.NaN], [2 ** 31], [{ wait: 5, maxWait: 4 }], [{ wait: 5, maxWait: Number.NaN }]])(
    'refuses invalid times: %j',
    (debounce) => {
      expect((): unknown => debounceKeys(debounce, { joinReasons, scheduler: virtualClock() })).toThrow(
        errorWith('RXI_INVALID_OPTION'),
      );
    },
  );

  it('accepts an infinite maxWait', () => {
    expect(typeof debounceKeys({ wait: 5, maxWait: Infinity }, { joinReasons, scheduler: virtualClock() })).toBe(
      'function',
    );
  });
});

describe('DebounceState', () => {
  it('agrees with a naive model for every history', () => {
    const wait = 5;
    const maxWait = 12;
    const steps = fc.array(fc.record({ pause: fc.nat(6), key: fc.constantFrom('a', 'b', 'c') }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (history) => {
        const state = new DebounceState<string>({ wait, maxWait });
        const model = new Map<string, { first: number; last: number }>();
        let now = 0;
        for (const { pause, key } of history) {
          for (const end = now + pause; now < end; now++) {
            const due = [...model].filter(([, { first, last }]) => now >= Math.min(last + wait, first + maxWait));
            expect(state.release(now).map((request) => request.key)).toEqual(
              expect.arrayContaining(due.map(([name]) => name)),
            );
            for (const [name] of due) model.delete(name);
            const deadlines = [...model.values()].map(({ first, last }) => Math.min(last + wait, first + maxWait));
            expect(state.nextDeadline).toBe(deadlines.length > 0 ? Math.min(...deadlines) : undefined);
          }
          state.hold({ key }, now);
          model.set(key, { first: model.get(key)?.first ?? now, last: now });
        }
        expect(new Set(state.release(Infinity).map(({ key }) => key))).toEqual(new Set(model.keys()));
      }),
    );
  });
});
