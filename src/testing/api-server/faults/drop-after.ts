import { bodyFault, firstBytes } from './altered-body.js';
import { countOf } from './count-of.js';
import { ConnectionFault } from './connection-fault.js';
import type { ServerFault } from './server-fault.js';

/**
 * Cuts the connection off after this many bytes of the body: in the middle of a line, of a character, or before the first byte.
 *
 * The bytes before arrive; the client sees a body that breaks off (a `ConnectionError`). A shorter body arrives whole.
 *
 * @param bytes throws `RangeError` unless an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', dropAfter(1000));
 */
export function dropAfter(bytes: number): ServerFault {
  const limit = countOf('bytes', bytes);
  return bodyFault(`dropAfter(${bytes})`, (source) => firstBytes(source, limit, new ConnectionFault('cut')));
}
