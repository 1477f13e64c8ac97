import fc from 'fast-check';
import { aRow, type Row } from '../../../src/views/window/row-tree.js';
import type { SortColumn, SortValue } from 'rx-informers/views';
import { sortOrder, sortRows } from '../../../src/views/window/sort-order.js';

type Values = readonly SortValue[];

const numeric = new Intl.Collator('en', { numeric: true });
const base = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function rowsOf(things: readonly Values[], columns: readonly SortColumn<Values>[]): readonly Row<Values>[] {
  const { keysOf } = sortOrder(columns);
  return things.map((thing, position) => aRow(`k${(position * 7) % 1000}`, thing, keysOf(thing), true));
}

const column = (position: number, options: Omit<SortColumn<Values>, 'value'> = {}): SortColumn<Values> => ({
  value: (thing) => thing[position],
  ...options,
});

describe('sortRows', () => {
  it('returns the order of the comparison, whatever there is to sort by', () => {
    const value = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'A', 'b', 'pod-2', 'POD-2', 'pod-10', '', 'é', '𝒳', '\uffff') },
      { weight: 2, arbitrary: fc.constantFrom(0, -0, 1, -1, 10, 9, Infinity, -Infinity) },
      { weight: 1, arbitrary: fc.constantFrom(undefined, null, NaN, true, false, new Date(5), new Date(NaN)) },
      { weight: 1, arbitrary: fc.string({ maxLength: 2 }) },
    );
    const options = fc.record({
      direction: fc.constantFrom('ascending' as const, 'descending' as const, undefined),
      collator: fc.constantFrom(undefined, numeric, base),
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value), { maxLength: 120, size: 'max' }),
        fc.array(options, { maxLength: 2 }),
        (things, given) => {
          const columns = given.map((option, position) => column(position, option));
          const order = sortOrder(columns);
          const rows = rowsOf(things, columns);
          const sorted = sortRows(rows, order);
          expect(sorted.map(({ key }) => key)).toEqual([...rows].sort(order.compare).map(({ key }) => key));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('compares values, not rows', () => {
    let comparisons = 0;
    const collator = { compare: (a: string, b: string) => (comparisons++, a < b ? -1 : 1) };
    const columns = [column(0, { collator }), column(1)];
    const things = Array.from({ length: 1000 }, (_, n): Values => [`node-${n % 8}`, n]);
    const sorted = sortRows(rowsOf(things, columns), sortOrder(columns));
    expect(sorted.map(({ object: [node] }) => node).indexOf('node-1')).toBe(125);
    expect(comparisons).toBeLessThan(30);
  });

  it('leaves a collator little to do where it says nearly what code units say', () => {
    let comparisons = 0;
    const collator = { compare: (a: string, b: string) => (comparisons++, a < b ? -1 : 1) };
    const columns = [column(0, { collator })];
    const things = Array.from({ length: 1000 }, (_, n): Values => [String((n * 7919) % 1000)]);
    sortRows(rowsOf(things, columns), sortOrder(columns));
    expect(comparisons).toBe(999);
  });

  it.each<[string, (a: string, b: string) => number]>([
    ['contradicts itself', () => 1],
    ['takes everything for the same', () => 0],
    ['gives no number', () => NaN],
  ])('loses no row to a collator that %s', (_, compare) => {
    const columns = [column(0, { collator: { compare } })];
    const rows = rowsOf(
      Array.from({ length: 100 }, (__, n): Values => [`t${n}`]),
      columns,
    );
    expect(new Set(sortRows(rows, sortOrder(columns)))).toEqual(new Set(rows));
  });

  it('takes as many rows of one value as there may be', () => {
    const columns = [column(0), column(1)];
    const rows = rowsOf(
      Array.from({ length: 130_000 }, (): Values => ['same', 1]),
      columns,
    );
    expect(sortRows(rows, sortOrder(columns))).toHaveLength(130_000);
  });
});
