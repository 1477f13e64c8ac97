import {
  ConnectionError,
  CredentialsError,
  ResponseError,
  StatusError,
  UnexpectedSourceError,
} from '../../sources/source-error.js';
import { CallTimeoutError } from '../api/errors.js';
import { MalformedLeaseError } from './malformed-lease-error.js';

/** Why a lease could not be read, written or understood. `StatusError` has the `statusCode`: 403, 404 for a namespace that is not there, … */
export type LeaseError =
  | StatusError
  | ConnectionError
  | CredentialsError
  | ResponseError
  | CallTimeoutError
  | MalformedLeaseError
  | UnexpectedSourceError;

const expected = [
  StatusError,
  ConnectionError,
  CredentialsError,
  ResponseError,
  CallTimeoutError,
  MalformedLeaseError,
  UnexpectedSourceError,
] as const;

/** Whatever was thrown, as one of the errors that a caller can tell apart. */
export function toLeaseError(error: unknown): LeaseError {
  return expected.some((type) => error instanceof type) ? (error as LeaseError) : new UnexpectedSourceError(error);
}
