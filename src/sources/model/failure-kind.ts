import { StatusError, type SourceError } from './errors.js';

/** Sets `expected` (see `SourceError`) in place, because a copy would lose the stack. */
export function asExpected<E extends SourceError>(error: E): E {
  const canBeExpected = ['RXI_STATUS', 'RXI_CONNECTION', 'RXI_EARLY_CLOSE', 'RXI_DECODE'].includes(error.code);
  if (canBeExpected) (error as { expected: boolean }).expected = true;
  return error;
}

/**
 * What a failure of a request means for the next request.
 *
 * | failure | meaning |
 * | --- | --- |
 * | `no-answer` | the response is missing or broke off: the server has not refused the request |
 * | `expired` | the requested version is gone: 410, by its code or by its reason (R4) |
 * | `too-large` | the server does not have the version yet (R4) |
 * | `too-many-requests` | 429 |
 * | `overloaded` | the server, or a proxy in front of it, is too busy or not available yet |
 * | `forbidden`, `not-found` | the server would refuse the request again: no rights, or an unknown kind |
 * | `no-streams` | every stream would fail (R26 ▲, R27 ▲): the server refuses it (400, 422 Invalid), or never sends the end bookmark |
 * | `no-watch` | the server cannot watch this kind (405) |
 * | `other` | anything else |
 */
export type FailureKind =
  | 'no-answer'
  | 'expired'
  | 'too-large'
  | 'too-many-requests'
  | 'overloaded'
  | 'forbidden'
  | 'not-found'
  | 'no-streams'
  | 'no-watch'
  | 'other';

const kindOfCode: Readonly<Record<number, FailureKind>> = {
  400: 'no-streams',
  401: 'forbidden',
  403: 'forbidden',
  404: 'not-found',
  405: 'no-watch',
  408: 'overloaded',
  410: 'expired',
  422: 'no-streams',
  429: 'too-many-requests',
  502: 'overloaded',
  503: 'overloaded',
  504: 'overloaded',
};

export function failureKindOf(error: SourceError): FailureKind {
  if (error.code === 'RXI_CONNECTION' || error.code === 'RXI_CREDENTIALS') return 'no-answer';
  if (error.code === 'RXI_BOOKMARK_DEADLINE') return 'no-streams';
  if (!(error instanceof StatusError)) return 'other';
  if (error.reason === 'Expired' || error.reason === 'Gone') return 'expired';
  return isTooLarge(error) ? 'too-large' : (kindOfCode[error.statusCode] ?? 'other');
}

/**
 * Recognizes the three forms of API servers: the reason of a cause, the message of a cause of a
 * timeout, or the message of a timeout.
 */
function isTooLarge({ reason, statusCode, status }: StatusError): boolean {
  const causes = status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  const isTimeout = reason === 'Timeout' || statusCode === 504;
  const messages = [status.message, ...causes.map(({ message }) => message)];
  return isTimeout && messages.some((message) => message?.includes('Too large resource version'));
}

/** Returns the status to report while the source waits because of `cause`. */
export function waitingState(cause: SourceError): 'backing-off' | 'forbidden' | 'not-found' {
  const kind = failureKindOf(cause);
  return kind === 'forbidden' || kind === 'not-found' ? kind : 'backing-off';
}
