import { Subject, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { conflateChanges, type ChangeSet } from 'rx-informers';
import { frame } from 'rx-informers/views';
import { informerTest } from 'rx-informers/testing';
import { added, changeSet, deleted, updated } from '../../fixtures/changes.js';
import { aPod, type Pod } from '../../fixtures/pods.js';

const one = aPod({ version: 1 });
const two = aPod({ version: 2 });
const three = aPod({ version: 3 });
const values = {
  i: changeSet('initial', added(one)),
  e: changeSet<Pod>('initial'),
  n: changeSet<Pod>('watch'),
  u: changeSet('watch', updated(one, two)),
  v: changeSet('watch', updated(two, three)),
  m: changeSet('watch', updated(one, three)),
  a: changeSet('watch', added(three)),
  d: changeSet('watch', deleted(three)),
};

const conflateFrames = (scheduler: SchedulerLike) => conflateChanges<Pod>({ release: frame(scheduler), leading: true });

describe('conflateChanges with the release of a frame, and leading', () => {
  it('emits the state at once, and then what has changed with each frame, merged', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      const sets = hot('  -i-uv 20ms d-a 20ms d 30ms |', values);
      const expected = '  -i 17ms m 21ms r 22ms d 14ms |';
      const relisted = changeSet('watch', updated(three, three));
      expectObservable(sets.pipe(conflateFrames(scheduler))).toBe(expected, { ...values, r: relisted });
    });
  });

  it('G1: emits a state of nothing at once, too', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      expectObservable(hot('-e-n|', values).pipe(conflateFrames(scheduler))).toBe('-e--|', values);
    });
  });

  it('says nothing of what has cancelled out', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      expectObservable(hot('-e-a-d 30ms |', values).pipe(conflateFrames(scheduler))).toBe('-e 34ms |', values);
    });
  });

  it('completes after what is pending, and passes an error on at once', () => {
    informerTest(({ cold, expectObservable, scheduler }) => {
      expectObservable(cold('i-u|', values).pipe(conflateFrames(scheduler))).toBe('i 17ms (u|)', values);
      expectObservable(cold('i-u#', values).pipe(conflateFrames(scheduler))).toBe('i--#', values);
    });
  });

  it('leaves the source and takes back its frame when its subscriber leaves (G8)', () => {
    const scheduler = new VirtualTimeScheduler();
    const sets = new Subject<ChangeSet<Pod>>();
    const seen: ChangeSet<Pod>[] = [];
    const subscription = sets.pipe(conflateFrames(scheduler)).subscribe((set) => seen.push(set));
    sets.next(values.i);
    sets.next(values.u);
    subscription.unsubscribe();
    scheduler.flush();
    expect([seen, sets.observed]).toEqual([[values.i], false]);
  });
});
