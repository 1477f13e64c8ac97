import { switchMap, timer, throwError, of, defer } from 'rxjs';
import { millisecondsOf, type RestartOptions, type ServerFault, countOf } from './server-fault.js';
import { ConnectionFault, jsonReply } from '../exchange.js';
import { bodyFault, firstBytes, firstLines } from './body-faults.js';
import { ApiError, statusBody, expired } from '../api-error.js';

/**
 * Waits before the request is looked at; the answer is that of the later time.
 *
 * @param milliseconds on the server's scheduler; throws `RangeError` unless at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.always('list', delay(250));
 */
export function delay(milliseconds: number): ServerFault {
  const wait = millisecondsOf('milliseconds', milliseconds);
  return {
    name: `delay(${wait})`,
    intercept: (request, next, { scheduler }) => timer(wait, scheduler).pipe(switchMap(() => next(request))),
  };
}

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

export interface RespondOptions {
  /** The `Retry-After` header and `details.retryAfterSeconds`, in seconds; default: neither. */
  readonly retryAfter?: number | undefined;
  /** The machine-readable reason; default: the one that the real server gives with this code, if any. */
  readonly reason?: string | undefined;
  /** Default: says that a fault did it. */
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
 * Answers with an HTTP error and its `Status` object, and does nothing of what was asked.
 *
 * @param code the HTTP status: 429, 500, 503, …; throws `RangeError` unless from 400 to 599
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', respond(429, { retryAfter: 5 }));
 */
export function respond(code: number, options: RespondOptions = {}): ServerFault {
  if (!Number.isInteger(code) || code < 400 || code > 599)
    throw new RangeError(`code is ${code}; an HTTP error from 400 to 599 expected`);
  const { retryAfter, reason = reasons[code], message = `a fault of the server: ${code}` } = options;
  const seconds = retryAfter === undefined ? undefined : countOf('retryAfter', retryAfter);
  const details = seconds === undefined ? {} : { details: { retryAfterSeconds: seconds } };
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  const body = statusBody(new ApiError(code, reason, message, details));
  return { name: `respond(${code})`, intercept: () => of(jsonReply(code, body, headers)) };
}

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

/**
 * Restarts the server when the request comes: every connection is dropped, this one included; what the server holds stays.
 *
 * `server.restart()` does it at once, without waiting for a request.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('write', restart({ compact: true }));
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
