import { catchError, map, of, tap, throwError, type Observable } from 'rxjs';
import { resourceVersionOf } from '../../store/identity.js';
import { isNotFound } from '../api/refusals.js';
import type { ResourceClient } from '../api/resource-client.js';
import { statusOf, type EditOptions } from './edit.js';
import { diff } from './json-patch/diff.js';
import type { JsonPatchOperation } from './json-patch/operation.js';
import { onNewest } from './on-newest.js';
import { guarded, isStatus, planEdit, type Stored } from './plan-edit.js';
import type { Recipe } from './recipe.js';
import { StatusIgnoredError } from './status-ignored-error.js';

/** An object as the server has it, and whether that was changed by the write. */
export interface Written<T> {
  readonly object: T;
  readonly isChanged: boolean;
}

/** What is written: what `recipe` makes of an object. */
export interface Writing<T> {
  readonly client: ResourceClient<T>;
  readonly recipe: Recipe<T>;
  readonly options: EditOptions;
}

/** Writes everything if more than the status differs: a kind that keeps the status in the object takes it as well. */
export function writeObject<T extends object>(writing: Writing<T>, existing: T): Observable<Written<T>> {
  const write = (base: T, stored: Stored): Observable<Written<T>> => {
    const operations = planEdit(base, writing.recipe, undefined);
    return operations.every(isStatus) ? of({ object: base, isChanged: false }) : send(writing, stored, operations);
  };
  return onNewest(writing.client, existing, write, writing.options);
}

/**
 * Writes the status if it differs, to its subresource, or to the object if there is no subresource.
 * What else the recipe changes is not written: the server or others changed it after `writeObject`.
 */
export function writeStatus<T extends object>(writing: Writing<T>, existing: T): Observable<Written<T>> {
  const write = (base: T, stored: Stored): Observable<Written<T>> => {
    const operations = planEdit(base, writing.recipe, undefined).filter(isStatus);
    if (operations.length === 0) return of({ object: base, isChanged: false });
    const sendInObject = (): Observable<Written<T>> =>
      send(writing, stored, operations).pipe(
        tap(({ object }) => {
          if (diff(statusOf(base), statusOf(object)).length === 0) throw new StatusIgnoredError(stored.key);
        }),
      );
    // Without such a subresource, and without the object, servers may answer in the same words.
    return send(writing, stored, operations, 'status').pipe(
      catchError((error: unknown) => (isNotFound(error) ? sendInObject() : throwError(() => error))),
    );
  };
  return onNewest(writing.client, existing, write, writing.options);
}

function send<T>(
  { client, options }: Writing<T>,
  stored: Stored,
  operations: readonly JsonPatchOperation[],
  subresource?: 'status',
): Observable<Written<T>> {
  return client.patch(stored.key, guarded(stored, operations), { ...options, subresource }).pipe(
    map((object) => ({
      object,
      // A dry run leaves the version as it is.
      isChanged: options.dryRun === true || resourceVersionOf(object) !== stored.resourceVersion,
    })),
  );
}
