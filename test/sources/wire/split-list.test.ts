import fc from 'fast-check';
import { type ListEnvelope, createListSplitter } from '../../../src/sources/wire/split-list.js';
import { WireError } from '../../../src/sources/wire/bytes.js';
import { chunkSizes, inChunks, indentation, textOf, trickyJson } from './chunks.js';

interface Split {
  readonly items: unknown[];
  readonly envelope: ListEnvelope;
}

function split(text: string, sizes: readonly number[] = []): Split {
  const splitter = createListSplitter();
  const items = inChunks(text, sizes).flatMap((chunk) => splitter.push(chunk).map((item) => JSON.parse(textOf(item))));
  return { items, envelope: splitter.end() };
}

const podList = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', continue: 'abc', remainingItemCount: 3 },
};

describe('createListSplitter', () => {
  it('returns the items and the envelope that JSON.parse returns, for any items, any chunks, any whitespace', () => {
    fc.assert(
      fc.property(fc.array(trickyJson), chunkSizes, indentation, (items, sizes, indent) => {
        const text = JSON.stringify({ ...podList, items }, null, indent);

        const actual = split(text, sizes);

        expect(actual.items).toEqual((JSON.parse(text) as { items: unknown[] }).items);
        expect(actual.envelope).toEqual({ ...podList, hasItems: true });
      }),
      { numRuns: 300 },
    );
  });

  it('takes the keys in any order, and is not confused by any other field', () => {
    const field = fc.tuple(fc.oneof(fc.constantFrom('Items', 'items ', 'spec'), fc.string()), trickyJson);
    const others = fc.array(
      field.filter(([key]) => !['items', 'kind', 'apiVersion', 'metadata', '__proto__'].includes(key)),
    );
    fc.assert(
      fc.property(
        others,
        fc.array(trickyJson),
        chunkSizes,
        fc.infiniteStream(fc.nat()),
        (fields, items, sizes, order) => {
          const members = [...Object.entries({ ...podList, items }), ...fields].map(
            ([key, value]) =>
              [order.next().value as number, `${JSON.stringify(key)}:${JSON.stringify(value)}`] as const,
          );
          const text = `{${members
            .sort(([a], [b]) => a - b)
            .map(([, member]) => member)
            .join(',')}}`;

          const actual = split(text, sizes);

          expect(actual.items).toEqual(JSON.parse(JSON.stringify(items)));
          expect(actual.envelope).toEqual({ ...podList, hasItems: true });
        },
      ),
    );
  });

  it('returns an item as soon as its last byte is there', () => {
    const splitter = createListSplitter();
    const push = (text: string): string[] => splitter.push(new TextEncoder().encode(text)).map(textOf);

    expect(push('{"kind":"PodList","items":[{"a":1')).toEqual([]);
    expect(push('},{"b":"}')).toEqual(['{"a":1}']);
    expect(push('"}')).toEqual(['{"b":"}"}']);
    expect(push(']}')).toEqual([]);
    expect(splitter.end().kind).toBe('PodList');
  });

  it('copies nothing where an item lies in one chunk', () => {
    const chunk = new TextEncoder().encode('{"items":[{"a":1},{"b":2}]}');

    expect(
      createListSplitter()
        .push(chunk)
        .map((item) => item.buffer === chunk.buffer),
    ).toEqual([true, true]);
  });

  it('keeps its own copy of an unfinished item, so that a chunk may be reused', () => {
    const splitter = createListSplitter();
    const chunk = new TextEncoder().encode('{"items":[{"a":');
    splitter.push(chunk);
    chunk.fill(0);

    expect(splitter.push(new TextEncoder().encode('1}]}')).map(textOf)).toEqual(['{"a":1}']);
  });

  it.each([
    ['null', '{"kind":"PodList","items":null}', true],
    ['an empty array', '{"kind":"PodList","items":[ ]}', true],
    ['missing', '{"kind":"PodList"}', false],
    ['only in a nested object', '{"kind":"PodList","metadata":{"items":[1]}}', false],
    ['only in a string', '{"kind":"PodList","note":"\\"items\\":[1]"}', false],
  ])('knows no items where they are %s', (_, text, hasItems) => {
    expect(split(text, [1])).toEqual({
      items: [],
      envelope: { kind: 'PodList', apiVersion: '', metadata: {}, hasItems },
    });
  });

  it('knows items by its name, however the name is escaped', () => {
    expect(split('{"\\u0069tems":[1]}').items).toEqual([1]);
  });

  it('leaves out of the envelope what has the wrong type', () => {
    const text = '{"kind":1,"metadata":{"resourceVersion":7,"continue":null,"remainingItemCount":"3"},"items":[]}';

    expect(split(text).envelope).toEqual({ kind: '', apiVersion: '', metadata: {}, hasItems: true });
  });

  it.each([
    ['HTML', '<html><body>404</body></html>', 'not a list: { expected'],
    ['an array', '[{"items":[]}]', 'not a list: { expected'],
    ['items that are an object', '{"items":{"a":1}}', 'not a list: value expected'],
    ['items that are a string', '{"items":"[]"}', 'not a list: value expected'],
    ['items twice', '{"items":[1],"items":[2]}', 'not a list: it has "items" twice'],
    ['no comma between items', '{"items":[{} {}]}', 'not a list: , or ] expected'],
    ['a comma too many', '{"items":[1,]}', 'not a list: item expected'],
    ['two commas', '{"items":[1,,2]}', 'not a list: item expected'],
    ['a comma first', '{"items":[,1]}', 'not a list: item or ] expected'],
    ['no colon', '{"kind" "PodList"}', 'not a list: : expected'],
    ['no value', '{"kind":,"items":[]}', 'not a list: value expected'],
    ['a trailing comma', '{"kind":"PodList",}', 'not a list: key expected'],
    ['a key that is no string', '{kind:"PodList"}', 'not a list: key or } expected'],
    ['a wrong bracket', '{"items":[1}', 'not a list: , or ] expected'],
    ['something behind the end', '{"items":[]}{', 'not a list: end of the document expected'],
  ])('the list splitter refuses %s', (_, text, problem) => {
    const refusal = (): Split => split(text, [3]);

    expect(refusal).toThrow(WireError);
    expect(refusal).toThrow(problem);
  });

  it('refuses what is no JSON in the envelope', () => {
    expect(() => split('{"kind":PodList,"items":[]}')).toThrow('not valid JSON');
  });

  it('refuses a document that is cut off, wherever', () => {
    const text = JSON.stringify({ ...podList, items: [{ a: 'b' }, 1, 'x'], last: 1 });
    for (let length = 0; length < text.length; length++) {
      expect(() => split(text.slice(0, length))).toThrow(WireError);
    }
    expect(split(text).items).toEqual([{ a: 'b' }, 1, 'x']);
  });

  it('holds no more of an endless item than it may', () => {
    const splitter = createListSplitter({ maxItemLength: 10 });
    splitter.push(new TextEncoder().encode('{"items":["12345678",'));

    expect(() => splitter.push(new TextEncoder().encode('"123456789"'))).toThrow(
      'an item is longer than 10 bytes (11 bytes)',
    );
  });

  it('holds no more of an answer that is no list than it may', () => {
    const splitter = createListSplitter({ maxEnvelopeLength: 10 });

    expect(() => splitter.push(new TextEncoder().encode('{"rows":["endless'))).toThrow(
      'more than 10 bytes beside its items',
    );
  });

  it('does not count the items as envelope', () => {
    const splitter = createListSplitter({ maxEnvelopeLength: 20 });
    const items = splitter.push(new TextEncoder().encode(`{"items":[${'"item",'.repeat(1000)}1]}`));

    expect(items.length).toBe(1001);
    expect(splitter.end().hasItems).toBe(true);
  });

  it('reads a list that is longer than the longest string', () => {
    const splitter = createListSplitter();
    const chunk = new TextEncoder().encode(`${JSON.stringify({ data: 'x'.repeat(1_000_000) })},`.repeat(4));
    let received = 0;
    splitter.push(new TextEncoder().encode('{"kind":"SecretList","items":['));
    for (let sent = 0; sent < 2 ** 29; sent += chunk.length) {
      received += splitter.push(chunk).length;
    }
    splitter.push(new TextEncoder().encode('{}],"metadata":{"resourceVersion":"9"}}'));

    expect(received).toBe(4 * Math.ceil(2 ** 29 / chunk.length));
    expect(splitter.end().metadata.resourceVersion).toBe('9');
  });
});
