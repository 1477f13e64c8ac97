import { createBTree } from '../../src/store/b-tree.js';

describe('createBTree', () => {
  it('unwraps the module whatever loaded it, and gives a working map in key order', () => {
    const tree = createBTree<number>();
    ['b', 'a', 'c'].forEach((key, position) => tree.set(key, position));
    expect(tree.keysArray()).toEqual(['a', 'b', 'c']);
    expect(tree.get('a')).toBe(1);
  });

  it('shares with its clone what neither of them changes, and nothing else', () => {
    const tree = createBTree<number>();
    for (let number = 0; number < 10_000; number++) tree.set(String(number), number);
    const clone = tree.clone();
    clone.set('5', -5);
    clone.delete('7');
    tree.set('new', 1);
    expect([tree.get('5'), tree.get('7'), tree.size]).toEqual([5, 7, 10_001]);
    expect([clone.get('5'), clone.get('7'), clone.get('new'), clone.size]).toEqual([-5, undefined, undefined, 9_999]);
  });

  it('is in the order of UTF-16 code units, as strings compare, also where they look like numbers', () => {
    const keys = ['10', '9', 'Z', 'a', 'ä', '', '\u{1F600}', '\uFFFD', 'a/b', 'a-b'];
    const tree = createBTree<true>();
    for (const key of keys) tree.set(key, true);
    expect(tree.keysArray()).toEqual([...keys].sort());
  });
});
