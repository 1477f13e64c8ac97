import { expectTypeOf } from 'expect-type';
import { filterUpdates, type ChangeSet, anyOf, generationChanged, labelsChanged, noneOf } from 'rx-informers';
import { changed } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { of, Subject, type Observable } from 'rxjs';
import { added, changeSet, deleted, updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';

const one = aPod({ uid: 'first', generation: 1 });
const two = aPod({ uid: 'first', generation: 2 });
const twoLabelled = aPod({ uid: 'first', generation: 2, labels: { app: 'x' } });
const reborn = aPod({ generation: 2, uid: 'another' });
const matters = changeSet('watch', updated(one, two));
const doesNot = changeSet('watch', updated(two, twoLabelled));

describe.each([
  ['filterUpdates', () => filterUpdates<Pod>(generationChanged)],
  ['filterUpdates with changed', () => filterUpdates<Pod>(changed<Pod, unknown>((pod) => pod.metadata.generation))],
])('the operator %s filters updates', (_name, operator) => {
  const pass = (set: ChangeSet<Pod>): ChangeSet<Pod> | undefined => {
    let result: ChangeSet<Pod> | undefined;
    of(set)
      .pipe(operator())
      .subscribe((passed) => (result = passed));
    return result;
  };

  it('emits only updates that its condition selects', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('  -a-b-a|', { a: matters, b: doesNot });
      const expected = '  -a---a|';
      expectObservable(sets.pipe(operator())).toBe(expected, { a: matters });
      expectSubscriptions(sets.subscriptions).toBe('^-----!');
    });
  });

  it('emits additions and deletions unchanged, and keeps the order and the reason', () => {
    const b = aPod({ name: 'b' });
    const set = changeSet('relist', deleted(b, true), updated(two, twoLabelled), added(b), updated(one, two));
    expect(pass(set)).toEqual(changeSet('relist', deleted(b, true), added(b), updated(one, two)));
  });

  it('emits an update to another uid, regardless of the predicate', () => {
    const set = changeSet('watch', updated(two, reborn));
    expect(pass(set)).toBe(set);
  });

  it('emits a change set unchanged if nothing is dropped, even an empty one', () => {
    expect(pass(matters)).toBe(matters);
    const empty = changeSet<Pod>('initial');
    expect(pass(empty)).toBe(empty);
  });

  it('drops the updates of a resync, whose objects are the same', () => {
    expect(pass(changeSet('resync', updated(one, one)))).toBeUndefined();
  });

  it('completes with a source that emits nothing', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ChangeSet<Pod>>('--|').pipe(operator())).toBe('--|');
    });
  });

  it('passes an error on', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold('-a#', { a: matters }).pipe(operator())).toBe('-a#', { a: matters });
    });
  });

  it('unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const sets = hot('-a-a-', { a: matters });
      expectObservable(sets.pipe(operator()), '^-!').toBe('-a', { a: matters });
      expectSubscriptions(sets.subscriptions).toBe('   ^-!');
    });
  });

  it('keeps the order if a subscriber makes the source emit during an emission', () => {
    const sets = new Subject<ChangeSet<Pod>>();
    const reasons: string[] = [];
    sets.pipe(operator()).subscribe(({ reason }) => {
      reasons.push(reason);
      if (reason === 'initial') sets.next(matters);
    });
    sets.next(changeSet('initial', added(one)));
    expect(reasons).toEqual(['initial', 'watch']);
  });
});

describe('filterUpdates', () => {
  it('accepts combinations of predicates', () => {
    informerTest(({ hot, expectObservable }) => {
      const sets = hot('-a-b|', { a: matters, b: doesNot });
      expectObservable(sets.pipe(filterUpdates(anyOf(generationChanged, labelsChanged)))).toBe('-a-b|', {
        a: matters,
        b: doesNot,
      });
      expectObservable(sets.pipe(filterUpdates(noneOf(generationChanged)))).toBe('             ---b|', { b: doesNot });
    });
  });

  it('emits an error of the predicate as an error of the stream', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const boom = new Error('boom');
      const sets = cold('-a-a|', { a: matters });
      const failing = (): boolean => {
        throw boom;
      };
      expectObservable(sets.pipe(filterUpdates(failing))).toBe('-#', undefined, boom);
      expectSubscriptions(sets.subscriptions).toBe('^!');
    });
  });

  it('keeps the type of the objects in a pipe', () => {
    const sets$: Observable<ChangeSet<Pod>> = of();
    expectTypeOf(sets$.pipe(filterUpdates(generationChanged))).toEqualTypeOf<Observable<ChangeSet<Pod>>>();
    expectTypeOf(sets$.pipe(filterUpdates(anyOf(generationChanged, labelsChanged)))).toEqualTypeOf<
      Observable<ChangeSet<Pod>>
    >();
    expectTypeOf(sets$.pipe(filterUpdates(({ object }) => object.spec.nodeName !== undefined))).toEqualTypeOf<
      Observable<ChangeSet<Pod>>
    >();
  });
});

describe('filterUpdates with changed', () => {
  it('compares with the given function', () => {
    const odd = (generation = 0): boolean => generation % 2 === 1;
    const sameParity = (previous?: number, next?: number): boolean => odd(previous) === odd(next);
    const three = aPod({ generation: 3 });
    informerTest(({ hot, expectObservable }) => {
      const values = { a: matters, c: changeSet('watch', updated(one, three)) };
      const sets = hot('-a-c|', values);
      const expected = '-a--|';
      expectObservable(sets.pipe(filterUpdates(changed((pod) => pod.metadata.generation, sameParity)))).toBe(
        expected,
        values,
      );
    });
  });

  it('keeps the type of the objects in a pipe', () => {
    const sets$: Observable<ChangeSet<Pod>> = of();
    expectTypeOf(sets$.pipe(filterUpdates(changed((pod) => pod.spec.nodeName)))).toEqualTypeOf<
      Observable<ChangeSet<Pod>>
    >();
  });
});
