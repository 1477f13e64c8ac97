import fc from 'fast-check';
import { createLineSplitter } from '../../../src/sources/reflector/read-watch.js';
import { WireError } from '../../../src/sources/wire/bytes.js';
import { chunkSizes, inChunks, textOf, indentation, trickyJson } from './chunks.js';
import { type ListEnvelope, createListSplitter } from '../../../src/sources/wire/split-list.js';

function linesOf(chunks: readonly Uint8Array[]): { readonly lines: string[]; readonly rest: string | undefined } {
  const splitter = createLineSplitter();
  const lines = chunks.flatMap((chunk) => splitter.push(chunk).map(textOf));
  const rest = splitter.end();
  return { lines, rest: rest && textOf(rest) };
}

describe('createLineSplitter', () => {
  it('returns the lines of any text in any chunks, without empty ones, and the unterminated rest', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '𝄞', '"', '\\', ' ') });
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), line, chunkSizes, (lines, newline, rest, sizes) => {
        const text = lines.map((each) => each + newline).join('') + rest;

        expect(linesOf(inChunks(text, sizes))).toEqual({
          lines: lines.filter((each) => each !== ''),
          rest: rest === '' ? undefined : rest,
        });
      }),
    );
  });

  it('returns each line as soon as its newline is there', () => {
    const splitter = createLineSplitter();

    expect(splitter.push(inChunks('one\ntw', [])[0]!).map(textOf)).toEqual(['one']);
    expect(splitter.push(inChunks('o', [])[0]!)).toEqual([]);
    expect(splitter.push(inChunks('\n\n', [])[0]!).map(textOf)).toEqual(['two']);
    expect(splitter.end()).toBeUndefined();
  });

  it('drops the carriage return that another chunk brought', () => {
    expect(linesOf(inChunks('one\r\n\r\ntwo\r\n', [4, 1, 2]))).toEqual({ lines: ['one', 'two'], rest: undefined });
  });

  it('copies nothing where a line lies in one chunk', () => {
    const chunk = new TextEncoder().encode('one\ntwo\n');
    const lines = createLineSplitter().push(chunk);

    expect(lines.map((line) => line.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('keeps its own copy of an unfinished line, so that a chunk may be reused', () => {
    const splitter = createLineSplitter();
    const chunk = new TextEncoder().encode('one');
    splitter.push(chunk);
    chunk.fill(0);

    expect(splitter.push(new TextEncoder().encode(' two\n')).map(textOf)).toEqual(['one two']);
  });

  it('copies a line of 10 MB in chunks of 16 KB at most a few times over, not once for each chunk', () => {
    const size = 16 * 1024;
    const chunk = new Uint8Array(size).fill(0x61);
    const copied = bytesCopiedBy(() => {
      const splitter = createLineSplitter();
      for (let sent = 0; sent < 10_000_000; sent += size) splitter.push(chunk);
      const [line] = splitter.push(Uint8Array.of(0x0a));
      expect(line?.length).toBe(Math.ceil(10_000_000 / size) * size);
    });

    expect(copied).toBeLessThan(3 * 10_000_000);
  });

  it('reports a line that is too long once, and goes on with the next', () => {
    const splitter = createLineSplitter({ maxLineLength: 5 });
    const push = (text: string): string[] => splitter.push(new TextEncoder().encode(text)).map(textOf);

    expect(push('12345\n')).toEqual(['12345']);
    expect(push('123')).toEqual([]);
    expect(() => push('456')).toThrow(WireError);
    expect(push('789 and so on')).toEqual([]);
    expect(push('still the same\nnext\n')).toEqual(['next']);
  });

  it('loses no other line of the chunk in which one is too long', () => {
    const splitter = createLineSplitter({ maxLineLength: 5 });
    const push = (text: string): string[] => splitter.push(new TextEncoder().encode(text)).map(textOf);

    expect(() => push('one\nmuch too long\ntwo\nth')).toThrow(
      'a line is longer than 5 bytes (13 bytes): "much too long"',
    );
    expect(push('ree\n')).toEqual(['one', 'two', 'three']);
  });

  it('does not give the rest of a line that was too long as a line', () => {
    const splitter = createLineSplitter({ maxLineLength: 5 });
    expect(() => splitter.push(new TextEncoder().encode('much too long'))).toThrow(WireError);

    expect(splitter.end()).toBeUndefined();
  });
});

/** How many bytes are written through `Uint8Array.prototype.set` while `run` runs. */
function bytesCopiedBy(run: () => void): number {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype) as { set: Uint8Array['set'] };
  const original = prototype.set;
  let copied = 0;
  prototype.set = function (this: Uint8Array, source, offset) {
    copied += source.length;
    return original.call(this, source, offset);
  };
  try {
    run();
  } finally {
    prototype.set = original;
  }
  return copied;
}

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
