import { createByteAccumulator, type WireError, wireError } from '../wire/bytes.js';

export function isLineBreak(byte: number): boolean {
  return byte === newline || byte === carriageReturn;
}

export interface LineSplitterOptions {
  /**
   * The longest line in bytes, without its newline; default 64 MiB. It bounds the memory that one
   * broken connection can take. The API server's own limit for an object is a few MiB.
   */
  readonly maxLineLength?: number | undefined;
}

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** True if an empty line was received. Some proxies send empty lines as a heartbeat. */
  readonly hasEmptyLines: boolean;
  /**
   * Returns the lines that `bytes` complete, in order, without `\n` or `\r\n` and empty lines. A
   * line within one chunk is a view into `bytes`, only valid as long as the chunk is.
   *
   * @throws WireError once for each line that is too long; the next call returns the complete lines
   */
  push(bytes: Uint8Array): readonly Uint8Array[];
  /** Returns the bytes after the last newline, if there are any. */
  end(): Uint8Array | undefined;
}

const newline = 0x0a;

const carriageReturn = 0x0d;

/**
 * Creates a splitter for newline-delimited JSON, as a watch sends it.
 *
 * **Guarantees**: the cost is linear in the bytes, for lines of any length in chunks of any size.
 * After a line that is too long, the splitter continues with the next line.
 */
export function createLineSplitter({ maxLineLength = 64 * 1024 * 1024 }: LineSplitterOptions = {}): LineSplitter {
  const partial = createByteAccumulator();
  let lines: Uint8Array[] = [];
  let tooLong: WireError | undefined;
  let skipping = false;
  let hasEmptyLines = false;

  function keep(line: Uint8Array): void {
    const length = line.length - (line[line.length - 1] === carriageReturn ? 1 : 0);
    if (length > 0) {
      lines.push(length === line.length ? line : line.subarray(0, length));
    } else {
      hasEmptyLines = true;
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
    get hasEmptyLines() {
      return hasEmptyLines;
    },
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
