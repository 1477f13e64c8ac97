import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { diff } from '../../../src/controller/write/json-patch/diff.js';
import { lengthOf } from '../../../src/controller/write/json-patch/diff-arrays.js';
import type { Json } from '../../../src/controller/write/json-patch/json.js';

/** What a server has after the patch. */
function patched(before: Json, operations: readonly object[]): unknown {
  const document = { root: structuredClone(before) };
  const rooted = operations.map((operation) =>
    Object.fromEntries(
      Object.entries(operation).map(([name, value]) => [
        name,
        name === 'path' || name === 'from' ? `/root${value as string}` : value,
      ]),
    ),
  );
  expect(applyPatch(document, rooted as unknown as Operation[]).filter((failure) => failure !== null)).toEqual([]);
  return document.root;
}

const names = fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', 'toString', 'é');
const scalars = fc.oneof(fc.constantFrom(null, true, 0, 1, 'x', 'a/b'), fc.integer(), fc.string());
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
})).value;
/** Arrays that have much in common: what is left of one after a few edits. */
const items = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.record({ name: names, size: fc.nat(2) })), {
  maxLength: 12,
});

describe('diff', () => {
  it('returns a patch that makes the one of the other, whatever they are', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(patched(before, diff(before, after))).toEqual(after);
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns a patch that makes the one array of the other, and is never longer than the array', () => {
    fc.assert(
      fc.property(items, items, (before, after) => {
        const operations = diff(before, after);
        expect(patched(before, operations)).toEqual(after);
        expect(lengthOf(operations)).toBeLessThanOrEqual(lengthOf([{ op: 'replace', path: '', value: after }]));
      }),
      { numRuns: 3_000 },
    );
  });

  it('says nothing where nothing differs, whatever the order of the members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(diff(value, structuredClone(value))).toEqual([]);
      }),
    );
    expect(diff({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([]);
    expect(diff([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).toEqual([]);
  });

  const long = (name: string) => ({ name, image: `registry.example.com/${name}:1.0`, args: ['--verbose'] });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(long) as unknown as [Json, Json, Json, Json];
  it.each<[string, Json, Json, readonly object[]]>([
    ['an insertion at the front', [a, b], [d, a, b], [{ op: 'add', path: '/0', value: d }]],
    ['an insertion in the middle', [a, b], [a, d, b], [{ op: 'add', path: '/1', value: d }]],
    ['an addition at the end', [a, b], [a, b, d], [{ op: 'add', path: '/2', value: d }]],
    ['a removal in the middle', [a, b, c], [a, c], [{ op: 'remove', path: '/1' }]],
    [
      'two removals',
      [a, b, c, d],
      [b, d],
      [
        { op: 'remove', path: '/2' },
        { op: 'remove', path: '/0' },
      ],
    ],
    ['a move to the end', [a, b, c], [b, c, a], [{ op: 'move', from: '/0', path: '/2' }]],
    ['a move to the front', [a, b, c], [c, a, b], [{ op: 'move', from: '/2', path: '/0' }]],
    [
      'an item that changed',
      [a, b],
      [a, { ...long('b'), image: 'b:2' }],
      [{ op: 'replace', path: '/1/image', value: 'b:2' }],
    ],
    [
      'an insertion before an item that changed',
      [a, b],
      [d, { ...long('a'), image: 'a:2' }, b],
      [
        { op: 'add', path: '/0', value: d },
        { op: 'replace', path: '/1/image', value: 'a:2' },
      ],
    ],
    ['an item that became another one', [a, 1], [a, 2], [{ op: 'replace', path: '/1', value: 2 }]],
    ['an array that was emptied', [a, b], [], [{ op: 'replace', path: '', value: [] }]],
    [
      'one of many equal items',
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      [{ op: 'remove', path: '/12' }],
    ],
  ])('has the shortest form for %s', (_name, before, after, expected) => {
    const operations = diff(before, after);
    expect(patched(before, operations)).toEqual(after);
    expect(operations).toEqual(expected);
  });

  it('escapes what is special in a pointer', () => {
    expect(diff({}, { 'example.com/a~b': 'x' })).toEqual([{ op: 'add', path: '/example.com~1a~0b', value: 'x' }]);
  });

  it('adds a parent that is not there, as a whole', () => {
    expect(diff({ metadata: {} }, { metadata: { labels: { a: 'b' } } })).toEqual([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
    ]);
  });

  it('never replaces an object, so that members which the cache has dropped survive', () => {
    expect(diff({ m: { a: 1, b: 2, c: 3 } }, { m: { d: 4 } })).toEqual([
      { op: 'remove', path: '/m/a' },
      { op: 'remove', path: '/m/b' },
      { op: 'remove', path: '/m/c' },
      { op: 'add', path: '/m/d', value: 4 },
    ]);
  });

  it('takes members that are called as those of every object for what they are', () => {
    expect(diff({}, { toString: 'x' })).toEqual([{ op: 'add', path: '/toString', value: 'x' }]);
    expect(diff({ constructor: 'x' }, {})).toEqual([{ op: 'remove', path: '/constructor' }]);
  });

  it('finds one change among many thousand items', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `n${index}` }));
    const after = many.filter((_, index) => index !== 2_500);
    expect(diff(many, after)).toEqual([{ op: 'remove', path: '/2500' }]);
    const rotated = [...many.slice(1), many[0] as Json];
    expect(diff(many, rotated)).toEqual([{ op: 'move', from: '/0', path: '/4999' }]);
  });

  it('is right for arrays that have nothing in common, and too many items to compare each with each', () => {
    const before = Array.from({ length: 60 }, (_, index) => ({ name: `old-${index}`, size: index }));
    const after = Array.from({ length: 50 }, (_, index) => ({ name: `new-${index}`, size: index }));
    expect(patched(before, diff(before, after))).toEqual(after);
  });
});
