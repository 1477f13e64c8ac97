import { bodyFault, firstLines } from './altered-body.js';
import { countOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

/**
 * A line that is not JSON, in the middle of a watch or before a list.
 *
 * @param options `afterEvents`: how many events come before it; default 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', garbageLine({ afterEvents: 1 }));
 */
export function garbageLine({ afterEvents = 0 }: { readonly afterEvents?: number } = {}): ServerFault {
  const count = countOf('afterEvents', afterEvents);
  return bodyFault('garbageLine()', (source) => firstLines(source, count, 'goes-on', ['<html>502 Bad Gateway\n']));
}
