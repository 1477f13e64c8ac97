import { type RxInformersError } from '../../kubernetes/errors.js';
import { StatusError, type RequestLine, connectionError } from '../../sources/model/errors.js';

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

/** Returns the error of an HTTP status, with the reason that an API server sends with it. */
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

/** Returns the error of a reset connection. */
export function connectionReset(): RxInformersError<'RXI_CONNECTION'> {
  return connectionError(request, new Error('made for a test'), 'ECONNRESET');
}
