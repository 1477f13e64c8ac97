import { jest } from '@jest/globals';
import fc from 'fast-check';
import { createLineSplitter } from '../../../src/sources/reflector/line-splitter.js';
import { chooseScanner } from '../../../src/sources/wire/choose-scanner.js';
import type { ListEnvelope } from '../../../src/sources/wire/list-envelope.js';
import { createListReader, loadListSplitter } from '../../../src/sources/wire/list-reader.js';
import type { ScannedText } from '../../../src/sources/wire/scanner.js';
import { createListSplitter } from '../../../src/sources/wire/split-list.js';
import { errorWith } from '../../support/error-with.js';
import { bytesOf, chunkSizes, inChunks, indentation, itemsIn, textOf, trickyJson } from './chunks.js';

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

  it('returns each line as soon as its newline arrives', () => {
    const splitter = createLineSplitter();

    expect(splitter.push(inChunks('one\ntw', [])[0]!).map(textOf)).toEqual(['one']);
    expect(splitter.push(inChunks('o', [])[0]!)).toEqual([]);
    expect(splitter.push(inChunks('\n\n', [])[0]!).map(textOf)).toEqual(['two']);
    expect(splitter.end()).toBeUndefined();
  });

  it('drops the carriage return of a previous chunk', () => {
    expect(linesOf(inChunks('one\r\n\r\ntwo\r\n', [4, 1, 2]))).toEqual({ lines: ['one', 'two'], rest: undefined });
  });

  it('copies nothing if a line is in one chunk', () => {
    const chunk = new TextEncoder().encode('one\ntwo\n');
    const lines = createLineSplitter().push(chunk);

    expect(lines.map((line) => line.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('copies an unfinished line, so a chunk may be reused', () => {
    const splitter = createLineSplitter();
    const chunk = new TextEncoder().encode('one');
    splitter.push(chunk);
    chunk.fill(0);

    expect(splitter.push(new TextEncoder().encode(' two\n')).map(textOf)).toEqual(['one two']);
  });

  it('copies a line of 10 MB in chunks of 16 KB only a few times, not once for each chunk', () => {
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

  it('reports a too long line once, and continues with the next', () => {
    const splitter = createLineSplitter({ maxLineLength: 5 });
    const push = (text: string): string[] => splitter.push(new TextEncoder().encode(text)).map(textOf);

    expect(push('12345\n')).toEqual(['12345']);
    expect(push('123')).toEqual([]);
    expect(() => push('456')).toThrow(errorWith('RXI_WIRE'));
    expect(push('789 and so on')).toEqual([]);
    expect(push('still the same\nnext\n')).toEqual(['next']);
  });

  it('returns all other lines of a chunk with a too long line', () => {
    const splitter = createLineSplitter({ maxLineLength: 5 });
    const push = (text: string): string[] => splitter.push(new TextEncoder().encode(text)).map(textOf);

    expect(() => push('one\nmuch too long\ntwo\nth')).toThrow(
      'a line is longer than 5 bytes (13 bytes): "much too long"',
    );
    expect(push('ree\n')).toEqual(['one', 'two', 'three']);
  });

  it('does not return the rest of a too long line as a line', () => {
    const splitter = createLineSplitter({ maxLineLength: 5 });
    expect(() => splitter.push(new TextEncoder().encode('much too long'))).toThrow(errorWith('RXI_WIRE'));

    expect(splitter.end()).toBeUndefined();
  });
});

/** Returns the bytes written through `Uint8Array.prototype.set` while `run` runs. */
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
  const items = inChunks(text, sizes).flatMap((chunk) => itemsIn(splitter, chunk, (item) => item.parse()));
  return { items, envelope: splitter.end() };
}

const podList = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', continue: 'abc', remainingItemCount: 3 },
};

const asItCame = ({ bytes }: ScannedText): string => textOf(bytes);

describe.each(['wasm', 'none'] as const)('createListSplitter (scanner: %s)', (choice) => {
  beforeAll(() => chooseScanner(choice));
  afterAll(() => chooseScanner('fastest'));

  it('returns the items and the envelope that JSON.parse returns, for any items, any chunks, any whitespace', () => {
    fc.assert(
      fc.property(fc.array(trickyJson), chunkSizes, indentation, (items, sizes, indent) => {
        const text = JSON.stringify({ ...podList, items }, null, indent);

        const actual = split(text, sizes);

        expect(actual.items).toEqual((JSON.parse(text) as { items: unknown[] }).items);
        expect(actual.envelope).toEqual({ ...podList, hasItems: true });
      }),
      { numRuns: 100 },
    );
  });

  it('accepts the keys in any order, with any other fields', () => {
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

  it('returns an item as soon as its last byte arrives', () => {
    const splitter = createListSplitter();
    const push = (text: string): string[] => itemsIn(splitter, bytesOf(text), asItCame);

    expect(push('{"kind":"PodList","items":[{"a":1')).toEqual([]);
    expect(push('},{"b":"}')).toEqual(['{"a":1}']);
    expect(push('"}')).toEqual(['{"b":"}"}']);
    expect(push(']}')).toEqual([]);
    expect(splitter.end().kind).toBe('PodList');
  });

  it('copies nothing if an item is in one chunk', () => {
    const chunk = new TextEncoder().encode('{"items":[{"a":1},{"b":2}]}');

    expect(itemsIn(createListSplitter(), chunk, (item) => item.bytes.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('copies an unfinished item, so a chunk may be reused', () => {
    const splitter = createListSplitter();
    const chunk = new TextEncoder().encode('{"items":[{"a":');
    itemsIn(splitter, chunk, asItCame);
    chunk.fill(0);

    expect(itemsIn(splitter, bytesOf('1}]}'), asItCame)).toEqual(['{"a":1}']);
  });

  it.each([
    ['null', '{"kind":"PodList","items":null}', true],
    ['an empty array', '{"kind":"PodList","items":[ ]}', true],
    ['missing', '{"kind":"PodList"}', false],
    ['only in a nested object', '{"kind":"PodList","metadata":{"items":[1]}}', false],
    ['only in a string', '{"kind":"PodList","note":"\\"items\\":[1]"}', false],
  ])('finds no items if they are %s', (_, text, hasItems) => {
    expect(split(text, [1])).toEqual({
      items: [],
      envelope: { kind: 'PodList', apiVersion: '', metadata: {}, hasItems },
    });
  });

  it('finds items by field name, however the name is escaped', () => {
    expect(split('{"\\u0069tems":[1]}').items).toEqual([1]);
  });

  it('leaves fields of the wrong type out of the envelope', () => {
    const text = '{"kind":1,"metadata":{"resourceVersion":7,"continue":null,"remainingItemCount":"3"},"items":[]}';

    expect(split(text).envelope).toEqual({ kind: '', apiVersion: '', metadata: {}, hasItems: true });
  });

  it.each([
    ['HTML', '<html><body>404</body></html>', 'not a list: expected {'],
    ['an array', '[{"items":[]}]', 'not a list: expected {'],
    ['items that are an object', '{"items":{"a":1}}', 'not a list: expected value'],
    ['items that are a string', '{"items":"[]"}', 'not a list: expected value'],
    ['items twice', '{"items":[1],"items":[2]}', 'not a list: it has "items" twice'],
    ['no comma between items', '{"items":[{} {}]}', 'not a list: expected , or ]'],
    ['an additional comma', '{"items":[1,]}', 'not a list: expected item'],
    ['two commas', '{"items":[1,,2]}', 'not a list: expected item'],
    ['a leading comma', '{"items":[,1]}', 'not a list: expected item or ]'],
    ['no colon', '{"kind" "PodList"}', 'not a list: expected :'],
    ['no value', '{"kind":,"items":[]}', 'not a list: expected value'],
    ['a trailing comma', '{"kind":"PodList",}', 'not a list: expected key'],
    ['a key that is not a string', '{kind:"PodList"}', 'not a list: expected key or }'],
    ['a wrong bracket', '{"items":[1}', 'not a list: expected , or ]'],
    ['text after the end', '{"items":[]}{', 'not a list: expected end of the document'],
  ])('throws for %s', (_, text, problem) => {
    const refusal = (): Split => split(text, [3]);

    expect(refusal).toThrow(errorWith('RXI_WIRE'));
    expect(refusal).toThrow(problem);
  });

  it('throws for invalid JSON in the envelope', () => {
    expect(() => split('{"kind":PodList,"items":[]}')).toThrow('not valid JSON');
  });

  it('throws for a document that is truncated at any position', () => {
    const text = JSON.stringify({ ...podList, items: [{ a: 'b' }, 1, 'x'], last: 1 });
    for (let length = 0; length < text.length; length++) {
      expect(() => split(text.slice(0, length))).toThrow(errorWith('RXI_WIRE'));
    }
    expect(split(text).items).toEqual([{ a: 'b' }, 1, 'x']);
  });

  it('limits the memory for an endless item', () => {
    const splitter = createListSplitter({ maxItemLength: 10 });
    itemsIn(splitter, bytesOf('{"items":["12345678",'), asItCame);

    expect(() => itemsIn(splitter, bytesOf('"123456789"'), asItCame)).toThrow(
      'an item is longer than 10 bytes (11 bytes)',
    );
  });

  it('limits the memory for a response that is not a list', () => {
    const splitter = createListSplitter({ maxEnvelopeLength: 10 });

    expect(() => itemsIn(splitter, bytesOf('{"rows":["endless'), asItCame)).toThrow(
      'more than 10 bytes besides its items',
    );
  });

  it('does not count the items as envelope', () => {
    const splitter = createListSplitter({ maxEnvelopeLength: 20 });
    const items = itemsIn(splitter, bytesOf(`{"items":[${'"item",'.repeat(1000)}1]}`), asItCame);

    expect(items.length).toBe(1001);
    expect(splitter.end().hasItems).toBe(true);
  });

  it('reads a list that is longer than the longest string', () => {
    const splitter = createListSplitter();
    const chunk = new TextEncoder().encode(`${JSON.stringify({ data: 'x'.repeat(1_000_000) })},`.repeat(4));
    let received = 0;
    itemsIn(splitter, bytesOf('{"kind":"SecretList","items":['), asItCame);
    for (let sent = 0; sent < 2 ** 29; sent += chunk.length) {
      received += itemsIn(splitter, chunk, () => undefined).length;
    }
    itemsIn(splitter, bytesOf('{}],"metadata":{"resourceVersion":"9"}}'), asItCame);

    expect(received).toBe(4 * Math.ceil(2 ** 29 / chunk.length));
    expect(splitter.end().metadata.resourceVersion).toBe('9');
  });
});

describe('createListReader', () => {
  const text = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":2}]}';
  const envelope = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, hasItems: true };

  it('reads a list whole if its splitter is not loaded before the end', async () => {
    await jest.isolateModulesAsync(async () => {
      const { createListReader: create } = await import('../../../src/sources/wire/list-reader.js');
      const reader = create({});
      const items: unknown[] = [];
      for (const chunk of inChunks(text, [40, 40])) reader.push(chunk, (item) => items.push(item.parse()));

      expect(items).toEqual([]);
      expect(reader.end((item) => items.push(item.parse()))).toEqual(envelope);
      expect(items).toEqual([{ a: 1 }, { b: 2 }]);
      expect(() => create({}).end(() => undefined)).toThrow(errorWith('RXI_WIRE'));
    });
  });

  it('passes on the bytes that arrived before its splitter was loaded', async () => {
    await jest.isolateModulesAsync(async () => {
      const { createListReader: create, loadListSplitter: load } =
        await import('../../../src/sources/wire/list-reader.js');
      const reader = create({});
      const items: unknown[] = [];
      const receive = (item: ScannedText): void => void items.push(item.parse());
      reader.push(bytesOf(text.slice(0, 90)), receive);
      await load();
      reader.push(bytesOf(text.slice(90)), receive);

      expect(items).toEqual([{ a: 1 }, { b: 2 }]);
      expect(reader.end(receive)).toEqual(envelope);
    });
  });

  it('splits a list while it is received if its splitter is loaded', async () => {
    await loadListSplitter();
    const items: unknown[] = [];
    createListReader({}).push(bytesOf('{"items":[{"a":1},{'), (item) => items.push(item.parse()));

    expect(items).toEqual([{ a: 1 }]);
  });
});
