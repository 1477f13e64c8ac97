import { filterUpdates, type ChangeSet, generationChanged } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { resync } from 'rx-informers/views';
import { Subject } from 'rxjs';
import { added, changeSet, deleted, updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const a = aPod({ name: 'a' });
const a2 = aPod({ name: 'a', version: 2 });
const b = aPod({ name: 'b' });
const initial = changeSet('initial', added(a));
const resyncOf = (...pods: Pod[]): ChangeSet<Pod> => changeSet('resync', ...pods.map((pod) => updated(pod, pod)));

describe('resync', () => {
  it('emits every change, and every period all current objects again', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('-i------b-----|', { i: initial, b: changeSet('watch', added(b)) });
      const expected = '-i----r-b--s--|';
      expectObservable(sets.pipe(resync(5))).toBe(expected, {
        i: initial,
        r: resyncOf(a),
        b: changeSet('watch', added(b)),
        s: resyncOf(a, b),
      });
      expectSubscriptions(sets.subscriptions).toBe('^-------------!');
    });
  });

  it('emits the newest version again, and no deleted object', () => {
    informerTest(({ hot, expectObservable }) => {
      const values = {
        i: changeSet('initial', added(a), added(b)),
        u: changeSet('watch', updated(a, a2), deleted(b)),
        r: resyncOf(a2),
      };
      const sets = hot('i-u----|', values);
      const expected = 'i-u-r--|';
      expectObservable(sets.pipe(resync(4))).toBe(expected, values);
    });
  });

  it('emits the same object as previous and as object', () => {
    informerTest(({ cold, expectObservable, scheduler }) => {
      const resynced: ChangeSet<Pod>[] = [];
      const sets = cold('i-------|', { i: initial });
      expectObservable(sets).toBe('i-------|', { i: initial });
      sets.pipe(resync(5, { scheduler })).subscribe((set) => resynced.push(set));
      scheduler.flush();
      const [change] = resynced[1]?.changes ?? [];
      expect(change?.type === 'updated' && change.previous === change.object && change.object === a).toBe(true);
    });
  });

  it('starts its timer with the first set, not with the subscription', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('----i-----|', { i: initial });
      const expected = '----i--r--|';
      expectObservable(sets.pipe(resync(3))).toBe(expected, { i: initial, r: resyncOf(a) });
    });
  });

  it('R20 ▲: is not delayed by relists, however often they occur', () => {
    informerTest(({ hot, expectObservable }) => {
      const relist = changeSet('relist', updated(a, a));
      const sets = hot('i-l-l-l-l-|', { i: initial, l: relist });
      const expected = 'i-l-lrl-l-|';
      expectObservable(sets.pipe(resync(5))).toBe(expected, { i: initial, l: relist, r: resyncOf(a) });
    });
  });

  it('emits nothing while it has no objects, and continues when there is one', () => {
    informerTest(({ hot, expectObservable }) => {
      const empty = changeSet<Pod>('initial');
      const sets = hot('e-------b---|', { e: empty, b: changeSet('watch', added(b)) });
      const expected = 'e-------br--|';
      expectObservable(sets.pipe(resync(3))).toBe(expected, {
        e: empty,
        b: changeSet('watch', added(b)),
        r: resyncOf(b),
      });
    });
  });

  it('respects the filters before it: resyncs only objects that passed them', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('i-u-----|', { i: initial, u: changeSet('watch', updated(a, a2)) });
      const expected = 'i----r--|';
      expectObservable(sets.pipe(filterUpdates(generationChanged), resync(5))).toBe(expected, {
        i: initial,
        r: resyncOf(a),
      });
    });
  });

  it('keeps for each subscriber the objects that the subscriber has received', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-a-b------', { a: changeSet('watch', added(a)), b: changeSet('watch', added(b)) });
      const resynced = sets.pipe(resync(4));
      const values = {
        a: changeSet('watch', added(a)),
        b: changeSet('watch', added(b)),
        r: resyncOf(a, b),
        s: resyncOf(b),
      };
      expectObservable(resynced, '^-------!').toBe('-a-b-r--', values);
      expectObservable(resynced, '--^-----!').toBe('---b---s', values);
    });
  });

  it('never resyncs with period 0', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('i-----|', { i: initial });
      expectObservable(sets.pipe(resync(0))).toBe('i-----|', { i: initial });
    });
  });

  it.each([-1, NaN, Infinity, 2 ** 31])('refuses a period of %p, which a timer would treat as zero', (period) => {
    expect(() => resync(period)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('completes with a source that emits nothing, without a timer', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ChangeSet<Pod>>('--|').pipe(resync(1))).toBe('--|');
    });
  });

  it('stops its timer at an error, and passes it on', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold('i--#', { i: initial }).pipe(resync(2))).toBe('i-r#', { i: initial, r: resyncOf(a) });
    });
  });

  it('G8: stops its timer and unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('i----------', { i: initial });
      expectObservable(sets.pipe(resync(2)), '^--!').toBe('i-r', { i: initial, r: resyncOf(a) });
      expectSubscriptions(sets.subscriptions).toBe('   ^--!');
    });
  });

  it('keeps the order if a subscriber makes the source emit during an emission', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const reasons: string[] = [];
    const subscription = sets.pipe(resync(1000)).subscribe(({ reason }) => {
      reasons.push(reason);
      if (reason === 'initial') sets.next(changeSet('watch', added(b)));
    });
    sets.next(initial);
    subscription.unsubscribe();
    expect(reasons).toEqual(['initial', 'watch']);
  });
});
