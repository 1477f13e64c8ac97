import fc from 'fast-check';
import type { SortColumn, SortValue } from 'rx-informers/views';
import { aRow, type Row, type RowOrder, RowTree } from '../../../src/views/window/row-tree.js';
import { areSameColumns, sortOrder, sortRows } from '../../../src/views/window/sort-order.js';
import { checkedTree } from './tree-shape.js';

interface Thing {
  readonly a?: SortValue;
  readonly b?: SortValue;
}

const a = ({ a: value }: Thing): SortValue => value;

const b = ({ b: value }: Thing): SortValue => value;

/** The keys of things in order; each thing's key is where it stands in the list that is given. */
function order(columns: readonly SortColumn<Thing>[], things: readonly Thing[]): string {
  const { keysOf, compare } = sortOrder(columns);
  return things
    .map((thing, position) => aRow(String.fromCharCode(97 + position), thing, keysOf(thing), true))
    .sort(compare)
    .map(({ key }) => key)
    .join('');
}

describe('sortOrder', () => {
  it('orders by key without columns', () => {
    expect(order([], [{ a: 3 }, { a: 2 }, { a: 1 }])).toBe('abc');
  });

  it.each<[string, readonly SortValue[], string, string]>([
    ['numbers as numbers', [10, 9, -1, 0.5], 'cdba', 'abdc'],
    ['infinities at the ends', [Infinity, 0, -Infinity], 'cba', 'abc'],
    ['zeros as equal', [0, -0], 'ab', 'ab'],
    ['strings by code units', ['b', 'B', 'a10', 'a9', ''], 'ebcda', 'adcbe'],
    ['dates by time', [new Date(2), new Date(1), new Date(3)], 'bac', 'cab'],
    ['false before true', [true, false], 'ba', 'ab'],
    ['numbers before strings', ['1', 2, 'a', 3], 'bdac', 'cadb'],
    ['missing values last, in either direction', [undefined, 2, null, 1, NaN, new Date(NaN)], 'dbacef', 'bdacef'],
    ['equal values by key, in either direction', [1, 1, 0], 'cab', 'abc'],
  ])('sortOrder orders values: %s', (_, values, ascending, descending) => {
    const things = values.map((value) => ({ a: value }));
    expect(order([{ value: a }], things)).toBe(ascending);
    expect(order([{ value: a, direction: 'ascending' }], things)).toBe(ascending);
    expect(order([{ value: a, direction: 'descending' }], things)).toBe(descending);
  });

  it('sorts by the next column if values are equal, each in its direction', () => {
    const things = [{ a: 'x', b: 1 }, { a: 'y', b: 1 }, { a: 'x', b: 2 }, { a: 'y', b: 2 }, { b: 3 }];
    expect(order([{ value: a }, { value: b, direction: 'descending' }], things)).toBe('cadbe');
    expect(order([{ value: a, direction: 'descending' }, { value: b }], things)).toBe('bdace');
  });

  it('compares strings with a collator, and by key if the collator treats them as equal', () => {
    const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
    const things = ['pod-10', 'pod-9', 'POD-9', undefined, 7].map((value) => ({ a: value }));
    expect(order([{ value: a, collator }], things)).toBe('ebcad');
    expect(order([{ value: a, collator, direction: 'descending' }], things)).toBe('abced');
  });

  it('treats values of an unexpected type as missing', () => {
    const things = [{ a: { x: 1 } }, { a: 'a' }, { a: ['z'] }, { a: 1n }] as unknown as readonly Thing[];
    expect(order([{ value: a }], things)).toBe('bacd');
  });
});

describe('areSameColumns', () => {
  const collator = new Intl.Collator('en');

  it.each<[boolean, string, readonly SortColumn<Thing>[], readonly SortColumn<Thing>[]]>([
    [true, 'new equal arrays', [{ value: a }], [{ value: a }]],
    [true, 'a default that is stated', [{ value: a }], [{ value: a, direction: 'ascending' }]],
    [false, 'another function', [{ value: a }], [{ value: b }]],
    [false, 'another direction', [{ value: a }], [{ value: a, direction: 'descending' }]],
    [false, 'another collator', [{ value: a }], [{ value: a, collator }]],
    [false, 'another order', [{ value: a }, { value: b }], [{ value: b }, { value: a }]],
    [false, 'one column less', [{ value: a }, { value: b }], [{ value: a }]],
  ])('returns %s for %s', (expected, _, one, other) => {
    expect(areSameColumns(one, other)).toBe(expected);
  });
});

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
  it('returns the order of the comparison, for any sort values', () => {
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
        (things, input) => {
          const columns = input.map((option, position) => column(position, option));
          const order = sortOrder(columns);
          const rows = rowsOf(things, columns);
          const sorted = sortRows(rows, order);
          expect(sorted.map(({ key }) => key)).toEqual([...rows].sort(order.compare).map(({ key }) => key));
        },
      ),
      { numRuns: 100 },
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

  it('calls a collator rarely if its order is nearly that of code units', () => {
    let comparisons = 0;
    const collator = { compare: (a: string, b: string) => (comparisons++, a < b ? -1 : 1) };
    const columns = [column(0, { collator })];
    const things = Array.from({ length: 1000 }, (_, n): Values => [String((n * 7919) % 1000)]);
    sortRows(rowsOf(things, columns), sortOrder(columns));
    expect(comparisons).toBe(999);
  });

  it.each<[string, (a: string, b: string) => number]>([
    ['contradicts itself', () => 1],
    ['treats all strings as equal', () => 0],
    ['returns no number', () => NaN],
  ])('loses no row with a collator that %s', (_, compare) => {
    const columns = [column(0, { collator: { compare } })];
    const rows = rowsOf(
      Array.from({ length: 100 }, (__, n): Values => [`t${n}`]),
      columns,
    );
    expect(new Set(sortRows(rows, sortOrder(columns)))).toEqual(new Set(rows));
  });

  it('supports any number of rows with one value', () => {
    const columns = [column(0), column(1)];
    const rows = rowsOf(
      Array.from({ length: 130_000 }, (): Values => ['same', 1]),
      columns,
    );
    expect(sortRows(rows, sortOrder(columns))).toHaveLength(130_000);
  });
});

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);

