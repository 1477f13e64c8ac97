import fc from 'fast-check';
import { BehaviorSubject } from 'rxjs';
import type { Delta } from 'rx-informers';
import { type SortColumn, type View, window$, type WindowOptions } from 'rx-informers/views';
import { oracle } from './oracle.js';
import { aThing, groupOf, nameOf, noThings, sizeOf, thingsOf, type Thing } from './thing.js';

type Options = WindowOptions<Thing, 'group'>;

/** Functions with an identity, so that histories give the same one twice. */
const filters = [
  undefined,
  (thing: Thing) => thing.size !== undefined,
  (thing: Thing) => (thing.size ?? 0) % 2 === 0,
  (thing: Thing) => thing.metadata.name.length < 3,
  () => false,
] as const;
const columns: readonly SortColumn<Thing>[] = [
  { value: sizeOf },
  { value: sizeOf, direction: 'descending' },
  { value: groupOf, direction: 'descending' },
  { value: nameOf, collator: new Intl.Collator('en', { numeric: true }) },
];

const name = fc.nat(39).map((n) => `t${n}`);
const thing = fc
  .record({
    name,
    group: fc.constantFrom('x', 'y'),
    size: fc.option(fc.nat(5), { nil: undefined }),
    app: fc.constantFrom('web', 'api', undefined),
  })
  .map(({ name: called, group, size, app }) =>
    aThing(called, { group, size, ...(app === undefined ? {} : { labels: { app } }) }),
  );
const delta: fc.Arbitrary<Delta<Thing>> = fc.oneof(
  { weight: 5, arbitrary: thing.map((object) => ({ type: 'Updated' as const, key: nameOf(object), object })) },
  {
    weight: 3,
    arbitrary: name.map((key) => ({ type: 'Deleted' as const, key, object: undefined, finalStateUnknown: true })),
  },
  { weight: 1, arbitrary: name.map((key) => ({ type: 'Sync' as const, key })) },
  {
    weight: 1,
    arbitrary: fc.array(thing, { maxLength: 40 }).map((things) => ({
      type: 'ReplacedAll' as const,
      items: things.map((object) => ({ key: nameOf(object), object })),
      resourceVersion: '1',
    })),
  },
);
const anOption: fc.Arbitrary<Options> = fc.oneof(
  fc.record({ offset: fc.nat(30) }),
  fc.record({ limit: fc.oneof(fc.nat(12), fc.constant(Infinity)) }),
  fc.record({ where: fc.constantFrom(...filters) }),
  fc.record({ sortBy: fc.array(fc.constantFrom(...columns), { maxLength: 3 }) }),
  fc.record({ selector: fc.constantFrom('', 'app', 'app=web', { matchLabels: { app: 'web' } }) }),
  fc.record({ index: fc.constantFrom(undefined, ['group', 'x'] as const, ['group', 'y'] as const) }),
);
const aStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deltas: fc.array(delta, { minLength: 1, maxLength: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ option: anOption }) },
);

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, position) => item === b[position]);

describe('window$', () => {
  it('shows after each commit and each change of options what sorting and filtering everything would, and emits exactly when that differs', () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 60 }), fc.array(aStep, { maxLength: 25 }), (first, history) => {
        const things = thingsOf(...first);
        const options$ = new BehaviorSubject<Options>({});
        const seen: View<Thing>[] = [];
        window$(things, options$).subscribe((view) => seen.push(view));
        let expected = oracle(things.list(), options$.value);
        expect(seen).toEqual([expected]);
        for (const step of history) {
          const before = seen.length;
          if ('deltas' in step) things.apply(step.deltas);
          else options$.next({ ...options$.value, ...step.option });
          const next = oracle(things.list(), options$.value);
          const isOther = !isSame(next.rows, expected.rows) || next.total !== expected.total;
          expect(seen.length - before).toBe(isOther ? 1 : 0);
          const [previous, view] = [seen[before - 1]!, seen.at(-1)!];
          expect(view).toEqual(next);
          expect(view.rows === previous.rows).toBe(isSame(view.rows, previous.rows));
          expect(view.keys === previous.keys).toBe(isSame(view.keys, previous.keys));
          expected = next;
        }
      }),
      { numRuns: 150 },
    );
  });

  it('G1: shows a late subscriber what it shows one that was there from the beginning', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(delta, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
        anOption,
        (commits, options) => {
          const things = noThings();
          let early: View<Thing> | undefined;
          let late: View<Thing> | undefined;
          window$(things, options).subscribe((view) => (early = view));
          for (const deltas of commits) things.apply(deltas);
          window$(things, options).subscribe((view) => (late = view));
          expect(late).toEqual(early);
        },
      ),
      { numRuns: 60 },
    );
  });
});
