import {
  BookmarkDeadlineError,
  ConnectionError,
  CredentialsError,
  DecodeError,
  EarlyCloseError,
  StatusError,
  type SourceError,
} from '../model/errors.js';

/** Sets `expected` (see `SourceError`) in place, because a copy would lose the stack. */
export function asExpected<E extends SourceError>(error: E): E {
  if (canBeExpected(error)) (error as { expected: boolean }).expected = true;
  return error;
}

function canBeExpected(error: SourceError): boolean {
  return [StatusError, ConnectionError, EarlyCloseError, DecodeError].some((kind) => error instanceof kind);
}

/** Returns true if the requested version is gone: 410, by its code or by its reason (R4). */
export function isExpired(error: SourceError): error is StatusError {
  return (
    error instanceof StatusError && (error.statusCode === 410 || error.reason === 'Expired' || error.reason === 'Gone')
  );
}

/**
 * Returns true if the server does not have the version yet, in the three forms of API servers (R4):
 * the reason of a cause, the message of a cause of a timeout, or the message of a timeout.
 */
function isTooLarge(error: SourceError): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  const causes = error.status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  const isTimeout = error.reason === 'Timeout' || error.statusCode === 504;
  const saysSo = (message = ''): boolean => message.includes('Too large resource version');
  return isTimeout && (saysSo(error.status.message) || causes.some((cause) => saysSo(cause.message)));
}

/** Returns true if a request for the most recent version can succeed instead. */
export function isVersionUnavailable(error: SourceError): error is StatusError {
  return isExpired(error) || isTooLarge(error);
}

/** Returns true if the response is missing or broke off: the server has not refused the request. */
export function isNoAnswer(error: SourceError): boolean {
  return error instanceof ConnectionError || error instanceof CredentialsError;
}

/** Returns true if the server, or a proxy in front of it, is too busy or not available yet. */
export function isOverloaded(error: SourceError): boolean {
  return error instanceof StatusError && [408, 429, 502, 503, 504].includes(error.statusCode) && !isTooLarge(error);
}

export function isTooManyRequests(error: SourceError): boolean {
  return error instanceof StatusError && error.statusCode === 429;
}

/**
 * Returns true if another stream would fail, too (R26 ▲, R27 ▲): the server refuses it (400, 422
 * Invalid), cannot watch the resource (405), or never sends the end bookmark.
 */
export function refusesStream(error: SourceError): boolean {
  return (
    error instanceof BookmarkDeadlineError ||
    (error instanceof StatusError && [400, 405, 422].includes(error.statusCode))
  );
}

/** Returns true if streams of other kinds would fail, too. A 405 is about one kind only. */
export function refusesAllStreams(error: SourceError): boolean {
  return refusesStream(error) && !(error instanceof StatusError && error.statusCode === 405);
}

/** Returns the status to report while the source waits because of `cause`. */
export function waitingState(cause: SourceError): 'backing-off' | 'forbidden' | 'not-found' {
  const code = cause instanceof StatusError ? cause.statusCode : 0;
  if (code === 401 || code === 403) return 'forbidden';
  return code === 404 ? 'not-found' : 'backing-off';
}

/** Returns true if the server would refuse the request again: no rights, or an unknown kind. */
export function isRefusal(cause: SourceError): boolean {
  return waitingState(cause) !== 'backing-off';
}

/** Returns the wait that the server requested, in milliseconds, at most `longest`. */
export function leastWait(cause: SourceError, longest: number): number {
  return cause instanceof StatusError ? Math.min(cause.retryAfter ?? 0, longest) : 0;
}
