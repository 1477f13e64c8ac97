import fc from 'fast-check';
import { informerTest } from 'rx-informers/testing';
import { pauseChangesWhile, pauseWhile } from 'rx-informers/views';
import { BehaviorSubject, concat, EMPTY, NEVER, of, repeat, Subject, take, tap, throwError } from 'rxjs';
import { added, changeSet, deleted, updated } from '../../fixtures/changes.js';
import { aPod, type Pod } from '../../fixtures/pods.js';

const gate = { p: true, r: false };
const one = aPod({ version: 1 });
const two = aPod({ version: 2 });
const three = aPod({ version: 3 });

describe('pauseWhile', () => {
  it('emits everything while it is not paused, and the latest value when a pause ends', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const paused = hot(' --p----r---p-r----', gate);
      const values = hot(' -a--b-c--d------e-|');
      const expected = '   -a-----c-d------e-|';
      expectObservable(values.pipe(pauseWhile(paused))).toBe(expected);
      expectSubscriptions(paused.subscriptions).toBe('^-----------------!');
      expectSubscriptions(values.subscriptions).toBe('^-----------------!');
    });
  });

  it('holds back synchronous values if it is paused from the beginning', () => {
    informerTest(({ cold, hot, expectObservable }) => {
      const paused = concat(of(true), cold('---r---', gate));
      expectObservable(concat(of('a'), hot('--b--c|')).pipe(pauseWhile(paused))).toBe('---b-c|');
    });
  });

  it('ignores a repeated pause state', () => {
    informerTest(({ hot, expectObservable }) => {
      const paused = hot('p-pr-r-', gate);
      expectObservable(hot('-ab---c|').pipe(pauseWhile(paused))).toBe('---b--c|');
    });
  });

  it('passes undefined and null like other values', () => {
    const paused$ = new BehaviorSubject(true);
    const values = new Subject<null | undefined>();
    const seen: unknown[] = [];
    values.pipe(pauseWhile(paused$)).subscribe((value) => seen.push(value));
    values.next(null);
    values.next(undefined);
    paused$.next(false);
    values.next(null);
    expect(seen).toEqual([undefined, null]);
  });

  it('completes when the pause ends, after the held value', () => {
    informerTest(({ hot, expectObservable }) => {
      expectObservable(hot('-a|').pipe(pauseWhile(hot('p--r', gate)))).toBe('---(a|)');
      expectObservable(hot('-|').pipe(pauseWhile(hot('p--r', gate)))).toBe('---|');
    });
  });

  it('holds nothing back forever: if the notifier of the pause completes, the pause ends', () => {
    informerTest(({ hot, expectObservable }) => {
      expectObservable(hot('-ab--c|').pipe(pauseWhile(hot('p--|', gate)))).toBe('---b-c|');
      expectObservable(hot('ab|').pipe(pauseWhile(EMPTY))).toBe('ab|');
      expectObservable(hot('ab|').pipe(pauseWhile(NEVER))).toBe('ab|');
    });
  });

  it('passes errors of the source and of the pause on at once', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const values = hot('a--');
      expectObservable(hot('-a#').pipe(pauseWhile(hot('p--', gate)))).toBe('--#');
      expectObservable(values.pipe(pauseWhile(hot('-#-', gate)))).toBe('a#');
      expectSubscriptions(values.subscriptions).toBe('^!');
    });
  });

  it('does not subscribe to its source if the pause errors at once', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const values = cold('a');
      const failure = new Error('failed');
      expectObservable(values.pipe(pauseWhile(throwError(() => failure)))).toBe('#', undefined, failure);
      expectSubscriptions(values.subscriptions).toBe([]);
    });
  });

  it('unsubscribes from both when its subscriber unsubscribes (G8)', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const paused = hot('p---r', gate);
      const values = hot('-a---');
      expectObservable(values.pipe(pauseWhile(paused)), '^--!').toBe('-');
      expectSubscriptions(paused.subscriptions).toBe('^--!');
      expectSubscriptions(values.subscriptions).toBe('^--!');
    });
  });

  it('G8: stops a synchronous source when its subscriber unsubscribes', () => {
    let said = 0;
    const endless$ = of(0).pipe(
      tap(() => said++),
      repeat(),
    );
    endless$.pipe(pauseWhile(NEVER), take(3)).subscribe();
    expect(said).toBe(3);
  });

  it('respects a pause that its subscriber starts', () => {
    const paused$ = new BehaviorSubject(false);
    const values = new Subject<number>();
    const seen: number[] = [];
    values.pipe(pauseWhile(paused$)).subscribe((value) => {
      seen.push(value);
      paused$.next(true);
      if (value === 1) values.next(2);
    });
    values.next(1);
    values.next(3);
    expect(seen).toEqual([1]);
    paused$.next(false);
    expect(seen).toEqual([1, 3]);
  });
});

