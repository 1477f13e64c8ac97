import fc from 'fast-check';
import { aRow, type Row, RowTree } from '../../../src/views/window/row-tree.js';
import { checkedTree } from './tree-shape.js';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);
const row = (number: number, isShown = true): Row<number> => aRow(String(number), number, [], isShown);
const byNumber = (a: Row<number>, b: Row<number>): number => a.object - b.object;
const objectsOf = (rows: readonly Row<number>[]): readonly number[] => rows.map(({ object }) => object);

function treeOf(rows: Iterable<Row<number>>): RowTree<number> {
  const tree = new RowTree<number>();
  for (const one of rows) tree.insert(one, byNumber);
  return tree;
}

describe('RowTree', () => {
  it('is empty to begin with', () => {
    const tree = new RowTree<number>();
    expect([tree.shown, tree.root, tree.shownBetween(0, Infinity)]).toEqual([0, undefined, []]);
  });

  it.each([
    ['in order', (n: number) => n],
    ['backwards', (n: number) => 1999 - n],
    ['in no order', (n: number) => (n * 7919) % 2000],
  ])('is in order and low, whatever comes %s', (_, place) => {
    const tree = treeOf(numbers(2000).map((n) => row(place(n))));
    const { rows, height } = checkedTree(tree);
    expect(objectsOf(rows)).toEqual(numbers(2000));
    // The lightest side has a quarter at least: log(2001) / log(4/3).
    expect(height).toBeLessThanOrEqual(26);
  });

  it('is as low as can be when it is built as a whole', () => {
    const tree = new RowTree<number>();
    tree.build(numbers(1023).map((n) => row(n)));
    expect(checkedTree(tree).height).toBe(10);
    tree.build([]);
    expect(tree.root).toBeUndefined();
  });

  it('returns any stretch of what is shown', () => {
    const tree = treeOf(numbers(100).map((n) => row(n, n % 3 === 0)));
    const shown = numbers(100).filter((n) => n % 3 === 0);
    for (const start of numbers(40)) {
      for (const end of [start, start + 1, start + 7, Infinity]) {
        expect(objectsOf(tree.shownBetween(start, end))).toEqual(shown.slice(start, end));
      }
    }
  });

  it('compares nothing to remove, show or count again', () => {
    let comparisons = 0;
    const rows = numbers(500).map((n) => row(n));
    const tree = new RowTree<number>();
    for (const one of rows) {
      tree.insert(one, (a, b) => {
        comparisons++;
        return byNumber(a, b);
      });
    }
    const before = comparisons;
    for (const one of rows) one.isShown = one.object % 2 === 0;
    tree.recount();
    tree.show(rows[0]!, false);
    for (const one of rows.slice(100)) tree.remove(one);
    expect(comparisons).toBe(before);
    expect(tree.shown).toBe(49);
  });

  it('loses no row to an order that contradicts itself', () => {
    const rows = numbers(300).map((n) => row(n));
    const tree = new RowTree<number>();
    let answer = 0;
    for (const one of rows) tree.insert(one, () => ((answer = (answer * 31 + 7) % 101) > 50 ? 1 : -1));
    expect(checkedTree(tree).rows).toHaveLength(300);
    for (const one of rows) {
      tree.remove(one);
      checkedTree(tree);
    }
    expect(tree.root).toBeUndefined();
  });

  it('is what a sorted array is, after any history', () => {
    const action = fc.oneof(
      { weight: 5, arbitrary: fc.record({ does: fc.constant('insert'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ does: fc.constant('remove'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('show'), n: fc.nat(60), flag: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('filter'), n: fc.nat(5), flag: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('build'), n: fc.nat(60), flag: fc.boolean() }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 150 }), (history) => {
        const tree = new RowTree<number>();
        let model: Row<number>[] = [];
        for (const { does, n, flag } of history) {
          const held = model.find(({ object }) => object === n);
          if (does === 'insert' && !held) {
            const fresh = row(n, flag);
            tree.insert(fresh, byNumber);
            model = [...model, fresh].sort(byNumber);
          } else if (does === 'remove' && held) {
            tree.remove(held);
            model = model.filter((one) => one !== held);
          } else if (does === 'show' && held) tree.show(held, flag);
          else if (does === 'filter') {
            for (const one of model) one.isShown = one.object % 6 !== n;
            tree.recount();
          } else if (does === 'build') {
            model = numbers(n).map((number) => row(number, flag || number % 2 === 0));
            tree.build(model);
          }
          expect(checkedTree(tree).rows).toEqual(model);
          const shown = model.filter(({ isShown }) => isShown);
          expect(tree.shown).toBe(shown.length);
          expect(tree.shownBetween(n % 10, (n % 10) + 5)).toEqual(shown.slice(n % 10, (n % 10) + 5));
        }
      }),
      { numRuns: 100 },
    );
  });
});
