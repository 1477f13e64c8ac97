import fc from 'fast-check';
import { chooseScanner } from '../../../src/sources/wire/choose-scanner.js';
import type { ScannedText } from '../../../src/sources/wire/scanner.js';
import { createListSplitter } from '../../../src/sources/wire/split-list.js';
import { bytesOf, chunkSizes, inChunks, indentation, itemsIn, trickyJson } from './chunks.js';

const omitManagedFields = true;

type Fields = Readonly<Record<string, unknown>>;

const invalid = 'not valid JSON';

function parsed(item: ScannedText): unknown {
  try {
    return item.parse();
  } catch {
    return invalid;
  }
}

function errorOf(item: ScannedText): unknown {
  try {
    return item.parse();
  } catch (error) {
    return error;
  }
}

function itemsOf(list: string, sizes: readonly number[] = []): readonly unknown[] {
  const splitter = createListSplitter({ omitManagedFields });
  const items = inChunks(list, sizes).flatMap((chunk) => itemsIn(splitter, chunk, parsed));
  splitter.end();
  return items;
}

/** The single item of a list that arrives as a whole. */
function cut(item: string): unknown {
  return itemsOf(`{"items":[${item}]}`)[0];
}

function withoutManagedFields(item: unknown): unknown {
  const metadata = (item as { readonly metadata?: Fields } | null)?.metadata;
  if (metadata?.['managedFields'] === undefined) return item;
  const { managedFields, ...others } = metadata;
  return typeof managedFields === 'object' && managedFields !== null ? { ...(item as Fields), metadata: others } : item;
}

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const managedFields = fc.oneof(
  { weight: 3, arbitrary: fc.array(trickyJson, { maxLength: 3 }) },
  { weight: 1, arbitrary: trickyJson },
);

/** Names that could be mistaken for the path, anywhere. */
const names = fc.constantFrom('metadata', 'managedFields', 'labels', 'name', '"managedFields":[', 'x');
const members = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Fields> => fc.dictionary(names, value, { maxKeys: 4 });
const decoys: fc.Arbitrary<unknown> = fc.oneof(
  trickyJson,
  names,
  members(fc.oneof(names, members(fc.array(names)), fc.array(members(names)))),
);

/** An object with or without the member, in any place, among the same names on all levels. */
const item: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 1, arbitrary: decoys },
  {
    weight: 4,
    arbitrary: fc
      .tuple(members(decoys), members(decoys), managedFields, members(decoys), members(decoys))
      .map(([before, first, fields, last, after]) => ({
        ...before,
        metadata: { ...first, managedFields: fields, ...last },
        ...after,
      })),
  },
);

