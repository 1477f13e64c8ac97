import { aRow } from '../../../src/views/window/row-tree.js';
import type { SortColumn, SortValue } from 'rx-informers/views';
import { areSameColumns, sortOrder } from '../../../src/views/window/sort-order.js';

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
  it('is by key without columns', () => {
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
    ['what is missing last, in either direction', [undefined, 2, null, 1, NaN, new Date(NaN)], 'dbacef', 'bdacef'],
    ['what is equal by key, in either direction', [1, 1, 0], 'cab', 'abc'],
  ])('sortOrder orders values: %s', (_, values, ascending, descending) => {
    const things = values.map((value) => ({ a: value }));
    expect(order([{ value: a }], things)).toBe(ascending);
    expect(order([{ value: a, direction: 'ascending' }], things)).toBe(ascending);
    expect(order([{ value: a, direction: 'descending' }], things)).toBe(descending);
  });

  it('sorts by the next column where one says the same, each in its direction', () => {
    const things = [{ a: 'x', b: 1 }, { a: 'y', b: 1 }, { a: 'x', b: 2 }, { a: 'y', b: 2 }, { b: 3 }];
    expect(order([{ value: a }, { value: b, direction: 'descending' }], things)).toBe('cadbe');
    expect(order([{ value: a, direction: 'descending' }, { value: b }], things)).toBe('bdace');
  });

  it('asks a collator for strings, and decides by key what it takes for the same', () => {
    const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
    const things = ['pod-10', 'pod-9', 'POD-9', undefined, 7].map((value) => ({ a: value }));
    expect(order([{ value: a, collator }], things)).toBe('ebcad');
    expect(order([{ value: a, collator, direction: 'descending' }], things)).toBe('abced');
  });

  it('takes what an API sends against its type for missing', () => {
    const things = [{ a: { x: 1 } }, { a: 'a' }, { a: ['z'] }, { a: 1n }] as unknown as readonly Thing[];
    expect(order([{ value: a }], things)).toBe('bacd');
  });
});

describe('areSameColumns', () => {
  const collator = new Intl.Collator('en');

  it.each<[boolean, string, readonly SortColumn<Thing>[], readonly SortColumn<Thing>[]]>([
    [true, 'arrays made anew', [{ value: a }], [{ value: a }]],
    [true, 'a default that is stated', [{ value: a }], [{ value: a, direction: 'ascending' }]],
    [false, 'another function', [{ value: a }], [{ value: b }]],
    [false, 'another direction', [{ value: a }], [{ value: a, direction: 'descending' }]],
    [false, 'another collator', [{ value: a }], [{ value: a, collator }]],
    [false, 'another order', [{ value: a }, { value: b }], [{ value: b }, { value: a }]],
    [false, 'one column less', [{ value: a }, { value: b }], [{ value: a }]],
  ])('is %s for %s', (expected, _, one, other) => {
    expect(areSameColumns(one, other)).toBe(expected);
  });
});
