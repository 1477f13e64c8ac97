import { type RxInformersError } from '../../kubernetes/errors.js';
import { createByteAccumulator, wireError } from '../wire/bytes.js';

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
  hasEmptyLines: boolean;
  /**
   * Returns the lines that `bytes` complete, in order, without `\n` or `\r\n` and empty lines. A
   * line within one chunk is a view into `bytes`, only valid as long as the chunk is.
   *
   * @throws `RXI_WIRE` once for each line that is too long; the next call returns complete lines
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
  let tooLong: RxInformersError<'RXI_WIRE'> | undefined;
  let skipping = false;
  /** True if the last chunk ended in the middle of a line. */
  let isPartial = false;

  function fits(piece: Uint8Array): boolean {
    const length = partial.length + piece.length;
    if (length <= maxLineLength) return true;
    const beginning = partial.length > 0 ? partial.peek() : piece;
    tooLong ??= wireError(`a line is longer than ${maxLineLength} bytes`, beginning, length);
    partial.clear();
    return false;
  }

  /** Returns the line that `piece` completes; `undefined` for a line that is too long. */
  function completed(piece: Uint8Array): Uint8Array | undefined {
    isPartial = false;
    if (skipping) {
      skipping = false;
      return undefined;
    }
    if (!fits(piece)) return undefined;
    partial.append(piece);
    return partial.take();
  }

  function continueLine(piece: Uint8Array): void {
    isPartial = true;
    if (skipping) return;
    if (fits(piece)) partial.append(piece);
    else skipping = true;
  }

  return {
    hasEmptyLines: false,
    push(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
        const piece = bytes.subarray(start, end);
        start = end + 1;
        // Most lines arrive in one chunk, and are not copied.
        const line = isPartial || piece.length > maxLineLength ? completed(piece) : piece;
        if (line === undefined) continue;
        const length = line.length - (line[line.length - 1] === carriageReturn ? 1 : 0);
        if (length === 0) this.hasEmptyLines = true;
        else lines.push(length === line.length ? line : line.subarray(0, length));
      }
      if (start < bytes.length) continueLine(start === 0 ? bytes : bytes.subarray(start));
      if (tooLong !== undefined) {
        const error = tooLong;
        tooLong = undefined;
        throw error;
      }
      const whole = lines;
      lines = [];
      return whole;
    },
    end() {
      skipping = false;
      return partial.length === 0 ? undefined : partial.take();
    },
  };
}
