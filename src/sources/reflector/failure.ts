import {
  BookmarkDeadlineError,
  ConnectionError,
  CredentialsError,
  DecodeError,
  EarlyCloseError,
  StatusError,
  type SourceError,
} from '../model/errors.js';

/**
 * Marks an error as handled by design (see `SourceError`) and returns it.
 *
 * It changes the error, because a copy would lose the stack. Marking twice is the same as once.
 */
export function asExpected<E extends SourceError>(error: E): E {
  if (canBeExpected(error)) (error as { expected: boolean }).expected = true;
  return error;
}

function canBeExpected(error: SourceError): boolean {
  return [StatusError, ConnectionError, EarlyCloseError, DecodeError].some((kind) => error instanceof kind);
}

/** The version asked for is gone: 410, by its code or by its reason (R4). */
export function isExpired(error: SourceError): error is StatusError {
  return (
    error instanceof StatusError && (error.statusCode === 410 || error.reason === 'Expired' || error.reason === 'Gone')
  );
}

/**
 * The version asked for is not there yet, in the three dialects of API servers (R4): a cause with a reason, a timeout with a
 * cause that says so, a timeout that says so itself.
 */
export function isTooLarge(error: SourceError): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  const causes = error.status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  const isTimeout = error.reason === 'Timeout' || error.statusCode === 504;
  const saysSo = (message = ''): boolean => message.includes('Too large resource version');
  return isTimeout && (saysSo(error.status.message) || causes.some((cause) => saysSo(cause.message)));
}

/** Asking for the most recent version instead will help. */
export function isVersionUnavailable(error: SourceError): error is StatusError {
  return isExpired(error) || isTooLarge(error);
}

/** Nobody answered, or the answer broke off: what was asked is as good as before. */
export function isNoAnswer(error: SourceError): boolean {
  return error instanceof ConnectionError || error instanceof CredentialsError;
}

/** The server, or a proxy before it, is too busy or not there yet. */
export function isOverloaded(error: SourceError): boolean {
  return error instanceof StatusError && [408, 429, 502, 503, 504].includes(error.statusCode) && !isTooLarge(error);
}

export function isTooManyRequests(error: SourceError): boolean {
  return error instanceof StatusError && error.statusCode === 429;
}

/**
 * Trying a streaming list again will bring the same (R26 ▲, R27 ▲): the server refuses it (400, 422 Invalid), does not watch
 * this resource at all (405), or its end bookmark does not arrive.
 */
export function refusesStream(error: SourceError): boolean {
  return (
    error instanceof BookmarkDeadlineError ||
    (error instanceof StatusError && [400, 405, 422].includes(error.statusCode))
  );
}

/** Streaming lists of other kinds fail the same way: a 405 is about one kind only. */
export function refusesAllStreams(error: SourceError): boolean {
  return refusesStream(error) && !(error instanceof StatusError && error.statusCode === 405);
}

/** The name of the state in which one waits because of `cause`. */
export function waitingState(cause: SourceError): 'backing-off' | 'forbidden' | 'not-found' {
  const code = cause instanceof StatusError ? cause.statusCode : 0;
  if (code === 401 || code === 403) return 'forbidden';
  return code === 404 ? 'not-found' : 'backing-off';
}

/** Returns the shortest wait that the server asked for, in milliseconds, up to `longest`. */
export function leastWait(cause: SourceError, longest: number): number {
  return cause instanceof StatusError ? Math.min(cause.retryAfter ?? 0, longest) : 0;
}
