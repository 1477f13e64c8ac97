import { Immer } from 'immer';
import { messageOf } from '../../kubernetes/errors.js';
import { InvalidObjectError, metaNamespaceKey } from '../../kubernetes/keys.js';
import { type KubernetesObject } from '../../kubernetes/object.js';
import { kindOf } from '../../kubernetes/resource.js';
import { RecipeError } from '../api/errors.js';
import { TerminalError } from '../queue/errors.js';
import { diff } from './json-patch/diff.js';
import { type Json, type JsonPatchOperation, NotJsonError, toJson } from './json-patch/json.js';

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
 * unchanged object. Throws `RecipeError`; a `TerminalError` as it is, so that the queue recognises
 * it.
 */
export function cook(key: string, object: object, recipe: Recipe<object>): Json {
  const draft = immer.createDraft(object);
  const { kind } = kindOf(object);
  const result = attempted(key, kind, () => (recipe as (draft: unknown) => unknown)(draft));
  if (isThenable(result)) {
    // The result is ignored, so a later rejection must not become an unhandled rejection.
    if (result instanceof Promise) result.catch(() => undefined);
    throw new RecipeError(key, 'asynchronous', 'it is asynchronous; do asynchronous work before the edit', {
      kind,
    });
  }
  if (result !== undefined && result !== draft) {
    throw new RecipeError(
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
    if (error instanceof TerminalError) throw error;
    throw new RecipeError(key, 'threw', `it threw: ${messageOf(error)}`, { cause: error, kind });
  }
}

function jsonOf(key: string, kind: string | undefined, value: unknown, original: unknown): Json {
  try {
    return toJson(value, original) as Json;
  } catch (error) {
    if (error instanceof NotJsonError) throw new RecipeError(key, 'not-json', error.message, { cause: error, kind });
    throw error;
  }
}

function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** The identity and the version of a stored object. An edit tests both. */
export interface Stored {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Throws `InvalidObjectError` if the object did not come from the server. */
export function storedIdentity(object: unknown): Stored {
  const key = metaNamespaceKey(object as KubernetesObject);
  const { uid, resourceVersion } = (object as KubernetesObject).metadata ?? {};
  if (!uid)
    throw new InvalidObjectError(object, `${key} has no metadata.uid; pass the object that the API server returned`);
  if (!resourceVersion) {
    throw new InvalidObjectError(
      object,
      `${key} has no metadata.resourceVersion; pass the object that the API server returned`,
    );
  }
  return { key, uid, resourceVersion };
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
      throw new RecipeError(key, 'read-only-field', `it changed ${path}, which an edit cannot change`, { kind });
    }
    if (subresource === 'status' && !isStatus(operation)) {
      throw new RecipeError(
        key,
        'outside-of-subresource',
        `it changed ${path}, but with subresource: 'status' only the status is written; change the rest in an edit without subresource`,
        { kind },
      );
    }
  }
  return operations;
}

/** Returns the operations, preceded by their preconditions (RFC 6902 `test`). */
export function guarded(
  { uid, resourceVersion }: Stored,
  operations: readonly JsonPatchOperation[],
): readonly JsonPatchOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ...operations,
  ];
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
