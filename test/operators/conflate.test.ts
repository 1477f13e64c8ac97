import { expectTypeOf } from 'expect-type';
import { conflateChanges, type ChangeSet } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { conflateMap } from 'rx-informers/views';
import { concat, EMPTY, NEVER, of, Subject, timer, type Observable } from 'rxjs';
import { bufferOverflowError } from '../../src/operators/conflate-changes.js';
import { added, changeSet, deleted, updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const one = aPod({ version: 1 });

const two = aPod({ version: 2 });

const three = aPod({ version: 3 });

const b = aPod({ name: 'b' });

describe('conflateChanges', () => {
  const values = {
    i: changeSet('initial', added(one)),
    u: changeSet('watch', updated(one, two)),
    v: changeSet('watch', updated(two, three)),
    d: changeSet('watch', deleted(three)),
    b: changeSet('watch', added(b)),
    e: changeSet<Pod>('watch'),
  };

  it('emits the merged changes a fixed time after the first one, and has no timer while nothing is pending', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('-i-u---v-------d----|', values);
      const expected = '-----m-----v-------d|';
      expectObservable(sets.pipe(conflateChanges({ every: 4 }))).toBe(expected, {
        ...values,
        m: changeSet('initial', added(two)),
      });
      expectSubscriptions(sets.subscriptions).toBe('^-------------------!');
    });
  });

  it('emits on the notifier, and subscribes to it only while something is pending', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const release = hot('--r---r---r---r-', { r: 0 });
      const sets = hot('   ---u-v------b--|', values);
      const expected = '   ------m-------b|';
      expectObservable(sets.pipe(conflateChanges({ release }))).toBe(expected, {
        ...values,
        m: changeSet('watch', updated(one, three)),
      });
      expectSubscriptions(release.subscriptions).toBe(['---^--!', '------------^-!']);
    });
  });

  it('subscribes to a cold notifier again for each round', () => {
    informerTest(({ hot, cold, expectObservable }) => {
      const release = cold('--r', { r: 0 });
      const sets = hot('   -u-----v---|', values);
      const expected = '   ---u-----v-|';
      expectObservable(sets.pipe(conflateChanges({ release }))).toBe(expected, values);
    });
  });

  it('emits when the notifier completes, so nothing is held forever', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-u-v-|', values);
      expectObservable(sets.pipe(conflateChanges({ release: EMPTY }))).toBe('-u-v-|', values);
      expectObservable(sets.pipe(conflateChanges({ release: concat(timer(1), NEVER) }))).toBe('--u-v|', values);
    });
  });

  it('emits nothing if all changes cancelled out', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-a-d----|', { a: changeSet('watch', added(one)), d: changeSet('watch', deleted(one)) });
      const expected = '--------|';
      expectObservable(sets.pipe(conflateChanges({ every: 4 }))).toBe(expected);
    });
  });

  it('does not give a change the reason of earlier changes that cancelled out', () => {
    informerTest(({ hot, expectObservable }) => {
      const cancelled = { r: changeSet('relist', added(one)), d: changeSet('watch', deleted(one)) };
      const sets = hot('-r-d------b----|', { ...values, ...cancelled });
      const expected = '--------------b|';
      expectObservable(sets.pipe(conflateChanges({ every: 4 }))).toBe(expected, values);
    });
  });

  it('G1: emits an empty initial state, and starts no round for an empty change', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const release = hot('----r----', { r: 0 });
      const initial = changeSet<Pod>('initial');
      const sets = hot('   -i-----e|', { i: initial, e: values.e });
      expectObservable(sets.pipe(conflateChanges({ release }))).toBe('----i---|', { i: initial });
      expectSubscriptions(release.subscriptions).toBe(['                -^--!']);
    });
  });

  it('emits pending changes before it completes', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-u|', values);
      expectObservable(sets.pipe(conflateChanges({ every: 5 }))).toBe('------(u|)', values);
    });
  });

  it('G11: errors with an RXI_BUFFER_OVERFLOW if more keys are pending than allowed, for this subscriber only', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-v-b-|', values);
      const bounded = sets.pipe(conflateChanges({ every: 10, maxKeys: 1 }));
      expectObservable(bounded).toBe('-----#', undefined, bufferOverflowError(1));
      expectObservable(sets).toBe('-u-v-b-|', values);
      expectSubscriptions(sets.subscriptions).toBe(['^----!', '^------!']);
    });
  });

  it('completes with a source that emits nothing', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ChangeSet<Pod>>('--|').pipe(conflateChanges({ every: 1 }))).toBe('--|');
    });
  });

  it('passes an error of the source on at once, and drops pending changes', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold('-u#', values).pipe(conflateChanges({ every: 5 }))).toBe('--#');
    });
  });

  it('passes an error of the notifier on, and unsubscribes from the source', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-----', values);
      expectObservable(sets.pipe(conflateChanges({ release: cold('--#') }))).toBe('---#');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
    });
  });

  it('G8: unsubscribes from source and notifier when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const release = hot('-----');
      const sets = hot('-u---', values);
      expectObservable(sets.pipe(conflateChanges({ release })), '^--!').toBe('----');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
      expectSubscriptions(release.subscriptions).toBe('-^-!');
    });
  });

  it('keeps pending changes of each subscriber separate', () => {
    informerTest(({ hot, expectObservable }) => {
      const conflated = hot('-u-v---|', values).pipe(conflateChanges({ every: 3 }));
      expectObservable(conflated, '^').toBe('    ----m--|', { m: changeSet('watch', updated(one, three)) });
      expectObservable(conflated, '--^').toBe('  ------v|', values);
    });
  });

  it('emits a change that its subscriber causes in the next round', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const release = new Subject<void>();
    const out: ChangeSet<Pod>[] = [];
    sets.pipe(conflateChanges({ release })).subscribe((set) => {
      out.push(set);
      if (out.length === 1) sets.next(values.v);
    });
    sets.next(values.u);
    release.next();
    expect(out).toEqual([values.u]);
    release.next();
    expect(out).toEqual([values.u, values.v]);
  });

  it('passes change sets through unchanged if it emits at once', () => {
    const out: ChangeSet<Pod>[] = [];
    of(values.u, values.v)
      .pipe(conflateChanges({ release: of(0) }))
      .subscribe((set) => out.push(set));
    expect(out).toEqual([values.u, values.v]);
  });

  it.each([-1, NaN, Infinity])('throws for a wait of %p ms', (every) => {
    expect(() => conflateChanges({ every })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});

/** The argument of a call, readable: `initial a@2`. */
const describeSet = ({ reason, changes }: ChangeSet<Pod>): string =>
  [reason, ...changes.map(({ type, key, object }) => `${type} ${key}@${object.metadata.resourceVersion ?? ''}`)].join(
    ' ',
  );

describe('conflateMap', () => {
  const values = {
    i: changeSet('initial', added(one)),
    u: changeSet('watch', updated(one, two)),
    v: changeSet('watch', updated(two, three)),
    b: changeSet('watch', added(b)),
  };

  it('runs one call at a time, and merges changes meanwhile into the next one', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('---(r|)', { r: 0 });
      const sets = hot(' -i-u-----b----|', { ...values });
      expectObservable(sets.pipe(conflateMap(() => work))).toBe('----r--r----r-|', { r: 0 });
      expectSubscriptions(work.subscriptions).toBe(['-^--!', '----^--!', '---------^--!']);
      expectSubscriptions(sets.subscriptions).toBe('^-------------!');
    });
  });

  it('passes each call the net effect, in order', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const calls: { readonly input: string; readonly done: Subject<never> }[] = [];
    sets
      .pipe(
        conflateMap((set) => {
          const done = new Subject<never>();
          calls.push({ input: describeSet(set), done });
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
    expect(calls.map(({ input }) => input)).toEqual([
      'initial added a@1',
      'watch updated a@3 added b@',
      'watch deleted a@3',
    ]);
  });

  it('does not call if all changes cancelled out meanwhile', () => {
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

  it('does not give a call the reason of earlier changes that cancelled out', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const calls = [new Subject<never>(), new Subject<never>()];
    const reasons: string[] = [];
    sets
      .pipe(
        conflateMap(({ reason }) => {
          reasons.push(reason);
          return calls.shift() ?? EMPTY;
        }),
      )
      .subscribe();
    const [first] = calls;
    sets.next(changeSet('watch', added(b)));
    sets.next(changeSet('relist', added(one)));
    sets.next(changeSet('watch', deleted(one)));
    first?.complete();
    sets.next(changeSet('watch', added(two)));
    expect(reasons).toEqual(['watch', 'watch']);
  });

  it('does not call for an empty change, but does for an empty initial state', () => {
    const input: string[] = [];
    of(changeSet<Pod>('initial'), changeSet<Pod>('watch'))
      .pipe(
        conflateMap((set) => {
          input.push(describeSet(set));
          return EMPTY;
        }),
      )
      .subscribe();
    expect(input).toEqual(['initial']);
  });

  it('does not complete before the running call and the pending one', () => {
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

  it('passes an error of the source on at once, and unsubscribes from the running call', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----|');
      expectObservable(hot('-u-#', values).pipe(conflateMap(() => work))).toBe('---#');
      expectSubscriptions(work.subscriptions).toBe('-^-!');
    });
  });

  it('passes an error of a call on, and unsubscribes from the source', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-v--', values);
      expectObservable(sets.pipe(conflateMap(() => cold('--#')))).toBe('---#');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
    });
  });

  it('passes on an error thrown by project', () => {
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

  it('G8: unsubscribes from the running call when its subscriber unsubscribes, and starts no further one', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('---|');
      const sets = hot('-u-v----', values);
      expectObservable(sets.pipe(conflateMap(() => work)), '^--!').toBe('----');
      expectSubscriptions(work.subscriptions).toBe('-^-!');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
    });
  });

  it('G11: errors with an RXI_BUFFER_OVERFLOW if more keys are pending behind a call than allowed, for this subscriber only', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----------|');
      const sets = hot('-i-u-v-b-|', values);
      expectObservable(sets.pipe(conflateMap(() => work, { maxKeys: 1 }))).toBe(
        '-------#',
        undefined,
        bufferOverflowError(1),
      );
      expectObservable(sets).toBe('-i-u-v-b-|', values);
      expectSubscriptions(work.subscriptions).toBe('-^-----!');
    });
  });

  it('G11: does not count changes that start a call at once', () => {
    const initial = changeSet('initial', added(one), added(b));
    informerTest(({ hot, cold, expectObservable }) => {
      const sets = hot('-i---i---|', { i: initial });
      expectObservable(sets.pipe(conflateMap(() => cold('-|'), { maxKeys: 1 }))).toBe('---------|');
    });
  });

  it('passes a change that a call causes to the next call, even if calls complete synchronously', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const input: string[] = [];
    sets
      .pipe(
        conflateMap((set) => {
          input.push(describeSet(set));
          if (set === values.u) {
            sets.next(values.v);
            sets.next(values.b);
          }
          return EMPTY;
        }),
      )
      .subscribe();
    sets.next(values.u);
    expect(input).toEqual(['watch updated a@2', 'watch updated a@3 added b@']);
  });

  it('supports thousands of calls that complete synchronously', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    let calls = 0;
    sets.pipe(conflateMap(() => of(++calls))).subscribe();
    for (let index = 0; index < 20_000; index++) sets.next(values.u);
    expect(calls).toBe(20_000);
  });

  it('waits for promises', async () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const saved = new Promise<string[]>((resolve) => {
      const input: string[] = [];
      sets.pipe(conflateMap((set) => Promise.resolve(describeSet(set)))).subscribe({
        next: (text) => input.push(text),
        complete: () => {
          resolve(input);
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
