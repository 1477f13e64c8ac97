import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { type RxInformersError } from 'rx-informers';
import { jsonPatch } from '../../../src/testing/api-server/write/patch.js';

/**
 * Fields, indexes and places that do not exist, so that operations fail often, and in every way.
 */
const pointer = fc.array(fc.constantFrom('a', 'b', '0', '1', '-', 'a~1b', 'm~0n'), { minLength: 1, maxLength: 2 });
const path = pointer.map((tokens) => tokens.map((token) => `/${token}`).join(''));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, 1, 'text'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', 'a/b', 'm~n'), tie('value'), { noNullPrototype: true }),
  ),
}));
const operations = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path, value }),
  fc.record({ op: fc.constant('remove'), path }),
);

const refused = Symbol('refused');

function resultOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if ((error as RxInformersError).code === 'RXI_API') return refused;
    throw error;
  }
}

describe('a JSON Patch to the embedded API server', () => {
  // rfc6902 accepts some patches that a real server refuses, such as one that names a field of a
  // list. It looks up the target of a move before it removes the value, which shifts the indexes of
  // a list.
  it('is refused or applied as by rfc6902, and never modifies the original, for random patches', () => {
    let applied = 0;
    fc.assert(
      fc.property(value, fc.array(operations, { minLength: 1, maxLength: 2 }), (target, patch) => {
        const before = structuredClone(target);
        const result = resultOf(() => jsonPatch(target, patch));
        expect(target).toEqual(before);
        if (result === refused) return;
        const expected = structuredClone(target);
        const failures = applyPatch(expected, patch);
        expect(failures.every((failure) => failure === null)).toBe(true);
        expect(result).toEqual(expected);
        applied += 1;
      }),
      { numRuns: 3000 },
    );
    expect(applied).toBeGreaterThan(200);
  });

  it.each([
    ['adds a field', { op: 'add', path: '/c', value: null }, { list: [1, { a: 2 }], 'a/b': 3, c: null }],
    ['adds an item', { op: 'add', path: '/list/1', value: 4 }, { list: [1, 4, { a: 2 }], 'a/b': 3 }],
    ['replaces a field of an item', { op: 'replace', path: '/list/1/a', value: 5 }, { list: [1, { a: 5 }], 'a/b': 3 }],
    ['removes an item', { op: 'remove', path: '/list/0' }, { list: [{ a: 2 }], 'a/b': 3 }],
    ['moves a field with an escaped name', { op: 'move', from: '/a~1b', path: '/c' }, { list: [1, { a: 2 }], c: 3 }],
    [
      'copies to the end',
      { op: 'copy', from: '/list/1', path: '/list/-' },
      { list: [1, { a: 2 }, { a: 2 }], 'a/b': 3 },
    ],
    ['tests an equal value', { op: 'test', path: '/list/1', value: { a: 2 } }, { list: [1, { a: 2 }], 'a/b': 3 }],
  ])('%s', (_what, applied, expected) => {
    expect(jsonPatch({ list: [1, { a: 2 }], 'a/b': 3 }, [applied])).toEqual(expected);
  });

  it.each([
    ['moves a value into itself', { op: 'move', from: '/a', path: '/a/b' }],
    ['adds without a value', { op: 'add', path: '/c' }],
    ['has a path without a slash', { op: 'remove', path: 'a' }],
    ['adds past the end of an array', { op: 'add', path: '/list/3', value: 1 }],
    ['replaces the whole object', { op: 'replace', path: '', value: {} }],
    ['tests a value that differs', { op: 'test', path: '/a', value: 1 }],
    ['names a field of an array', { op: 'replace', path: '/list/a', value: 1 }],
  ])('is refused if it %s', (_what, operation) => {
    expect(() => jsonPatch({ a: { b: 1 }, list: [1, 2] }, [operation])).toThrow('the server rejected our request');
  });
});
