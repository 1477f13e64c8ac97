import { switchMap, timer, throwError, of, defer } from 'rxjs';
import { millisecondsOf, type RestartOptions, type ServerFault, countOf } from './server-fault.js';
import { ConnectionFault, jsonReply } from '../exchange.js';
import { bodyFault, firstBytes, firstLines } from './body-faults.js';
import { ApiError, statusBody, expired } from '../api-error.js';

/**
 * Delays the request. The answer has the state of the later time.
 *
 * @param milliseconds on the server's scheduler
 * @throws RangeError if they are negative or not finite
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
 * Refuses the connection: no answer, and the request has no effect.
 *
 * A client without a socket receives `ECONNREFUSED`. Over HTTP it is `ECONNRESET`, because the port stays open.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('any', serverFaults.refuse(), { times: 3 });
 */
export function refuse(): ServerFault {
  return { name: 'refuse()', intercept: () => throwError(() => new ConnectionFault('refused')) };
}

/**
 * Resets the connection (TCP RST) after this many bytes of the body. Bytes that the client has not read may be lost.
 *
 * @param bytes default 0: right after the head
 * @throws RangeError unless it is an integer of at least 0
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.reset());
 */
export function reset(bytes = 0): ServerFault {
  const limit = countOf('bytes', bytes);
  return bodyFault(`reset(${limit})`, (source) => firstBytes(source, limit, new ConnectionFault('reset')));
}

/** Options of `serverFaults.respond`. */
export interface RespondOptions {
  /** The `Retry-After` header and `details.retryAfterSeconds`, in seconds; default: neither. */
  readonly retryAfter?: number | undefined;
  /** The machine-readable reason; default: that of the real server for this code, if any. */
  readonly reason?: string | undefined;
  /** Default: a text that names the fault. */
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
 * Answers with an HTTP error and its `Status` object. The request has no effect.
 *
 * @param code the HTTP status: 429, 500, 503, …
 * @param options the other parts of the answer
 * @throws RangeError unless the code is from 400 to 599
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('list', serverFaults.respond(429, { retryAfter: 5 }));
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

/** Options of `serverFaults.expire`. */
export interface ServerExpireOptions {
  /** Default `event`, as the real server does in a watch. Requests that are no watch always receive `http`. */
  readonly as?: 'event' | 'http' | undefined;
  /** The number of events of the watch before it; default 0. */
  readonly afterEvents?: number | undefined;
}

const message = 'too old resource version: a fault of the server';
const errorLine = `${JSON.stringify({ type: 'ERROR', object: statusBody(expired(message)) })}\n`;

/**
 * Answers 410 Expired, as for a version that is no longer in the history.
 *
 * @param options how, and after how many events
 * @throws RangeError unless `afterEvents` is an integer of at least 0
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.expire({ afterEvents: 2 }));
 */
export function expire({ as = 'event', afterEvents = 0 }: ServerExpireOptions = {}): ServerFault {
  const count = countOf('afterEvents', afterEvents);
  const event = bodyFault('expire()', (source) => firstLines(source, count, 'ends', [errorLine]));
  const answer = respond(410, { message });
  return {
    name: `expire({ as: '${as}' })`,
    intercept: (request, next, context) =>
      (as === 'event' && context.kind === 'watch' ? event : answer).intercept(request, next, context),
  };
}

/**
 * Restarts the server when the request arrives. Every connection is dropped, also that of the request. The objects stay.
 *
 * `server.restart()` does it at once, without a request.
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
