import fc from 'fast-check';
import { createListSplitter } from '../../../src/sources/wire/split-list.js';
import { chunkSizes, inChunks, indentation, textOf, trickyJson } from './chunks.js';

const omit = ['metadata', 'managedFields'] as const;

type Fields = Readonly<Record<string, unknown>>;

function itemsOf(list: string, sizes: readonly number[] = []): readonly string[] {
  const splitter = createListSplitter({ omit });
  const items = inChunks(list, sizes).flatMap((chunk) => splitter.push(chunk).map(textOf));
  splitter.end();
  return items;
}

/** The one item of a list that arrives as a whole. */
function cut(item: string): string {
  return itemsOf(`{"items":[${item}]}`)[0] ?? '';
}

function withoutManagedFields(item: unknown): unknown {
  const metadata = (item as { readonly metadata?: Fields } | null)?.metadata;
  if (metadata?.['managedFields'] === undefined) return item;
  const { managedFields, ...others } = metadata;
  return typeof managedFields === 'object' && managedFields !== null ? { ...(item as Fields), metadata: others } : item;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return 'not valid JSON';
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

describe('createListSplitter with a member to omit', () => {
  it('cuts that member out of every item, and nothing else: any items, any whitespace, any chunks', () => {
    const sizes = fc.oneof(
      fc.constant([]),
      chunkSizes,
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), indentation, sizes, (items, indent, chunks) => {
        const list = JSON.stringify({ kind: 'PodList', items }, null, indent);
        const sent = (JSON.parse(list) as { items: unknown[] }).items;

        expect(itemsOf(list, chunks).map(parsed)).toEqual(sent.map(withoutManagedFields));
      }),
      { numRuns: 400 },
    );
  });

  it('makes no valid item of an invalid one, wherever it is damaged outside of the member', () => {
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
          let received: readonly string[];
          try {
            received = itemsOf(`{"items":[${damaged}]}`);
          } catch {
            received = [];
          }

          const isValid = parsed(damaged) !== 'not valid JSON';

          expect(received.length === 1 && parsed(received[0] ?? '') !== 'not valid JSON').toBe(isValid);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['the only member', '{"metadata":{"managedFields":[{"a":1}]},"b":1}', '{"metadata":{},"b":1}'],
    ['the first', '{"metadata":{"managedFields":[], "a":1}}', '{"metadata":{"a":1}}'],
    ['in the middle', '{"metadata":{"a":1,"managedFields":{"b":2},"c":3}}', '{"metadata":{"a":1,"c":3}}'],
    ['the last', '{"metadata":{"a":1 , "managedFields" : [ "]" ] }}', '{"metadata":{"a":1  }}'],
    ['behind other fields', '{"spec":{},"metadata":{"managedFields":[]}}', '{"spec":{},"metadata":{}}'],
  ])('omits a member that is %s', (_, text, expected) => {
    expect(cut(text)).toBe(expected);
  });

  it('cuts it out of both, where metadata stands twice, or out of neither', () => {
    const text = '{"metadata":{"managedFields":[1],"a":1},"metadata":{"managedFields":[2],"b":2}}';

    expect(withoutManagedFields(JSON.parse(cut(text)))).toEqual({ metadata: { b: 2 } });
  });

  it.each([
    ['on another level', '{"managedFields":[],"metadata":{"a":{"managedFields":[]}}}'],
    ['under another name', '{"spec":{"managedFields":[]},"metadata":{}}'],
    ['of a metadata further down', '{"spec":{"metadata":{"managedFields":[]}}}'],
    ['of a template', '{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"managedFields":[]}}}}'],
    [
      'in a text',
      '{"metadata":{"annotations":"{\\"managedFields\\":[]}"},"data":"\\"metadata\\":{\\"managedFields\\":[]}"}',
    ],
    ['that is a value', '{"kind":"metadata","spec":{"managedFields":[]},"metadata":{"name":"managedFields"}}'],
    ['in an array', '["metadata",{"managedFields":[]}]'],
    ['in an array of metadata', '{"metadata":[{"managedFields":[]}]}'],
    ['whose key has more letters', '{"metadata":{"managedFieldsX":[],"xmanagedFields":[],"managedfields":[]}}'],
    ['that is neither object nor array', '{"metadata":{"managedFields":null}}'],
    ['whose key is spelled with escapes', '{"metadata":{"m\\u0061nagedFields":[]}}'],
  ])('leaves in what is called so %s', (_, text) => {
    expect(cut(text)).toBe(text);
  });

  it.each([
    ['a comma before and none between', '{"metadata":{,"managedFields":[]}}'],
    ['a comma behind and nothing more', '{"metadata":{"managedFields":[],}}'],
    ['no comma before', '{"metadata":{"a":1 "managedFields":[]}}'],
    ['no comma behind', '{"metadata":{"managedFields":[] "a":1}}'],
    ['a bracket of the other kind', '{"metadata":{"managedFields":[1},"a":1}}'],
    ['a control character before', '{"metadata":{"a":1,\u0001"managedFields":[]}}'],
    ['a key in an array', '{"metadata":{"a":1},"b":["metadata":{"managedFields":[]}]}'],
  ])('leaves what is not valid as it is: %s', (_, text) => {
    expect(cut(text)).toBe(text);
  });

  it('keeps what it gave until the next chunk, and the items that follow are whole', () => {
    const splitter = createListSplitter({ omit });
    const push = (text: string): readonly string[] => splitter.push(new TextEncoder().encode(text)).map(textOf);
    const pod = (name: string): string => `{"metadata":{"name":"${name}","managedFields":[{"manager":"${name}"}]}}`;

    expect(push(`{"items":[${pod('a')},${pod('b')},{"c":1},${pod('d')}`)).toEqual([
      '{"metadata":{"name":"a"}}',
      '{"metadata":{"name":"b"}}',
      '{"c":1}',
      '{"metadata":{"name":"d"}}',
    ]);
    expect(push(`,${pod('a longer name than before')},${pod('f').slice(0, 30)}`)).toEqual([
      '{"metadata":{"name":"a longer name than before"}}',
    ]);
    expect(push(`${pod('f').slice(30)},${pod('g')}]}`)).toEqual([
      '{"metadata":{"name":"f"}}',
      '{"metadata":{"name":"g"}}',
    ]);
  });

  it('counts the member as part of the item, where an item may have so many bytes', () => {
    const splitter = createListSplitter({ omit, maxItemLength: 40 });
    const list = new TextEncoder().encode('{"items":[{"metadata":{"managedFields":["0123456789"]}}]}');

    expect(() => splitter.push(list)).toThrow('an item is longer than 40 bytes');
  });
});
