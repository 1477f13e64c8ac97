import { Immer } from 'immer';
import { messageOf, isRxInformersError } from '../../kubernetes/errors.js';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { kindOf } from '../../kubernetes/resource.js';
import { recipeError } from './errors.js';
import { diff } from './json-patch/diff.js';
import { type Json, type JsonPatchOperation, toJson } from './json-patch/json.js';

/** `T` without `readonly`, at any depth. It is the type of the draft that a recipe changes. */
export type Editable<T> = T extends readonly (infer Item)[]
  ? Editable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Editable<T[Key]> }
    : T;

/** A function that changes a draft of an object. It must be synchronous and return nothing. */
export type Recipe<T> = (draft: Editable<T>) => void;

// A separate immer, unaffected by settings of the application for its own state.
const immer = /*#__PURE__*/ new Immer({ autoFreeze: false });

/**
 * Runs the recipe on a draft, and returns the result, which shares untouched parts with the
 * unchanged object. Throws `RXI_RECIPE`; a `TerminalError` as it is, so that the queue recognises
 * it.
 */
export function cook(key: string, object: object, recipe: Recipe<object>): Json {
  const draft = immer.createDraft(object);
  const { kind } = kindOf(object);
  const result = attempted(key, kind, () => (recipe as (draft: unknown) => unknown)(draft));
  if (typeof (result as PromiseLike<unknown> | undefined)?.then === 'function') {
    // The result is ignored, so a later rejection must not become an unhandled rejection.
    if (result instanceof Promise) result.catch(() => undefined);
    throw recipeError(key, 'asynchronous', 'it is asynchronous; do asynchronous work before the edit', {
      kind,
    });
  }
  if (result !== undefined && result !== draft) {
    throw recipeError(
      key,
      'returned-a-value',
      'it returned a value; change the draft and return nothing, for example with braces: (draft) => { … }',
      { kind },
    );
  }
  return jsonOf(key, kind, immer.finishDraft(draft), object);
}

function attempted<R>(key: string, kind: string | undefined, recipe: () => R): R {
  try {
    return recipe();
  } catch (error) {
    if (isRxInformersError(error, 'RXI_TERMINAL')) throw error;
    throw recipeError(key, 'threw', `it threw: ${messageOf(error)}`, { cause: error, kind });
  }
}

function jsonOf(key: string, kind: string | undefined, value: unknown, original: unknown): Json {
  try {
    return toJson(value, original) as Json;
  } catch (error) {
    if (isRxInformersError(error, 'RXI_NOT_JSON'))
      throw recipeError(key, 'not-json', error.message, { cause: error, kind });
    throw error;
  }
}

/** Returns what a recipe changes; nothing if it does not. Pure. O(number of changes). */
export function planEdit<T extends object>(
  object: T,
  recipe: Recipe<T>,
  subresource: 'status' | undefined,
): readonly JsonPatchOperation[] {
  const key = metaNamespaceKey(object);
  const { kind } = kindOf(object);
  const base = toJson(object, undefined) as Json;
  const operations = diff(base, cook(key, base as object, recipe as Recipe<object>));
  for (const operation of operations) {
    const { path } = operation;
    if (isReadOnly(path)) {
      throw recipeError(key, 'read-only-field', `it changed ${path}, which an edit cannot change`, { kind });
    }
    if (subresource === 'status' && !isStatus(operation)) {
      throw recipeError(
        key,
        'outside-of-subresource',
        `it changed ${path}, but with subresource: 'status' only the status is written; change the rest in an edit without subresource`,
        { kind },
      );
    }
  }
  return operations;
}

/** Returns true if an operation changes the status or a field of the status. */
export function isStatus({ path }: Pick<JsonPatchOperation, 'path'>): boolean {
  return path === '/status' || path.startsWith('/status/');
}

/** The fields for which the server ignores or refuses changes. */
const readOnlyFields = [
  '/apiVersion',
  '/kind',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/uid',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/creationTimestamp',
  '/metadata/deletionTimestamp',
  '/metadata/deletionGracePeriodSeconds',
  '/metadata/managedFields',
  '/metadata/selfLink',
];

function isReadOnly(path: string): boolean {
  return path === '/metadata' || readOnlyFields.some((field) => path === field || path.startsWith(`${field}/`));
}
