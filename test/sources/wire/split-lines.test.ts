import fc from 'fast-check';
import { createLineSplitter } from '../../../src/sources/reflector/read-watch.js';
import { WireError } from '../../../src/sources/wire/bytes.js';
import { chunkSizes, inChunks, textOf } from './chunks.js';

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
