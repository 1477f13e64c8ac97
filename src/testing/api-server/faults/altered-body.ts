import { map } from 'rxjs';
import { streamReply, type ApiReply, type LineListener, type LineReader, type Piece } from '../exchange.js';
import { bytesOf } from './bytes.js';
import type { ConnectionFault } from './connection-fault.js';
import type { FaultContext, ServerFault } from './server-fault.js';

export type AlterBody = (source: LineReader, listener: LineListener, context: FaultContext) => LineReader;

/** A fault that does something to the body of a successful answer; failures pass as they are. */
export function bodyFault(name: string, alter: AlterBody): ServerFault {
  return {
    name,
    intercept: (request, next, context) => next(request).pipe(map((reply) => altered(reply, alter, context))),
  };
}

function altered(reply: ApiReply, alter: AlterBody, context: FaultContext): ApiReply {
  if (reply.status >= 400) return reply;
  const stream = reply.type === 'stream' ? reply : streamReply(reply.status, reply.body, reply.headers);
  return { ...stream, open: (listener) => alter(stream.open(listener), listener, context) };
}

/** What follows where a fault takes effect: the stream goes on, ends, stays open without a word, or breaks. */
export type Sequel = 'goes-on' | 'ends' | 'stalls' | ConnectionFault;

/** A reader that reads `read` until `isOver`, and then does what `sequel` says. */
export function readerUntil(
  source: LineReader,
  sequel: Sequel,
  { read, isOver }: { readonly read: () => Piece | undefined; readonly isOver: () => boolean },
): LineReader {
  return {
    read: () => (isOver() ? undefined : read()),
    get ended() {
      return isOver() ? sequel === 'ends' : source.ended;
    },
    get behind() {
      return isOver() ? 0 : source.behind;
    },
    get broken() {
      if (!isOver()) return source.broken;
      return typeof sequel === 'string' ? undefined : sequel;
    },
    close: () => {
      source.close();
    },
  };
}

/** The first `limit` bytes. */
export function firstBytes(source: LineReader, limit: number, sequel: Exclude<Sequel, 'goes-on'>): LineReader {
  let left = limit;
  return readerUntil(source, sequel, {
    isOver: () => left <= 0,
    read: () => {
      const piece = source.read();
      if (piece === undefined) return undefined;
      const bytes = bytesOf(piece).subarray(0, left);
      left -= bytes.length;
      return bytes;
    },
  });
}

/** The first `count` lines, then `inserted`, then what `sequel` says; a whole body is one line. */
export function firstLines(
  source: LineReader,
  count: number,
  sequel: Sequel,
  inserted: readonly string[] = [],
): LineReader {
  let left = count;
  const pending = [...inserted];
  return readerUntil(source, sequel, {
    isOver: () => sequel !== 'goes-on' && left <= 0 && pending.length === 0,
    read: () => {
      const next = left <= 0 ? pending.shift() : undefined;
      if (next !== undefined) return next;
      const line = source.read();
      if (line !== undefined) left -= 1;
      return line;
    },
  });
}
