import { expectTypeOf } from 'expect-type';
import { EMPTY, of, Subject, type Observable } from 'rxjs';
import { BufferOverflowError, conflateMap, type ChangeSet } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { added, changeSet, deleted, updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';

const one = aPod({ version: 1 });
const two = aPod({ version: 2 });
const three = aPod({ version: 3 });
const b = aPod({ name: 'b' });
const values = {
  i: changeSet('initial', added(one)),
  u: changeSet('watch', updated(one, two)),
  v: changeSet('watch', updated(two, three)),
  b: changeSet('watch', added(b)),
};

/** What a call was given, readable: `initial a@2`. */
const describeSet = ({ reason, changes }: ChangeSet<Pod>): string =>
  [reason, ...changes.map(({ type, key, object }) => `${type} ${key}@${object.metadata.resourceVersion ?? ''}`)].join(
    ' ',
  );

describe('conflateMap', () => {
  it('runs one call at a time, and merges what comes in meanwhile into the next one', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('---(r|)', { r: 0 });
      const sets = hot(' -i-u-----b----|', { ...values });
      expectObservable(sets.pipe(conflateMap(() => work))).toBe('----r--r----r-|', { r: 0 });
      expectSubscriptions(work.subscriptions).toBe(['-^--!', '----^--!', '---------^--!']);
      expectSubscriptions(sets.subscriptions).toBe('^-------------!');
    });
  });

  it('gives each call the net effect, in order', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const calls: { readonly given: string; readonly done: Subject<never> }[] = [];
    sets
      .pipe(
        conflateMap((set) => {
          const done = new Subject<never>();
          calls.push({ given: describeSet(set), done });
          return done;
        }),
      )
      .subscribe();
    sets.next(values.i);
    sets.next(values.u);
    sets.next(values.b);
    sets.next(values.v);
    calls[0]?.done.complete();
    calls[1]?.done.complete();
    sets.next(changeSet('watch', deleted(three)));
    expect(calls.map(({ given }) => given)).toEqual([
      'initial added a@1',
      'watch updated a@3 added b@',
      'watch deleted a@3',
    ]);
  });

  it('does not call where everything cancelled out meanwhile', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----|');
      const sets = hot('-u-a-d----|', {
        ...values,
        a: changeSet('watch', added(b)),
        d: changeSet('watch', deleted(b)),
      });
      expectObservable(sets.pipe(conflateMap(() => work))).toBe('----------|');
      expectSubscriptions(work.subscriptions).toBe('-^----!');
    });
  });

  it('does not call for an empty change, but does for an empty initial state', () => {
    const given: string[] = [];
    of(changeSet<Pod>('initial'), changeSet<Pod>('watch'))
      .pipe(
        conflateMap((set) => {
          given.push(describeSet(set));
          return EMPTY;
        }),
      )
      .subscribe();
    expect(given).toEqual(['initial']);
  });

  it('does not complete before the running call and what is pending behind it', () => {
    informerTest(({ hot, cold, expectObservable }) => {
      const work = cold('---(r|)', { r: 0 });
      const sets = hot(' -u-v|', values);
      const expected = ' ----r--(r|)';
      expectObservable(sets.pipe(conflateMap(() => work))).toBe(expected, { r: 0 });
    });
  });

  it('completes with a source that emits nothing', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ChangeSet<Pod>>('--|').pipe(conflateMap(() => EMPTY))).toBe('--|');
    });
  });

  it('passes an error of the source on at once, and ends the running call', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----|');
      expectObservable(hot('-u-#', values).pipe(conflateMap(() => work))).toBe('---#');
      expectSubscriptions(work.subscriptions).toBe('-^-!');
    });
  });

  it('passes an error of a call on, and leaves the source', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-v--', values);
      expectObservable(sets.pipe(conflateMap(() => cold('--#')))).toBe('---#');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
    });
  });

  it('passes on what project throws', () => {
    const boom = new Error('boom');
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-v--', values);
      const failing = (): never => {
        throw boom;
      };
      expectObservable(sets.pipe(conflateMap(failing))).toBe('-#', undefined, boom);
      expectSubscriptions(sets.subscriptions).toBe('^!');
    });
  });

  it('G8: ends the running call when its subscriber leaves, and makes no further one', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('---|');
      const sets = hot('-u-v----', values);
      expectObservable(sets.pipe(conflateMap(() => work)), '^--!').toBe('----');
      expectSubscriptions(work.subscriptions).toBe('-^-!');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
    });
  });

  it('G11: ends with a BufferOverflowError where more keys wait behind a call than allowed, for this subscriber only', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----------|');
      const sets = hot('-i-u-v-b-|', values);
      expectObservable(sets.pipe(conflateMap(() => work, { maxKeys: 1 }))).toBe(
        '-------#',
        undefined,
        new BufferOverflowError(1),
      );
      expectObservable(sets).toBe('-i-u-v-b-|', values);
      expectSubscriptions(work.subscriptions).toBe('-^-----!');
    });
  });

  it('G11: does not count what goes straight into a call', () => {
    const initial = changeSet('initial', added(one), added(b));
    informerTest(({ hot, cold, expectObservable }) => {
      const sets = hot('-i---i---|', { i: initial });
      expectObservable(sets.pipe(conflateMap(() => cold('-|'), { maxKeys: 1 }))).toBe('---------|');
    });
  });

  it('takes a change that a call causes into the next one, even where calls are done at once', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const given: string[] = [];
    sets
      .pipe(
        conflateMap((set) => {
          given.push(describeSet(set));
          if (set === values.u) {
            sets.next(values.v);
            sets.next(values.b);
          }
          return EMPTY;
        }),
      )
      .subscribe();
    sets.next(values.u);
    expect(given).toEqual(['watch updated a@2', 'watch updated a@3 added b@']);
  });

  it('keeps going for thousands of calls that are done at once', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    let calls = 0;
    sets.pipe(conflateMap(() => of(++calls))).subscribe();
    for (let index = 0; index < 20_000; index++) sets.next(values.u);
    expect(calls).toBe(20_000);
  });

  it('waits for promises', async () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const saved = new Promise<string[]>((resolve) => {
      const given: string[] = [];
      sets.pipe(conflateMap((set) => Promise.resolve(describeSet(set)))).subscribe({
        next: (text) => given.push(text),
        complete: () => {
          resolve(given);
        },
      });
    });
    sets.next(values.i);
    sets.next(values.u);
    sets.next(values.v);
    sets.complete();
    await expect(saved).resolves.toEqual(['initial added a@1', 'watch updated a@3']);
  });

  it('infers the types of a pipe', () => {
    const sets$: Observable<ChangeSet<Pod>> = EMPTY;
    expectTypeOf(
      sets$.pipe(conflateMap(({ changes }) => Promise.resolve(changes[0]?.object.spec.nodeName))),
    ).toEqualTypeOf<Observable<string | undefined>>();
  });
});
