import { ConnectionError, StatusError, type RequestLine } from '../../sources/source-error.js';

const request: RequestLine = { method: 'GET', url: '/marbles?watch=true' };

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The error of an API server that answers with a code, with the reason that goes with it. */
export function statusErrorOf(code: number): StatusError {
  const reason = reasons[code];
  return new StatusError(request, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    ...(reason === undefined ? {} : { reason }),
    message: 'made for a test',
  });
}

/** A connection that was reset. */
export function connectionReset(): ConnectionError {
  return new ConnectionError(request, new Error('made for a test'), 'ECONNRESET');
}
