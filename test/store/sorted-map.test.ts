import fc from 'fast-check';
import { entriesFrom, SortedMap, type SortedMapDraft } from '../../src/store/sorted-map.js';
import { checkedShape } from './model/tree-invariants.js';

const keyOf = (number: number): string => String(number).padStart(5, '0');
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);
/** Every number below `count` once, in mixed order: `step` and `count` have no common divisor. */
const scattered = (count: number, step = 7919): readonly number[] => numbers(count).map((n) => (n * step) % count);

function mapOf(all: Iterable<number>): SortedMap<number> {
  const draft = SortedMap.empty<number>().edit();
  for (const number of all) draft.set(keyOf(number), number);
  return draft.finish();
}

function contentOf(map: SortedMap<number> | SortedMapDraft<number>): readonly (readonly [string, number])[] {
  const entries: [string, number][] = [];
  map.forEach((value, key) => entries.push([key, value]));
  return entries;
}

const sorted = (oracle: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...oracle].sort(([a], [b]) => (a < b ? -1 : 1));

describe('SortedMap', () => {
  it('is empty at first, and all empty ones are identical', () => {
    const map = SortedMap.empty<number>();
    expect([map.size, map.get(''), map.has(''), map.keys(), contentOf(map)]).toEqual([0, undefined, false, [], []]);
    expect(SortedMap.empty()).toBe(map);
  });

  it('is ordered by UTF-16 code units, as strings compare, also for keys that look like numbers', () => {
    const keys = ['10', '9', 'Z', 'a', 'ä', '', '\u{1F600}', '\uFFFD', 'a/b', 'a-b', '__proto__', 'constructor'];
    const draft = SortedMap.empty<true>().edit();
    for (const key of keys) draft.set(key, true);
    expect(draft.finish().keys()).toEqual([...keys].sort());
  });

  it('keeps each version of a set of keys, whose leaves have one array for keys and values', () => {
    const step = fc.record({ key: fc.nat(200), action: fc.constantFrom('add', 'add', 'rename', 'delete') });
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 60 }), { maxLength: 12 }), (commits) => {
        let map = SortedMap.empty<string>();
        const oracle = new Map<string, string>();
        const versions: (readonly [SortedMap<string>, readonly (readonly [string, string])[]])[] = [];
        for (const commit of commits) {
          const draft = map.edit();
          for (const { key: number, action } of commit) {
            const key = keyOf(number);
            const value = action === 'add' ? key : 'another value';
            if (action === 'delete') draft.delete(key);
            else draft.set(key, value);
            if (action === 'delete') oracle.delete(key);
            else oracle.set(key, value);
          }
          map = draft.finish();
          versions.push([map, [...oracle].sort(([a], [b]) => (a < b ? -1 : 1))]);
        }
        for (const [version, entries] of versions) {
          const found: [string, string][] = [];
          version.forEach((value, key) => found.push([key, value]));
          expect(found).toEqual(entries);
        }
      }),
    );
  });

  it('returns the previous value of each set, and whether a delete removed anything', () => {
    const draft = SortedMap.empty<number>().edit();
    expect([draft.set('a', 1), draft.set('a', 2), draft.delete('a'), draft.delete('a'), draft.set('a', 3)]).toEqual([
      undefined,
      1,
      true,
      false,
      undefined,
    ]);
    expect([draft.size, draft.get('a'), draft.has('a'), draft.has('b')]).toEqual([1, 3, true, false]);
  });

  it.each([1, 31, 32, 33, 34, 63, 64, 65, 1023, 1024, 1025, 1056, 1057])(
    'contains %d keys, added in any order',
    (count) => {
      const expected = numbers(count).map((number) => [keyOf(number), number]);
      for (const order of [numbers(count), [...numbers(count)].reverse(), scattered(count)]) {
        const map = mapOf(order);
        checkedShape(map);
        expect(contentOf(map)).toEqual(expected);
        expect(numbers(count + 1).map((number) => map.get(keyOf(number)))).toEqual([...numbers(count), undefined]);
        const draft = map.edit();
        for (const number of order) {
          expect(draft.delete(keyOf(number))).toBe(true);
          checkedShape(draft.finish());
        }
        expect(draft.finish().root).toMatchObject({ isLeaf: true, keys: [] });
      }
    },
  );

  it('finds no key beside, before or after its keys', () => {
    const map = mapOf(scattered(2000));
    const absent = numbers(2000).map((number) => `${keyOf(number)}!`);
    expect([...absent, '', '~'].filter((key) => map.has(key) || map.get(key) !== undefined)).toEqual([]);
  });

  it('leaves full nodes behind if keys are appended in order', () => {
    const { leaves } = checkedShape(mapOf(numbers(50_000)));
    expect(leaves.slice(0, -1).every((length) => length === 31)).toBe(true);
  });

  it('stays dense when keys come and go', () => {
    const draft = mapOf(scattered(4000)).edit();
    for (const round of numbers(20)) {
      for (const number of scattered(4000, 7919 + 2 * round)) {
        if ((number + round) % 4 > 0) draft.delete(keyOf(number));
      }
      checkedShape(draft.finish());
      for (const number of scattered(4000, 104_729)) if ((number + round) % 4 > 1) draft.set(keyOf(number), number);
      const map = draft.finish();
      const { nodes, height } = checkedShape(map);
      expect(nodes).toBeLessThan(map.size / 7);
      expect(height).toBeLessThanOrEqual(4);
    }
  });

  it('stays dense when it is used as a queue', () => {
    const draft = mapOf(numbers(1000)).edit();
    for (const number of numbers(20_000)) {
      draft.set(keyOf(number + 1000), number);
      draft.delete(keyOf(number));
    }
    const { nodes } = checkedShape(draft.finish());
    expect(nodes).toBeLessThan(45);
  });

  it('stays dense if each key is set before the last one, two at a time', () => {
    const pairs = numbers(5000).flatMap((number) => [20_000 - 2 * number, 20_001 - 2 * number]);
    const { leaves } = checkedShape(mapOf([...numbers(31), ...pairs]));
    expect(leaves.length).toBeLessThan(10_031 / 8);
  });
});

