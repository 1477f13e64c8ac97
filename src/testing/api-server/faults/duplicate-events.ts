import type { Piece } from '../exchange.js';
import { bodyFault, readerUntil } from './altered-body.js';
import type { ServerFault } from './server-fault.js';

/**
 * Sends each change of a watch twice. Bookmarks, errors and lists come once.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('watch', duplicateEvents());
 */
export function duplicateEvents(): ServerFault {
  return bodyFault('duplicateEvents()', (source) => {
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
