import { RxInformersError } from '../../../kubernetes/errors.js';
import type { KubernetesStatusDetails } from '../../../kubernetes/object.js';

/** One problem of a request, an entry of `details.causes`. */
export interface FieldProblem {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany';
  readonly field: string;
  readonly message: string;
}

const problemTexts = { Invalid: 'Invalid value', NotSupported: 'Unsupported value', Forbidden: 'Forbidden' };

/** Returns a problem with the value of a field, whose message begins as the real server's does. */
export function fieldProblem(reason: keyof typeof problemTexts, field: string, text: string): FieldProblem {
  return { reason: `FieldValue${reason}`, field, message: `${problemTexts[reason]}: ${text}` };
}

/** The subject of an error message about an object: the plural of its resource, or its kind. */
export interface Subject {
  readonly group: string;
  readonly name?: string;
  readonly kind: string;
}

/** The refusal of a request by the embedded API server. `status` is the body of the response. */
type ApiError = RxInformersError<'RXI_API'>;

export function apiError(
  code: number,
  reason: string | undefined,
  message: string,
  {
    details,
    metadata = {},
  }: {
    readonly details?: KubernetesStatusDetails | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
  } = {},
): ApiError {
  return new RxInformersError('RXI_API', message, {
    status: { status: 'Failure', message, ...(reason && { reason }), ...(details && { details }), code },
    metadata,
  });
}

export function badRequest(message: string): ApiError {
  return apiError(400, 'BadRequest', message);
}

/** Returns a 500 without a reason, which is the real server's response to an unexpected failure. */
export function internalError(message: string): ApiError {
  return apiError(500, undefined, message);
}

export function notFound(resource: Subject): ApiError {
  return apiError(404, 'NotFound', `${qualified(resource)} "${resource.name ?? ''}" not found`, {
    details: detailsOf(resource),
  });
}

export function unknownResource(): ApiError {
  return apiError(404, 'NotFound', 'the server could not find the requested resource', { details: {} });
}

export function methodNotAllowed(): ApiError {
  return apiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    details: {},
  });
}

export function alreadyExists(resource: Subject): ApiError {
  return apiError(409, 'AlreadyExists', `${qualified(resource)} "${resource.name ?? ''}" already exists`, {
    details: detailsOf(resource),
  });
}

export function conflict(subject: Subject, problem: string): ApiError {
  return apiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(subject)} "${subject.name ?? ''}": ${problem}`,
    { details: detailsOf(subject) },
  );
}

export function modifiedMeanwhile(resource: Subject): ApiError {
  return conflict(
    resource,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** Returns a 422. `subject.kind` must be the kind, not the resource. */
export function invalid(subject: Subject, problems: readonly FieldProblem[]): ApiError {
  const lines = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  const [only] = lines;
  const summary = lines.length === 1 ? (only ?? '') : `[${lines.join(', ')}]`;
  return apiError(422, 'Invalid', `${qualified(subject)} "${subject.name ?? ''}" is invalid: ${summary}`, {
    details: {
      ...detailsOf(subject),
      causes: problems.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

/** Returns a 410: the requested version is older than the history that the server has kept. */
export function expired(message: string, freshContinue?: string): ApiError {
  return apiError(410, 'Expired', message, freshContinue ? { metadata: { continue: freshContinue } } : {});
}

/** Returns a 504: the requested version was not reached while the server waited. */
export function tooLargeResourceVersion(requested: number, current: number): ApiError {
  return apiError(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

export function unauthorized(): ApiError {
  return apiError(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(resource: Subject, problem: string): ApiError {
  const name = resource.name ? ` "${resource.name}"` : '';
  return apiError(403, 'Forbidden', `${qualified(resource)}${name} is forbidden: ${problem}`, {
    details: detailsOf(resource),
  });
}

/** Returns the `Status` object for a failed request. */
export function statusBody(error: ApiError): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: error.metadata, ...error.status };
}

function qualified({ kind, group }: Subject): string {
  return group ? `${kind}.${group}` : kind;
}

function detailsOf({ name, group, kind }: Subject): KubernetesStatusDetails {
  return { ...(name ? { name } : {}), ...(group ? { group } : {}), kind };
}
