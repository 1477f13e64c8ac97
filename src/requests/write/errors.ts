import type { ErrorFields } from '../../kubernetes/error-codes.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import { withKind } from '../../kubernetes/object.js';
import type { StatusError } from '../../sources/model/errors.js';

export function editConflictError(
  key: string,
  tries: number,
  cause: StatusError,
  kind?: string,
): RxInformersError<'RXI_EDIT_CONFLICT'> {
  const message = `cannot edit ${withKind(key, kind)}: another writer changed it before each of ${tries} tries; try again later: ${cause.message}`;
  return new RxInformersError('RXI_EDIT_CONFLICT', message, { key, tries, cause });
}

export function objectDeletedError(
  key: string,
  uid: string,
  replacedBy: string | undefined,
  options?: ErrorOptions & { readonly kind?: string | undefined },
): RxInformersError<'RXI_OBJECT_DELETED'> {
  const message =
    `${withKind(key, options?.kind)} (uid ${uid}) has been deleted` +
    (replacedBy === undefined ? '' : `; its name now belongs to another object (uid ${replacedBy})`);
  return new RxInformersError('RXI_OBJECT_DELETED', message, { key, uid, replacedBy, cause: options?.cause });
}

/** What is wrong with a recipe; see `RXI_RECIPE`. */
export type RecipeProblem = ErrorFields['RXI_RECIPE']['problem'];

export function recipeError(
  key: string,
  problem: RecipeProblem,
  explanation: string,
  options?: ErrorOptions & { readonly kind?: string | undefined },
): RxInformersError<'RXI_RECIPE'> {
  const message = `invalid recipe for ${withKind(key, options?.kind)}: ${explanation}`;
  return new RxInformersError('RXI_RECIPE', message, { key, problem, cause: options?.cause });
}

export function statusIgnoredError(key: string, kind?: string): RxInformersError<'RXI_STATUS_IGNORED'> {
  const message = `the API server ignored the change in the status of ${withKind(key, kind)}; if the kind has a status subresource, edit it with { subresource: 'status' }`;
  return new RxInformersError('RXI_STATUS_IGNORED', message, { key });
}
