import { NEVER } from 'rxjs';
import { bodyFault, firstBytes, firstLines } from './altered-body.js';
import { countOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

/** When the silence begins; at most one of both. */
export type StallOptions =
  | { readonly afterBytes?: number; readonly afterEvents?: never }
  | { readonly afterEvents?: number; readonly afterBytes?: never };

/**
 * A half-open connection: neither data nor an end, for as long as the client keeps it.
 *
 * | made by | the client sees |
 * | --- | --- |
 * | `stall()` | no answer at all |
 * | `stall({ afterBytes: 0 })` | the head, then nothing |
 * | `stall({ afterEvents: 3 })` | three events of the watch, then nothing |
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', stall({ afterEvents: 1 }));
 */
export function stall({ afterBytes, afterEvents }: StallOptions = {}): ServerFault {
  if (afterBytes !== undefined) {
    const limit = countOf('afterBytes', afterBytes);
    return bodyFault(`stall({ afterBytes: ${limit} })`, (source) => firstBytes(source, limit, 'stalls'));
  }
  if (afterEvents !== undefined) {
    const count = countOf('afterEvents', afterEvents);
    return bodyFault(`stall({ afterEvents: ${count} })`, (source) => firstLines(source, count, 'stalls'));
  }
  return { name: 'stall()', intercept: () => NEVER };
}
