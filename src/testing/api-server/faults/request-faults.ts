import { defer, of, switchMap, throwError, timer } from 'rxjs';
import { invalidOptionError } from '../../../kubernetes/errors.js';
import { millisecondsOf } from '../../virtual-clock.js';
import { expired, statusBody, apiError } from '../exchange/api-error.js';
import { ConnectionFault, jsonReply } from '../exchange/exchange.js';
import { bodyFault, firstBytes, firstLines } from './body-faults.js';
import { checkedCount, type RestartOptions, type ServerFault } from './server-fault.js';

/**
 * Delays the request. It is handled after the delay, so the response shows the state at that time.
 *
 * @param milliseconds the delay, on the server's scheduler
 * @throws `RXI_INVALID_OPTION` if `milliseconds` is negative or not finite
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('list', serverFaults.delay(250));
 */
export function delay(milliseconds: number): ServerFault {
  const wait = millisecondsOf('milliseconds', milliseconds);
  return {
    name: `delay(${wait})`,
    intercept: (request, next, { scheduler }) => timer(wait, scheduler).pipe(switchMap(() => next(request))),
  };
}

/**
 * Refuses the connection. There is no response, and the request has no effect.
 *
 * `server.client` receives `ECONNREFUSED`. An HTTP client receives `ECONNRESET`, because the port
 * stays open.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('any', serverFaults.refuse(), { times: 3 });
 */
export function refuse(): ServerFault {
  return { name: 'refuse()', intercept: () => throwError(() => new ConnectionFault('refused')) };
}

/**
 * Resets the connection (TCP RST) after a number of bytes of the body. Bytes that the client has
 * not read may be lost.
 *
 * @param bytes the number of bytes; default 0: right after the head of the response
 * @throws `RXI_INVALID_OPTION` unless `bytes` is an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.reset());
 */
export function reset(bytes = 0): ServerFault {
  const limit = checkedCount('bytes', bytes);
  return bodyFault(`reset(${limit})`, (source) => firstBytes(source, limit, new ConnectionFault('reset')));
}

/** Options of `serverFaults.respond`. */
export interface RespondOptions {
  /** The `Retry-After` header and `details.retryAfterSeconds`, in seconds; default: omitted. */
  readonly retryAfter?: number | undefined;
  /** Default: the reason that the real server uses for this code, if there is one. */
  readonly reason?: string | undefined;
  /** The message; default: a text that names the fault. */
  readonly message?: string | undefined;
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/**
 * Responds with an HTTP error and its `Status` object. The request has no effect.
 *
 * @param code the HTTP status: 429, 500, 503, …
 * @param options the other parts of the response
 * @throws `RXI_INVALID_OPTION` unless the code is from 400 to 599
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', serverFaults.respond(429, { retryAfter: 5 }));
 */
export function respond(code: number, options: RespondOptions = {}): ServerFault {
  if (!Number.isInteger(code) || code < 400 || code > 599)
    throw invalidOptionError('code', code, 'an HTTP status from 400 to 599');
  const { retryAfter, reason = reasons[code], message = `injected by serverFaults.respond(${code})` } = options;
  const seconds = retryAfter === undefined ? undefined : checkedCount('retryAfter', retryAfter);
  const details = seconds === undefined ? {} : { details: { retryAfterSeconds: seconds } };
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  const body = statusBody(apiError(code, reason, message, details));
  return { name: `respond(${code})`, intercept: () => of(jsonReply(code, body, headers)) };
}

/** Options of `serverFaults.expire`. */
export interface ServerExpireOptions {
  /**
   * With `event` (default), a watch receives the error as an `ERROR` event in the stream, as from
   * the real server. With `http`, it receives an HTTP response. All other requests always receive
   * an HTTP response.
   */
  readonly as?: 'event' | 'http' | undefined;
  /** The number of events of the watch before the error; default 0. */
  readonly afterEvents?: number | undefined;
}

const message = 'too old resource version: injected by serverFaults';
const errorLine = `${JSON.stringify({ type: 'ERROR', object: statusBody(expired(message)) })}\n`;

/**
 * Responds with 410 Expired, as if the version were no longer in the history.
 *
 * @param options the form of the error, and the number of events before it
 * @throws `RXI_INVALID_OPTION` unless `afterEvents` is an integer of at least 0
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.expire({ afterEvents: 2 }));
 */
export function expire({ as = 'event', afterEvents = 0 }: ServerExpireOptions = {}): ServerFault {
  const count = checkedCount('afterEvents', afterEvents);
  const event = bodyFault('expire()', (source) => firstLines(source, count, 'ends', [errorLine]));
  const answer = respond(410, { message });
  return {
    name: `expire({ as: '${as}' })`,
    intercept: (request, next, context) =>
      (as === 'event' && context.kind === 'watch' ? event : answer).intercept(request, next, context),
  };
}

/**
 * Restarts the server when the request arrives. All connections are dropped, including the
 * connection of this request. The objects stay.
 *
 * To restart without a request, call `server.restart()`.
 *
 * @param options whether the history is lost
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('write', serverFaults.restart({ compact: true }));
 */
export function restart(options: RestartOptions = {}): ServerFault {
  return {
    name: `restart({ compact: ${options.compact ?? false} })`,
    intercept: (_request, _next, context) =>
      defer(() => {
        context.restart(options);
        return throwError(() => new ConnectionFault('reset'));
      }),
  };
}