describe('pauseChangesWhile', () => {
  const values = {
    i: changeSet('initial', added(one)),
    u: changeSet('watch', updated(one, two)),
    v: changeSet('watch', updated(two, three)),
    m: changeSet('watch', updated(one, three)),
    a: changeSet('watch', added(one)),
    d: changeSet('watch', deleted(one)),
  };

  it('emits change sets while it is not paused, and one merged set when a pause ends', () => {
    informerTest(({ hot, expectObservable }) => {
      const paused = hot(' --p----r--', gate);
      const sets = hot('   -i--u-v--v|', values);
      const expected = '   -i-----m-v|';
      expectObservable(sets.pipe(pauseChangesWhile(paused))).toBe(expected, values);
    });
  });

  it('emits nothing for changes that cancelled out in the pause', () => {
    informerTest(({ hot, expectObservable }) => {
      const paused = hot('p--r--', gate);
      expectObservable(hot('-ad-a|', values).pipe(pauseChangesWhile(paused))).toBe('----a|', values);
    });
  });

  it('does not give the reason of changes that cancelled out to a later change', () => {
    informerTest(({ hot, expectObservable }) => {
      const relist = { ...values, d: changeSet('relist', deleted(one)) };
      const paused = hot('p--r--', gate);
      expectObservable(hot('-ad-a|', relist).pipe(pauseChangesWhile(paused))).toBe('----a|', relist);
    });
  });

  it('G1: emits an empty state when the pause ends', () => {
    const initial = changeSet<Pod>('initial');
    informerTest(({ hot, expectObservable }) => {
      const paused = hot('p--r-', gate);
      expectObservable(hot('-i--|', { i: initial }).pipe(pauseChangesWhile(paused))).toBe('---i|', { i: initial });
    });
  });

  it('results in the same content for any pauses', () => {
    const step = fc.oneof(
      { weight: 1, arbitrary: fc.boolean().map((isPaused) => ({ isPaused })) },
      { weight: 3, arbitrary: fc.record({ name: fc.constantFrom('a', 'b', 'c'), isThere: fc.boolean() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (history) => {
        const paused$ = new BehaviorSubject(false);
        const sets = new Subject<ReturnType<typeof changeSet<Pod>>>();
        const source = new Map<string, Pod>();
        const replica = new Map<string, Pod>();
        sets.pipe(pauseChangesWhile(paused$)).subscribe(({ changes }) => {
          for (const { type, key, object } of changes) {
            if (type === 'deleted') replica.delete(key);
            else replica.set(key, object);
          }
        });
        for (const [version, occurred] of history.entries()) {
          if ('isPaused' in occurred) {
            paused$.next(occurred.isPaused);
            continue;
          }
          const { name, isThere } = occurred;
          const stored = source.get(name);
          const next = aPod({ name, version });
          if (isThere) {
            source.set(name, next);
            sets.next(changeSet('watch', stored ? updated(stored, next) : added(next)));
          } else if (stored) {
            source.delete(name);
            sets.next(changeSet('watch', deleted(stored)));
          }
        }
        paused$.next(false);
        expect([...replica].sort()).toEqual([...source].sort());
      }),
      { numRuns: 30 },
    );
  });
});
