import { expired, statusBody } from '../api-error.js';
import { bodyFault, firstLines } from './altered-body.js';
import { countOf } from './count-of.js';
import { respond } from './respond.js';
import type { ServerFault } from './server-fault.js';

export interface GoneOptions {
  /** Default `event`, which is what the real server sends in a watch; other requests get `http` in any case. */
  readonly as?: 'event' | 'http' | undefined;
  /** How many events of the watch come before; default 0. */
  readonly afterEvents?: number | undefined;
}

const message = 'too old resource version: a fault of the server';
const errorLine = `${JSON.stringify({ type: 'ERROR', object: statusBody(expired(message)) })}\n`;

/**
 * 410 Expired: the version asked for is no longer known, although it is.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', gone({ afterEvents: 2 }));
 */
export function gone({ as = 'event', afterEvents = 0 }: GoneOptions = {}): ServerFault {
  const count = countOf('afterEvents', afterEvents);
  const event = bodyFault('gone()', (source) => firstLines(source, count, 'ends', [errorLine]));
  const answer = respond(410, { message });
  return {
    name: `gone({ as: '${as}' })`,
    intercept: (request, next, context) =>
      (as === 'event' && context.kind === 'watch' ? event : answer).intercept(request, next, context),
  };
}
