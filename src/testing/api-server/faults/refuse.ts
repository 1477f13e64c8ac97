import { throwError } from 'rxjs';
import { ConnectionFault } from './connection-fault.js';
import type { ServerFault } from './server-fault.js';

/**
 * Breaks the connection before any answer, and does nothing of what was asked.
 *
 * A client without a socket sees `ECONNREFUSED`; over HTTP it is `ECONNRESET`, because the port itself stays open.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('any', refuse(), { times: 3 });
 */
export function refuse(): ServerFault {
  return { name: 'refuse()', intercept: () => throwError(() => new ConnectionFault('refused')) };
}
