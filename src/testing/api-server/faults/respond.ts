import { of } from 'rxjs';
import { ApiError, statusBody } from '../api-error.js';
import { jsonReply } from '../exchange.js';
import { countOf } from './count-of.js';
import type { ServerFault } from './server-fault.js';

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
