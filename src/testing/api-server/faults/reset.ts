import { bodyFault, firstBytes } from './altered-body.js';
import { ConnectionFault } from './connection-fault.js';
import { countOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

/**
 * Resets the connection (TCP RST) after this many bytes of the body; what was still on its way may be lost.
 *
 * @param bytes default 0: right after the head. Throws `RangeError` unless an integer of at least 0.
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', reset());
 */
export function reset(bytes = 0): ServerFault {
  const limit = countOf('bytes', bytes);
  return bodyFault(`reset(${limit})`, (source) => firstBytes(source, limit, new ConnectionFault('reset')));
}
