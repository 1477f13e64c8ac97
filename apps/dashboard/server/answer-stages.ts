import type { OutgoingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { SchedulerLike } from 'rxjs';

const newline = 0x0a;
const emptyLine = Buffer.from('\n');

/** Forwards a watch, and can insert empty lines between its events. */
export class WatchStage extends Transform {
  /** When the head, bytes or an empty line was last forwarded. */
  lastAt: number;
  #isBetweenLines = true;

  constructor(
    private readonly scheduler: SchedulerLike,
    private readonly onBytes: () => void,
  ) {
    super();
    this.lastAt = scheduler.now();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, data: Buffer) => void): void {
    this.lastAt = this.scheduler.now();
    this.onBytes();
    this.#isBetweenLines = chunk.at(-1) === newline;
    done(null, chunk);
  }

  /**
   * Inserts an empty line, unless an event is incomplete or the browser does not read. Readers of
   * lines skip empty lines.
   */
  beat(): void {
    if (!this.#isBetweenLines || this.readableLength > 0 || this.writableEnded || this.destroyed) return;
    this.lastAt = this.scheduler.now();
    this.push(emptyLine);
  }
}

const compressible = /^(application\/(json|yaml|.*\+json)|text\/)/i;
/**
 * The minimum size for compression, in bytes. A smaller answer fits into one packet uncompressed.
 */
const worthCompressing = 1_400;

/** Returns whether an answer is worth compressing and not compressed yet. */
export function isCompressible(headers: OutgoingHttpHeaders): boolean {
  const { 'content-encoding': encoding, 'content-type': type, 'content-length': length, etag } = headers;
  if (encoding !== undefined && encoding !== 'identity') return false;
  // An ETag names the uncompressed bytes, so a tagged answer stays uncompressed.
  if (etag !== undefined || !compressible.test(String(type ?? ''))) return false;
  return length === undefined || Number(length) >= worthCompressing;
}

/** Returns a stage that compresses. In a stream, each chunk leaves the stage at once. */
export function compress(isStream: boolean): Transform {
  return createGzip(isStream ? { flush: constants.Z_SYNC_FLUSH, level: 3 } : { level: 5 });
}

/**
 * Returns the headers of an answer without the length and the ETag, because this server changes the
 * bytes.
 */
export function withoutLength(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length' && name !== 'etag'));
}