const row = (number: number, isShown = true): Row<number> => aRow(String(number), number, [], isShown);

const byNumber = (a: Row<number>, b: Row<number>): number => a.object - b.object;

const objectsOf = (rows: readonly Row<number>[]): readonly number[] => rows.map(({ object }) => object);

const byNumbers: RowOrder<number> = { compare: byNumber, sort: (rows) => rows.sort(byNumber) };

function treeOf(rows: Iterable<Row<number>>, order = byNumbers): RowTree<number> {
  const tree = new RowTree(order);
  for (const one of rows) tree.insert(one);
  return tree;
}

/** A comparison that counts its calls. */
function counting() {
  const requests = { comparisons: 0, sorted: 0 };
  const compare = (a: Row<number>, b: Row<number>): number => {
    requests.comparisons++;
    return byNumber(a, b);
  };
  const sort = (rows: Row<number>[]): readonly Row<number>[] => {
    requests.sorted += rows.length;
    return rows.sort(byNumber);
  };
  return { requests, order: { compare, sort } };
}

const scattered = (count: number): Row<number>[] => numbers(count).map((n) => row((n * 7919) % count));

describe('RowTree', () => {
  it('is empty to begin with', () => {
    const tree = new RowTree(byNumbers);
    expect([tree.shown, tree.root, tree.shownBetween(0, Infinity), tree.isSorted]).toEqual([0, undefined, [], true]);
  });

  it.each([
    ['in order', (n: number) => n],
    ['backwards', (n: number) => 1999 - n],
    ['in random order', (n: number) => (n * 7919) % 2000],
  ])('stays in order and shallow with any additions %s', (_, place) => {
    const tree = treeOf(numbers(2000).map((n) => row(place(n))));
    const { rows, height } = checkedTree(tree);
    expect(objectsOf(rows)).toEqual(numbers(2000));
    // The lightest side has a quarter at least: log(2001) / log(4/3).
    expect(height).toBeLessThanOrEqual(26);
  });

  it('has the minimum height when it is read completely, and then sorted', () => {
    const tree = new RowTree(byNumbers, scattered(1023), 10);
    expect(objectsOf(tree.shownBetween(0, Infinity))).toEqual(numbers(1023));
    expect(checkedTree(tree).height).toBe(10);
    expect(tree.isSorted).toBe(true);
  });

  it('is balanced again when the rest is read after the first rows', () => {
    const tree = new RowTree(byNumbers, scattered(2000), 10);
    tree.shownBetween(0, 20);
    expect(objectsOf(tree.shownBetween(20, Infinity))).toEqual(numbers(2000).slice(20));
    expect(tree.isSorted).toBe(true);
    expect(objectsOf(checkedTree(tree).rows)).toEqual(numbers(2000));
  });

  it('returns any range of the visible rows', () => {
    const shown = numbers(100).filter((n) => n % 3 === 0);
    const sorted = treeOf(numbers(100).map((n) => row(n, n % 3 === 0)));
    for (const start of numbers(40)) {
      for (const end of [start, start + 1, start + 7, Infinity]) {
        const rows = numbers(100).map((n) => row((n * 37) % 100, ((n * 37) % 100) % 3 === 0));
        const unsorted = new RowTree(byNumbers, rows, 4);
        expect(objectsOf(sorted.shownBetween(start, end))).toEqual(shown.slice(start, end));
        expect(objectsOf(unsorted.shownBetween(start, end))).toEqual(shown.slice(start, end));
      }
    }
  });

  it('finds the first rows with little more than one comparison for each row, and counts all', () => {
    const { requests, order } = counting();
    const tree = new RowTree(order, scattered(20_000));
    expect(tree.shown).toBe(20_000);
    expect(objectsOf(tree.shownBetween(0, 50))).toEqual(numbers(50));
    expect(requests.comparisons).toBeLessThan(1.3 * 20_000);
    expect(requests.sorted).toBeLessThanOrEqual(1024);
    expect(tree.isSorted).toBe(false);
  });

  it('sorts the rest in small steps, and compares nothing when it is read afterwards', () => {
    const { requests, order } = counting();
    const tree = new RowTree(order, scattered(20_000));
    tree.shownBetween(0, 50);
    let most = 0;
    while (!tree.isSorted) {
      const before = { ...requests };
      tree.sortSome();
      most = Math.max(most, requests.comparisons - before.comparisons);
      expect(requests.sorted - before.sorted).toBeLessThanOrEqual(1024);
    }
    expect(most).toBeLessThan(1.1 * 20_000);
    const before = { ...requests };
    expect(objectsOf(checkedTree(tree).rows)).toEqual(numbers(20_000));
    expect(objectsOf(tree.shownBetween(12_345, 12_347))).toEqual([12_345, 12_346]);
    expect(requests).toEqual(before);
  });

  it('compares nothing to remove, show or count again', () => {
    const { requests, order } = counting();
    const rows = numbers(500).map((n) => row(n));
    const tree = treeOf(rows, order);
    const before = requests.comparisons;
    for (const one of rows) one.isShown = one.object % 2 === 0;
    tree.recount();
    tree.show(rows[0]!, false);
    for (const one of rows.slice(100)) tree.remove(one);
    expect(requests.comparisons).toBe(before);
    expect(tree.shown).toBe(49);
  });

  it('loses no row with an inconsistent order', () => {
    const rows = numbers(300).map((n) => row(n));
    let answer = 0;
    const compare = (): number => ((answer = (answer * 31 + 7) % 101) > 50 ? 1 : -1);
    const tree = treeOf(rows, { compare, sort: (unsorted) => unsorted });
    expect(checkedTree(tree).rows).toHaveLength(300);
    for (const one of rows) {
      tree.remove(one);
      checkedTree(tree);
    }
    expect(tree.root).toBeUndefined();
  });

  it.each<[string, () => number]>([
    ['that one row always comes after another', () => 1],
    ['that one row always comes before another', () => -1],
    ['a value that is not a number', () => NaN],
  ])('sorts the rows by steps, and loses none, with a comparison that returns %s', (_, compare) => {
    const rows = numbers(3000).map((n) => row(n));
    const tree = new RowTree<number>({ compare, sort: (unsorted) => unsorted }, rows, 10);
    expect(tree.shownBetween(5, 7)).toHaveLength(2);
    for (const one of rows.slice(0, 100)) tree.remove(one);
    for (let steps = 0; !tree.isSorted && steps < 3000; steps++) tree.sortSome();
    expect([tree.isSorted, tree.shownBetween(0, Infinity).length]).toEqual([true, 2900]);
  });

  it('equals a sorted array, after any history, with any progress of sorting', () => {
    const action = fc.oneof(
      { weight: 5, arbitrary: fc.record({ does: fc.constant('insert'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ does: fc.constant('remove'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('show'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('read'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 3, arbitrary: fc.record({ does: fc.constant('sort'), n: fc.nat(3), flag: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('filter'), n: fc.nat(5), flag: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('build'), n: fc.nat(60), flag: fc.boolean() }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 150 }), fc.boolean(), (history, isReadOften) => {
        let tree = new RowTree(byNumbers, [], 2);
        let model: Row<number>[] = [];
        const checkPart = (start: number, count = 5): void => {
          const shown = model.filter(({ isShown }) => isShown);
          expect(tree.shownBetween(start, start + count)).toEqual(shown.slice(start, start + count));
        };
        for (const { does, n, flag } of history) {
          const stored = model.find(({ object }) => object === n);
          if (does === 'insert' && !stored) {
            const fresh = row(n, flag);
            tree.insert(fresh);
            model = [...model, fresh].sort(byNumber);
          } else if (does === 'remove' && stored) {
            tree.remove(stored);
            model = model.filter((one) => one !== stored);
          } else if (does === 'show' && stored) tree.show(stored, flag);
          else if (does === 'read') checkPart(n % 10, flag ? Infinity : 5);
          else if (does === 'sort') for (let step = 0; step <= n && !tree.isSorted; step++) tree.sortSome();
          else if (does === 'filter') {
            for (const one of model) one.isShown = one.object % 6 !== n;
            tree.recount();
          } else if (does === 'build') {
            model = numbers(n).map((number) => row(number, flag || number % 2 === 0));
            tree = new RowTree(
              byNumbers,
              model.map((_, place) => model[(place * 61) % n]!),
              2,
            );
          }
          const { rows } = checkedTree(tree);
          expect(tree.isSorted ? rows : [...rows].sort(byNumber)).toEqual(model);
          expect(tree.shown).toBe(model.filter(({ isShown }) => isShown).length);
          if (isReadOften) checkPart(n % 10);
        }
        while (!tree.isSorted) tree.sortSome();
        expect(checkedTree(tree).rows).toEqual(model);
      }),
      { numRuns: 60 },
    );
  });
});
