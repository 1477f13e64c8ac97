import { map, NEVER, Subscription, timer } from 'rxjs';
import { millisecondsOf } from '../../virtual-clock.js';
import {
  type ApiReply,
  ConnectionFault,
  type LineListener,
  type BodyReader,
  type Piece,
  streamReply,
} from '../exchange/exchange.js';
import { checkedCount, type FaultContext, type ServerFault } from './server-fault.js';

/** The point at which `serverFaults.stall` stalls the connection; at most one is set. */
export type StallOptions =
  | { readonly afterBytes?: number; readonly afterEvents?: never }
  | { readonly afterEvents?: number; readonly afterBytes?: never };

/**
 * Stalls the connection, as if it were half-open: it sends no more data and does not end until the
 * client closes it.
 *
 * | call | the client receives |
 * | --- | --- |
 * | `stall()` | no answer at all |
 * | `stall({ afterBytes: 0 })` | the status and the headers, then nothing |
 * | `stall({ afterEvents: 3 })` | three events of the watch, then nothing |
 *
 * @param options when the connection stalls; default: before any response
 * @throws `RXI_INVALID_OPTION` unless the count is an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.stall({ afterEvents: 1 }));
 */
export function stall({ afterBytes, afterEvents }: StallOptions = {}): ServerFault {
  if (afterBytes !== undefined) {
    const limit = checkedCount('afterBytes', afterBytes);
    return bodyFault(`stall({ afterBytes: ${limit} })`, (source) => firstBytes(source, limit, 'stalls'));
  }
  if (afterEvents !== undefined) {
    const count = checkedCount('afterEvents', afterEvents);
    return bodyFault(`stall({ afterEvents: ${count} })`, (source) => firstLines(source, count, 'stalls'));
  }
  return { name: 'stall()', intercept: () => NEVER };
}

/**
 * Drops the connection after a number of bytes of the body, which may be in the middle of a line or
 * of a character.
 *
 * The client receives these bytes, then an `RXI_CONNECTION`. A shorter body arrives whole.
 *
 * @param bytes the number of bytes that arrive
 * @throws `RXI_INVALID_OPTION` unless `bytes` is an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', serverFaults.drop(1000));
 */
export function drop(bytes: number): ServerFault {
  const limit = checkedCount('bytes', bytes);
  return bodyFault(`drop(${bytes})`, (source) => firstBytes(source, limit, new ConnectionFault('cut')));
}

/**
 * Sends the body a few bytes at a time.
 *
 * @param bytes the size of a portion
 * @param milliseconds the time between two portions, on the server's scheduler
 * @throws `RXI_INVALID_OPTION` unless `bytes` is a positive integer, or if `milliseconds` is
 *   negative or not finite
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', serverFaults.drip(100, 10));
 */
export function drip(bytes: number, milliseconds: number): ServerFault {
  const portion = checkedCount('bytes', bytes, 1);
  const wait = millisecondsOf('milliseconds', milliseconds);
  return bodyFault(`drip(${portion}, ${wait})`, (source, listener, { scheduler }) => {
    const subscriptions = new Subscription();
    let rest: Uint8Array = new Uint8Array();
    let left = portion;
    return {
      read: () => {
        if (left === 0) return undefined;
        if (rest.length === 0) rest = bytesOf(source.read() ?? '');
        const piece = rest.subarray(0, left);
        if (piece.length === 0) return undefined;
        rest = rest.subarray(piece.length);
        left -= piece.length;
        if (left > 0) return piece;
        subscriptions.add(
          timer(wait, scheduler).subscribe(() => {
            left = portion;
            listener.readable();
          }),
        );
        return piece;
      },
      get ended() {
        return rest.length === 0 && source.ended;
      },
      get backlog() {
        return source.backlog;
      },
      get broken() {
        return rest.length === 0 ? source.broken : undefined;
      },
      close: () => {
        subscriptions.unsubscribe();
        source.close();
      },
    };
  });
}

/**
 * Sends each change of a watch twice. Bookmarks, errors and lists are sent once.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('watch', serverFaults.duplicate());
 */
export function duplicate(): ServerFault {
  return bodyFault('duplicate()', (source) => {
    let again: Piece | undefined;
    const reader = readerUntil(source, 'ends', {
      isOver: () => false,
      read: () => {
        const repeated = again;
        again = undefined;
        if (repeated !== undefined) return repeated;
        const line = source.read();
        if (typeof line === 'string' && /^\{"type":"(ADDED|MODIFIED|DELETED)"/.test(line)) again = line;
        return line;
      },
    });
    return reader;
  });
}

/**
 * Truncates the body in the middle of a line and ends the response normally, like a proxy that
 * closes a watch.
 *
 * @param options `afterEvents`: the number of whole events before the cut; default 0. A list counts
 *   as one event.
 * @throws `RXI_INVALID_OPTION` unless `afterEvents` is an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.truncate());
 */
export function truncate({ afterEvents = 0 }: { readonly afterEvents?: number } = {}): ServerFault {
  const count = checkedCount('afterEvents', afterEvents);
  return bodyFault('truncate()', (source) => {
    let line = -1;
    return readerUntil(source, 'ends', {
      isOver: () => line >= count,
      read: () => {
        const piece = source.read();
        if (piece === undefined) return undefined;
        line += 1;
        if (line < count) return piece;
        const bytes = bytesOf(piece);
        return bytes.subarray(0, Math.ceil(bytes.length / 2));
      },
    });
  });
}

/**
 * Sends a line that is not JSON, in the middle of a watch or before a list.
 *
 * @param options `afterEvents`: the number of events before the line; default 0
 * @throws `RXI_INVALID_OPTION` unless `afterEvents` is an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.garble({ afterEvents: 1 }));
 */
export function garble({ afterEvents = 0 }: { readonly afterEvents?: number } = {}): ServerFault {
  const count = checkedCount('afterEvents', afterEvents);
  return bodyFault('garble()', (source) => firstLines(source, count, 'goes-on', ['<html>502 Bad Gateway\n']));
}

/** Returns a reader that changes the output of another reader. */
export type AlterBody = (source: BodyReader, listener: LineListener, context: FaultContext) => BodyReader;

/** Returns a fault that changes the body of a successful answer. Failures are not changed. */
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

/** The state of the stream after a fault: it continues, ends, stalls, or breaks. */
export type Sequel = 'goes-on' | 'ends' | 'stalls' | ConnectionFault;

/** Calls `read` until `isOver` returns true, and then continues with `sequel`. */
function readerUntil(
  source: BodyReader,
  sequel: Sequel,
  { read, isOver }: { readonly read: () => Piece | undefined; readonly isOver: () => boolean },
): BodyReader {
  return {
    read: () => (isOver() ? undefined : read()),
    get ended() {
      return isOver() ? sequel === 'ends' : source.ended;
    },
    get backlog() {
      return isOver() ? 0 : source.backlog;
    },
    get broken() {
      if (!isOver()) return source.broken;
      return typeof sequel === 'string' ? undefined : sequel;
    },
    close: () => source.close(),
  };
}

/** Returns a reader of the first `limit` bytes, which then continues with `sequel`. */
export function firstBytes(source: BodyReader, limit: number, sequel: Exclude<Sequel, 'goes-on'>): BodyReader {
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

/** Reads `count` lines, then `inserted`, then `sequel`. A whole body is one line. */
export function firstLines(
  source: BodyReader,
  count: number,
  sequel: Sequel,
  inserted: readonly string[] = [],
): BodyReader {
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

const encoder = new TextEncoder();

export function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === 'string' ? encoder.encode(piece) : piece;
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
