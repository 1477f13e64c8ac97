import { concat, EMPTY, NEVER, of, Subject, timer } from 'rxjs';
import { BufferOverflowError, conflateChanges, type ChangeSet } from 'rx-informers';
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
  d: changeSet('watch', deleted(three)),
  b: changeSet('watch', added(b)),
  e: changeSet<Pod>('watch'),
};

describe('conflateChanges', () => {
  it('lets go of the merged changes a fixed time after the first one, and rests while nothing is pending', () => {
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

  it('releases on the notifier, and listens to it only while something is pending', () => {
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

  it('starts a cold release again for each round', () => {
    informerTest(({ hot, cold, expectObservable }) => {
      const release = cold('--r', { r: 0 });
      const sets = hot('   -u-----v---|', values);
      const expected = '   ---u-----v-|';
      expectObservable(sets.pipe(conflateChanges({ release }))).toBe(expected, values);
    });
  });

  it('lets go when the release completes, so that nothing is held for ever', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-u-v-|', values);
      expectObservable(sets.pipe(conflateChanges({ release: EMPTY }))).toBe('-u-v-|', values);
      expectObservable(sets.pipe(conflateChanges({ release: concat(timer(1), NEVER) }))).toBe('--u-v|', values);
    });
  });

  it('says nothing where everything cancelled out', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-a-d----|', { a: changeSet('watch', added(one)), d: changeSet('watch', deleted(one)) });
      const expected = '--------|';
      expectObservable(sets.pipe(conflateChanges({ every: 4 }))).toBe(expected);
    });
  });

  it('G1: delivers an empty initial state, and asks for no release because of an empty change', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const release = hot('----r----', { r: 0 });
      const initial = changeSet<Pod>('initial');
      const sets = hot('   -i-----e|', { i: initial, e: values.e });
      expectObservable(sets.pipe(conflateChanges({ release }))).toBe('----i---|', { i: initial });
      expectSubscriptions(release.subscriptions).toBe(['                -^--!']);
    });
  });

  it('lets go of what is pending before it completes', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-u|', values);
      expectObservable(sets.pipe(conflateChanges({ every: 5 }))).toBe('------(u|)', values);
    });
  });

  it('G11: ends with a BufferOverflowError where more keys wait than allowed, for this subscriber only', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-v-b-|', values);
      const bounded = sets.pipe(conflateChanges({ every: 10, maxKeys: 1 }));
      expectObservable(bounded).toBe('-----#', undefined, new BufferOverflowError(1));
      expectObservable(sets).toBe('-u-v-b-|', values);
      expectSubscriptions(sets.subscriptions).toBe(['^----!', '^------!']);
    });
  });

  it('completes with a source that emits nothing', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ChangeSet<Pod>>('--|').pipe(conflateChanges({ every: 1 }))).toBe('--|');
    });
  });

  it('passes an error of the source on at once, and drops what is pending', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold('-u#', values).pipe(conflateChanges({ every: 5 }))).toBe('--#');
    });
  });

  it('passes an error of the release on, and leaves the source', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const sets = hot('-u-----', values);
      expectObservable(sets.pipe(conflateChanges({ release: cold('--#') }))).toBe('---#');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
    });
  });

  it('G8: leaves source and release when its subscriber leaves', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const release = hot('-----');
      const sets = hot('-u---', values);
      expectObservable(sets.pipe(conflateChanges({ release })), '^--!').toBe('----');
      expectSubscriptions(sets.subscriptions).toBe('^--!');
      expectSubscriptions(release.subscriptions).toBe('-^-!');
    });
  });

  it('keeps what is pending for each subscriber apart', () => {
    informerTest(({ hot, expectObservable }) => {
      const conflated = hot('-u-v---|', values).pipe(conflateChanges({ every: 3 }));
      expectObservable(conflated, '^').toBe('    ----m--|', { m: changeSet('watch', updated(one, three)) });
      expectObservable(conflated, '--^').toBe('  ------v|', values);
    });
  });

  it('takes a change that its subscriber causes into the next round', () => {
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

  it('passes sets straight through where it is released at once', () => {
    const out: ChangeSet<Pod>[] = [];
    of(values.u, values.v)
      .pipe(conflateChanges({ release: of(0) }))
      .subscribe((set) => out.push(set));
    expect(out).toEqual([values.u, values.v]);
  });

  it.each([-1, NaN, Infinity])('refuses to wait for %p ms', (every) => {
    expect(() => conflateChanges({ every })).toThrow(RangeError);
  });
});
