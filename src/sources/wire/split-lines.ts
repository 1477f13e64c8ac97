import { createByteAccumulator, decodeJson, wireError, type WireError } from './bytes.js';
import { endOfValue, quoted, spells, walkMembers } from './json-bytes.js';
import { createShortener, spanOfMember, type MemberPath, type Span } from './value-scanner.js';

export interface LineSplitterOptions {
  /**
   * The longest line in bytes, without its newline; default 64 MiB. It bounds what one broken connection can make this
   * process hold; the API server's own limit for an object is a few MiB.
   */
  readonly maxLineLength?: number | undefined;
}

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /**
   * Returns the lines that `bytes` complete, without `\n` or `\r\n`, in order; empty lines are dropped.
   *
   * A line that lies in one chunk is a view into `bytes`, and so valid as long as the chunk is.
   *
   * @throws WireError for a line that is too long, once; the lines completed by the same call come with the next one
   */
  push(bytes: Uint8Array): readonly Uint8Array[];
  /** Returns the rest that no newline ended, if there is any. */
  end(): Uint8Array | undefined;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Creates a splitter for newline-delimited JSON, as a watch sends it.
 *
 * **Guarantees**: linear in the bytes, for a line of any length in chunks of any size; after a line that is too long it
 * goes on with the next one.
 */
export function createLineSplitter({ maxLineLength = 64 * 1024 * 1024 }: LineSplitterOptions = {}): LineSplitter {
  const partial = createByteAccumulator();
  let lines: Uint8Array[] = [];
  let tooLong: WireError | undefined;
  let skipping = false;

  function keep(line: Uint8Array): void {
    const length = line.length - (line[line.length - 1] === carriageReturn ? 1 : 0);
    if (length > 0) {
      lines.push(length === line.length ? line : line.subarray(0, length));
    }
  }

  function fits(piece: Uint8Array): boolean {
    const length = partial.length + piece.length;
    if (length <= maxLineLength) return true;
    const beginning = partial.length > 0 ? partial.peek() : piece;
    tooLong ??= wireError(`a line is longer than ${maxLineLength} bytes`, beginning, length);
    partial.clear();
    return false;
  }

  function complete(piece: Uint8Array): void {
    if (skipping) {
      skipping = false;
      return;
    }
    if (!fits(piece)) return;
    if (partial.length === 0) return keep(piece);
    partial.append(piece);
    keep(partial.take());
  }

  function continueLine(piece: Uint8Array): void {
    if (skipping || piece.length === 0) return;
    if (fits(piece)) {
      partial.append(piece);
    } else {
      skipping = true;
    }
  }

  return {
    push(bytes) {
      let start = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, start)) {
        complete(bytes.subarray(start, at));
        start = at + 1;
      }
      continueLine(start === 0 ? bytes : bytes.subarray(start));
      if (tooLong !== undefined) {
        const error = tooLong;
        tooLong = undefined;
        throw error;
      }
      const completed = lines;
      lines = [];
      return completed;
    },
    end() {
      skipping = false;
      return partial.length === 0 ? undefined : partial.take();
    },
  };
}

const object = quoted('object');

/**
 * Returns a function that decodes lines of a watch, as `decodeJson` does, but without the member at `path` of their `object`.
 *
 * Finding where a third of a line begins and ends costs half of what parsing it would, and what was never parsed need not be
 * collected.
 *
 * **Guarantees**: nothing else is left out; errors show the line as it came.
 * **Does not guarantee**: that the member is left out if one of its keys stands twice or is written with escapes, or if its value is
 * neither object nor array; that what is wrong within it is noticed, as long as its brackets match.
 */
export function decodeEventWithout(path: MemberPath): (line: Uint8Array) => unknown {
  const find = memberFinder(path);
  const shortener = createShortener();
  return (line) => {
    const span = find(line);
    if (span === undefined) return decodeJson(line);
    shortener.reset(line.length);
    try {
      return decodeJson(shortener.copyWithout(line, span));
    } catch {
      return decodeJson(line);
    }
  };
}

function memberFinder([outerName, innerName]: MemberPath): (line: Uint8Array) => Span | undefined {
  const outer = quoted(outerName);
  const inner = quoted(innerName);
  return (line) => {
    const view = new DataView(line.buffer, line.byteOffset, line.length);
    let span: Span | undefined;

    const visitOuter = (keyStart: number, keyEnd: number, valueStart: number): number => {
      if (!spells(line, keyStart, inner)) return endOfValue(line, view, valueStart);
      span = spanOfMember(line, view, keyStart, keyEnd);
      return -1;
    };
    const visitObject = (keyStart: number, _keyEnd: number, valueStart: number): number => {
      if (!spells(line, keyStart, outer)) return endOfValue(line, view, valueStart);
      walkMembers(line, view, valueStart, visitOuter);
      return -1;
    };
    walkMembers(line, view, 0, (keyStart, _keyEnd, valueStart) => {
      if (!spells(line, keyStart, object)) return endOfValue(line, view, valueStart);
      walkMembers(line, view, valueStart, visitObject);
      return -1;
    });
    return span;
  };
}
