import { Subscription, timer } from 'rxjs';
import { bodyFault } from './altered-body.js';
import { bytesOf } from './bytes.js';
import { countOf, millisecondsOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

/**
 * Sends the body a few bytes at a time.
 *
 * @param bytes at once; throws `RangeError` unless a positive integer
 * @param milliseconds between two portions, on the server's scheduler
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', slowDrip(100, 10));
 */
export function slowDrip(bytes: number, milliseconds: number): ServerFault {
  const portion = countOf('bytes', bytes, 1);
  const wait = millisecondsOf('milliseconds', milliseconds);
  return bodyFault(`slowDrip(${portion}, ${wait})`, (source, listener, { scheduler }) => {
    const life = new Subscription();
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
        life.add(
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
      get behind() {
        return source.behind;
      },
      get broken() {
        return rest.length === 0 ? source.broken : undefined;
      },
      close: () => {
        life.unsubscribe();
        source.close();
      },
    };
  });
}
