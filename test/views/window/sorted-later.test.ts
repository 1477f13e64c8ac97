import fc from 'fast-check';
import { type SortColumn, type View, window$, type WindowOptions } from 'rx-informers/views';
import { BehaviorSubject, VirtualAction, VirtualTimeScheduler } from 'rxjs';
import { oracle } from './oracle.js';
import { aThing, groupOf, nameOf, sizeOf, textOf, thingsOf, type Thing, type Things } from './thing.js';

type Options = WindowOptions<Thing, 'group'>;

/** More rows than are sorted at once. */
const MANY = 3000;

const groups = ['x', 'y', 'z'] as const;

const someThing = (n: number, size: number): Thing => aThing(`t${n}`, { group: groups[size % 3]!, size: size % 700 });

const manyThings = (): Things =>
  thingsOf(...Array.from({ length: MANY }, (_, n) => someThing(n, (n * 7919 + 13) % 10_007)));

/**
 * Time in which every look at the clock takes 5 ms, so that each slice is one step; `slice` runs
 * one.
 */
class SlicedTime extends VirtualTimeScheduler {
  #time = 0;

  constructor() {
    super(VirtualAction);
    this.now = () => (this.#time += 5);
  }

  /** Returns false if there was nothing to do. */
  slice(): boolean {
    const action = this.actions.shift();
    action?.execute(action.state, 0);
    return action !== undefined;
  }
}

const bySize: readonly SortColumn<Thing>[] = [{ value: sizeOf }];

const orders: readonly (readonly SortColumn<Thing>[])[] = [
  [],
  bySize,
  [{ value: sizeOf, direction: 'descending' }],
  [{ value: groupOf }, { value: sizeOf, direction: 'descending' }],
  [{ value: nameOf, collator: new Intl.Collator('en', { numeric: true }) }],
  [{ value: nameOf, collator: new Intl.Collator('cs', { numeric: true }), direction: 'descending' }],
];

const filters = [
  undefined,
  (thing: Thing) => (thing.size ?? 0) % 2 === 0,
  ({ group }: Thing) => group === 'x',
] as const;

const numbers = fc.nat(MANY + 50);

const anOption: fc.Arbitrary<Options> = fc.oneof(
  fc.record({ offset: fc.oneof(fc.nat(100), numbers) }),
  fc.record({ limit: fc.oneof(fc.nat(50), numbers, fc.constant(Infinity)) }),
  fc.record({ where: fc.constantFrom(...filters) }),
  fc.record({ sortBy: fc.constantFrom(...orders) }),
  fc.record({ sortBy: fc.constantFrom(...orders) }),
  fc.record({ index: fc.constantFrom(undefined, ['group', 'x'] as const) }),
);

const aStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ slices: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 4, arbitrary: fc.record({ set: fc.array(fc.tuple(numbers, numbers), { minLength: 1, maxLength: 30 }) }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.array(numbers, { minLength: 1, maxLength: 300, size: 'max' }) }) },
  { weight: 1, arbitrary: fc.record({ relist: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ option: anOption }) },
);

describe('window$ that sorts the rest of many rows later', () => {
  it('shows the same as sorting and filtering everything, after any change between any slices', () => {
    fc.assert(
      fc.property(anOption, fc.array(aStep, { maxLength: 14 }), (first, history) => {
        const things = manyThings();
        const options$ = new BehaviorSubject<Options>({ limit: 20, sortBy: bySize, ...first });
        const time = new SlicedTime();
        let shown: View<Thing> | undefined;
        window$(things, options$, time).subscribe((view) => (shown = view));
        expect(shown).toEqual(oracle(things.list(), options$.value));
        for (const step of history) {
          if ('slices' in step) for (let n = 0; n < step.slices; n++) time.slice();
          else if ('set' in step) {
            things.apply(step.set.map(([n, size]) => ({ type: 'Updated', key: `t${n}`, object: someThing(n, size) })));
          } else if ('remove' in step) {
            things.apply(
              step.remove.map((n) => ({ type: 'Deleted', key: `t${n}`, object: undefined, finalStateUnknown: true })),
            );
          } else if ('relist' in step) things.replace(things.list().map((_, n) => someThing(n, n * step.relist)));
          else options$.next({ ...options$.value, ...step.option });
          expect(shown).toEqual(oracle(things.list(), options$.value));
        }
        while (time.slice());
        for (const offset of [0, 1000, 2900]) {
          options$.next({ ...options$.value, offset });
          expect(shown).toEqual(oracle(things.list(), options$.value));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('emits nothing while it sorts rows that are not shown', () => {
    const time = new SlicedTime();
    const texts: string[] = [];
    window$(manyThings(), { sortBy: bySize, limit: 1 }, time).subscribe((view) => texts.push(textOf(view)));
    let slices = 0;
    while (time.slice()) slices++;
    expect(slices).toBeGreaterThan(2);
    expect(texts).toHaveLength(1);
  });

  it('schedules nothing for few rows', () => {
    const time = new SlicedTime();
    const things = thingsOf(...Array.from({ length: 1000 }, (_, n) => someThing(n, n)));
    window$(things, { sortBy: bySize, limit: 5 }, time).subscribe();
    things.update(someThing(7, 100));
    expect(time.actions).toEqual([]);
  });

  it('G8: stops sorting when its subscriber unsubscribes', () => {
    const time = new SlicedTime();
    const subscription = window$(manyThings(), { sortBy: bySize, limit: 5 }, time).subscribe();
    time.slice();
    expect(time.actions).toHaveLength(1);
    subscription.unsubscribe();
    expect(time.actions).toEqual([]);
  });

  it('errors with an error of a collator in a later slice', () => {
    const failing = new Error('asked');
    let hasFailed = false;
    const compare = (a: string, b: string): number => {
      if (hasFailed) throw failing;
      return a < b ? -1 : 1;
    };
    const time = new SlicedTime();
    const errors: unknown[] = [];
    const sortBy = [{ value: nameOf, collator: { compare } }];
    window$(manyThings(), { sortBy, limit: 5 }, time).subscribe({ error: (error) => errors.push(error) });
    expect(errors).toEqual([]);
    hasFailed = true;
    while (time.slice());
    expect(errors).toEqual([failing]);
  });

  it('G10: finds the position of a change with few comparisons, without sorting', () => {
    let comparisons = 0;
    const compare = (a: string, b: string): number => {
      comparisons++;
      return a < b ? -1 : 1;
    };
    const things = thingsOf(...Array.from({ length: 20_000 }, (_, n) => someThing((n * 7919) % 20_000, n)));
    const time = new SlicedTime();
    window$(things, { sortBy: [{ value: nameOf, collator: { compare } }], limit: 5 }, time).subscribe();
    expect(comparisons).toBeLessThan(1.5 * 20_000);
    let next = 19_000;
    do {
      comparisons = 0;
      for (let n = 0; n < 10; n++) things.add(someThing(next++, n));
      for (let n = 0; n < 10; n++) things.delete(`t${next - 10 * n}`);
      expect(comparisons).toBeLessThanOrEqual(10 * 30);
    } while (time.slice());
  });
});