describe('the versions of a SortedMap', () => {
  it('are identical if nothing was set and nothing deleted', () => {
    const map = mapOf(numbers(100));
    const draft = map.edit();
    draft.delete('not there');
    draft.get(keyOf(1));
    expect(draft.finish()).toBe(map);
    expect(SortedMap.empty().edit().finish()).toBe(SortedMap.empty());
  });

  it('G10: share all nodes except the path to the change', () => {
    const map = mapOf(numbers(20_000));
    const draft = map.edit();
    draft.set(keyOf(777), -1);
    const nodesOf = (root: typeof map.root): readonly unknown[] =>
      root.isLeaf ? [root] : [root, ...root.slots.flatMap(nodesOf)];
    const before = new Set(nodesOf(map.root));
    const added = nodesOf(draft.finish().root).filter((node) => !before.has(node));
    expect(added).toHaveLength(checkedShape(map).height);
  });

  it('do not change when their draft continues', () => {
    const draft = mapOf(numbers(100)).edit();
    draft.delete(keyOf(50));
    const first = draft.finish();
    const content = contentOf(first);
    for (const number of numbers(200)) draft.set(keyOf(number), -number);
    for (const number of numbers(90)) draft.delete(keyOf(number));
    expect([first.size, contentOf(first)]).toEqual([99, content]);
    expect([draft.size, draft.finish().size]).toEqual([110, 110]);
    expect(draft.finish()).toBe(draft.finish());
  });

  it('may be edited by two drafts at a time, which do not affect each other', () => {
    const map = mapOf(numbers(2000));
    const [left, right] = [map.edit(), map.edit()];
    for (const number of scattered(2000)) {
      left.set(keyOf(number), -number);
      right.delete(keyOf(number));
      if (number % 2 === 0) left.delete(keyOf(number));
      else right.set(keyOf(number), 0);
    }
    const odd = numbers(2000).filter((number) => number % 2 === 1);
    expect(contentOf(left.finish())).toEqual(odd.map((number) => [keyOf(number), -number]));
    expect(contentOf(right.finish())).toEqual(odd.map((number) => [keyOf(number), 0]));
    expect(contentOf(map)).toEqual(contentOf(mapOf(numbers(2000))));
  });

  const step = fc.record({
    type: fc.constantFrom('set', 'set', 'delete', 'delete', 'finish', 'branch', 'toggle'),
    from: fc.nat(2000),
    count: fc.oneof(fc.constant(1), fc.nat(40), fc.nat(1500)),
    stride: fc.constantFrom(1, 1, 3, 7, 1999),
    version: fc.nat(),
  });

  it('each equal a plain Map after any changes by several drafts in turn', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const versions = [{ map: SortedMap.empty<number>(), oracle: new Map<string, number>() }];
        let draft = SortedMap.empty<number>().edit();
        let oracle = new Map<string, number>();
        const set = (key: string, value: number): void => {
          if (draft.set(key, value) !== oracle.get(key)) throw new Error(`${key} was something else`);
          oracle.set(key, value);
        };
        const remove = (key: string): void => {
          if (draft.delete(key) !== oracle.delete(key)) throw new Error(`${key} was there or not`);
        };
        for (const [position, { type, from, count, stride, version }] of steps.entries()) {
          if (type === 'finish') versions.push({ map: draft.finish(), oracle: new Map(oracle) });
          if (type === 'branch') {
            const original = versions[version % versions.length] as (typeof versions)[0];
            draft = original.map.edit();
            oracle = new Map(original.oracle);
          }
          for (const offset of numbers(count)) {
            const key = keyOf((from + offset * stride) % 2003);
            if (type === 'set' || (type === 'toggle' && offset % 2 === 0)) set(key, position * 10_000 + offset);
            if (type === 'delete' || (type === 'toggle' && offset % 2 === 1)) remove(key);
          }
          if (draft.size !== oracle.size) throw new Error(`${draft.size} instead of ${oracle.size}`);
          expect(contentOf(draft)).toEqual(sorted(oracle));
          checkedShape(draft.finish());
        }
        for (const { map, oracle: expected } of versions) {
          checkedShape(map);
          expect(contentOf(map)).toEqual(sorted(expected));
          expect(map.keys().map((key) => map.get(key))).toEqual(sorted(expected).map(([, value]) => value));
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('entriesFrom', () => {
  it('returns the entries from a key on, whether it exists or not', () => {
    const even = mapOf(numbers(1000).map((number) => number * 2));
    for (const start of ['', keyOf(0), keyOf(1), keyOf(61), keyOf(62), keyOf(63), keyOf(1998), keyOf(1999), '~']) {
      expect([...entriesFrom(even, start)]).toEqual(contentOf(even).filter(([key]) => key >= start));
    }
    expect([...entriesFrom(SortedMap.empty(), '')]).toEqual([]);
  });
});
