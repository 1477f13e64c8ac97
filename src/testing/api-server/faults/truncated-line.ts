import { bodyFault, readerUntil } from './altered-body.js';
import { bytesOf } from './bytes.js';
import { countOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

/**
 * Ends the answer properly in the middle of a line, as a proxy does that closes a watch on its own account.
 *
 * @param options `afterEvents`: how many whole events come before; default 0. A list is one line.
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', truncatedLine());
 */
export function truncatedLine({ afterEvents = 0 }: { readonly afterEvents?: number } = {}): ServerFault {
  const count = countOf('afterEvents', afterEvents);
  return bodyFault('truncatedLine()', (source) => {
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