describe('createListSplitter that omits managedFields', () => {
  beforeAll(() => chooseScanner('wasm'));
  afterAll(() => chooseScanner('fastest'));

  it('removes that field from every item, and nothing else: any items, any whitespace, any chunks', () => {
    const sizes = fc.oneof(
      fc.constant([]),
      chunkSizes,
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), indentation, sizes, (items, indent, chunks) => {
        const list = JSON.stringify({ kind: 'PodList', items }, null, indent);
        const sent = (JSON.parse(list) as { items: unknown[] }).items;

        expect(itemsOf(list, chunks)).toEqual(sent.map(withoutManagedFields));
      }),
      { numRuns: 100 },
    );
  });

  it('makes no invalid item valid, wherever it is damaged outside of the field', () => {
    const insertion = fc.constantFrom(
      '',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      ' ',
      '\u0001',
      'x',
      '0',
      ',"a":1',
      '{}',
    );
    fc.assert(
      fc.property(
        fc.tuple(members(names), fc.array(members(names)), members(names)),
        indentation,
        fc.boolean(),
        fc.tuple(fc.nat(), fc.nat({ max: 1 }), insertion),
        ([first, fields, last], indent, isBefore, [place, deleted, inserted]) => {
          const object = { metadata: { ...first, managedFields: '@', ...last }, spec: 1 };
          fc.pre(object.metadata.managedFields === '@');
          const [head = '', tail = ''] = JSON.stringify(object, null, indent).split('"@"');
          const damage = (text: string): string => {
            const at = place % (text.length + 1);
            return text.slice(0, at) + inserted + text.slice(at + deleted);
          };
          const value = JSON.stringify(fields);
          const damaged = isBefore ? damage(head) + value + tail : head + value + damage(tail);
          let received: readonly unknown[];
          try {
            received = itemsOf(`{"items":[${damaged}]}`);
          } catch {
            received = [];
          }

          expect(received.length === 1 && received[0] !== invalid).toBe(isValid(damaged));
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each([
    ['the only field', '{"metadata":{"managedFields":[{"a":1}]},"b":1}', '{"metadata":{},"b":1}'],
    ['the first field', '{"metadata":{"managedFields":[], "a":1}}', '{"metadata":{"a":1}}'],
    ['between other fields', '{"metadata":{"a":1,"managedFields":{"b":2},"c":3}}', '{"metadata":{"a":1,"c":3}}'],
    ['the last field', '{"metadata":{"a":1 , "managedFields" : [ "]" ] }}', '{"metadata":{"a":1  }}'],
    ['after other fields', '{"spec":{},"metadata":{"managedFields":[]}}', '{"spec":{},"metadata":{}}'],
  ])('omits a field that is %s', (_, text, expected) => {
    expect(cut(text)).toEqual(JSON.parse(expected));
  });

  it('removes the field from both or neither of two metadata fields', () => {
    const text = '{"metadata":{"managedFields":[1],"a":1},"metadata":{"managedFields":[2],"b":2}}';

    expect(withoutManagedFields(cut(text))).toEqual({ metadata: { b: 2 } });
  });

  it.each([
    ['on another level', '{"managedFields":[],"metadata":{"a":{"managedFields":[]}}}'],
    ['under another name', '{"spec":{"managedFields":[]},"metadata":{}}'],
    ['of a nested metadata', '{"spec":{"metadata":{"managedFields":[]}}}'],
    ['of a template', '{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"managedFields":[]}}}}'],
    [
      'in a string',
      '{"metadata":{"annotations":"{\\"managedFields\\":[]}"},"data":"\\"metadata\\":{\\"managedFields\\":[]}"}',
    ],
    ['that is a value', '{"kind":"metadata","spec":{"managedFields":[]},"metadata":{"name":"managedFields"}}'],
    ['in an array', '["metadata",{"managedFields":[]}]'],
    ['in an array of metadata', '{"metadata":[{"managedFields":[]}]}'],
    ['with a longer key', '{"metadata":{"managedFieldsX":[],"xmanagedFields":[],"managedfields":[]}}'],
    ['that is neither an object nor an array', '{"metadata":{"managedFields":null}}'],
    ['whose key has escape sequences', '{"metadata":{"m\\u0061nagedFields":[]}}'],
  ])('keeps a field of that name %s', (_, text) => {
    expect(cut(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['a comma before the field, and none between', '{"metadata":{,"managedFields":[]}}'],
    ['a comma after the field, and nothing more', '{"metadata":{"managedFields":[],}}'],
    ['no comma before the field', '{"metadata":{"a":1 "managedFields":[]}}'],
    ['no comma after the field', '{"metadata":{"managedFields":[] "a":1}}'],
    ['a bracket of the other kind', '{"metadata":{"managedFields":[1},"a":1}}'],
    ['a control character before the field', '{"metadata":{"a":1,\u0001"managedFields":[]}}'],
    ['a key in an array', '{"metadata":{"a":1},"b":["metadata":{"managedFields":[]}]}'],
  ])('reports invalid input as it arrived: %s', (_, text) => {
    const errors = itemsIn(createListSplitter({ omitManagedFields }), bytesOf(`{"items":[${text}]}`), errorOf);

    expect(errors).toEqual([expect.objectContaining({ problem: 'not valid JSON', line: text })]);
  });

  it('returns complete items, although one buffer serves all', () => {
    const splitter = createListSplitter({ omitManagedFields });
    const push = (text: string): readonly unknown[] => itemsIn(splitter, bytesOf(text), parsed);
    const pod = (name: string): string => `{"metadata":{"name":"${name}","managedFields":[{"manager":"${name}"}]}}`;
    const named = (name: string): unknown => ({ metadata: { name } });

    expect(push(`{"items":[${pod('a')},${pod('b')},{"c":1},${pod('d')}`)).toEqual([
      named('a'),
      named('b'),
      { c: 1 },
      named('d'),
    ]);
    expect(push(`,${pod('a longer name than before')},${pod('f').slice(0, 30)}`)).toEqual([
      named('a longer name than before'),
    ]);
    expect(push(`${pod('f').slice(30)},${pod('g')}]}`)).toEqual([named('f'), named('g')]);
  });

  it('counts the field as part of the item for the maximum size of an item', () => {
    const splitter = createListSplitter({ omitManagedFields, maxItemLength: 40 });
    const list = bytesOf('{"items":[{"metadata":{"managedFields":["0123456789"]}}]}');

    expect(() => itemsIn(splitter, list, parsed)).toThrow('an item is longer than 40 bytes');
  });
});
