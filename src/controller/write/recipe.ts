import { Immer } from 'immer';
import { messageOf } from '../../kubernetes/errors.js';
import { TerminalError } from '../queue/errors.js';
import { type Json, NotJsonError, toJson, type JsonPatchOperation } from './json-patch/json.js';
import { RecipeError } from '../api/errors.js';
import { InvalidObjectError, metaNamespaceKey, type KubernetesObject } from '../../kubernetes/object.js';
import { diff } from './json-patch/diff.js';

/** `T` with everything in it to be written: what a recipe changes. */
export type Editable<T> = T extends readonly (infer Item)[]
  ? Editable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Editable<T[Key]> }
    : T;

/** Changes a draft of an object as if it could be changed; it must do so at once, and give nothing back. */
export type Recipe<T> = (draft: Editable<T>) => void;

// One of its own, so that what the application tells immer to do with its state is not done to the cache.
const immer = /*#__PURE__*/ new Immer({ autoFreeze: false });

/**
 * What the recipe makes of an object; the object stays as it is, and what the recipe did not touch is shared with it.
 *
 * **Errors**: `RecipeError`; a `TerminalError` that the recipe throws, as it is, because a queue has to see it.
 */
export function cook(key: string, object: object, recipe: Recipe<object>): Json {
  const draft = immer.createDraft(object);
  const result = attempted(key, () => (recipe as (draft: unknown) => unknown)(draft));
  if (isThenable(result)) {
    // Its result is ignored, so a later failure must not be an unhandled rejection.
    if (result instanceof Promise) result.catch(() => undefined);
    throw new RecipeError(key, 'asynchronous', 'it is asynchronous; read first, and edit with what was read');
  }
  if (result !== undefined && result !== draft) {
    throw new RecipeError(
      key,
      'returned-a-value',
      'it gave something back; change the draft, and put braces around it',
    );
  }
  return jsonOf(key, immer.finishDraft(draft), object);
}

function attempted<R>(key: string, recipe: () => R): R {
  try {
    return recipe();
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    throw new RecipeError(key, 'threw', `it threw: ${messageOf(error)}`, { cause: error });
  }
}

function jsonOf(key: string, value: unknown, original: unknown): Json {
  try {
    return toJson(value, original) as Json;
  } catch (error) {
    if (error instanceof NotJsonError) throw new RecipeError(key, 'not-json', error.message, { cause: error });
    throw error;
  }
}

function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** An object that the server has stored, with what its edits are tested for. */
export interface Stored {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Which object it is, and which version of it; `InvalidObjectError` for one that did not come from the server. */
export function storedIdentity(object: unknown): Stored {
  const key = metaNamespaceKey(object as KubernetesObject);
  const { uid, resourceVersion } = (object as KubernetesObject).metadata ?? {};
  if (!uid) throw new InvalidObjectError(object, `${key} has no metadata.uid; only what the server has can be edited`);
  if (!resourceVersion) {
    throw new InvalidObjectError(
      object,
      `${key} has no metadata.resourceVersion; only what the server has can be edited`,
    );
  }
  return { key, uid, resourceVersion };
}

/** The operations that a recipe comes down to; none where it changes nothing. Pure, and as fast as the changes are few. */
export function planEdit<T extends object>(
  object: T,
  recipe: Recipe<T>,
  subresource: 'status' | undefined,
): readonly JsonPatchOperation[] {
  const key = metaNamespaceKey(object);
  const base = toJson(object, undefined) as Json;
  const operations = diff(base, cook(key, base as object, recipe as Recipe<object>));
  for (const operation of operations) {
    const { path } = operation;
    if (isReadOnly(path)) {
      throw new RecipeError(key, 'read-only-field', `it changed ${path}, which an edit cannot change`);
    }
    if (subresource === 'status' && !isStatus(operation)) {
      throw new RecipeError(
        key,
        'outside-of-subresource',
        `it changed ${path}, but edits the status, and the server would ignore that; edit the rest without subresource`,
      );
    }
  }
  return operations;
}

/** With what has to be true for them to be carried out (RFC 6902 `test`). */
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

/** Returns true if an operation changes the status or something in it. */
export function isStatus({ path }: Pick<JsonPatchOperation, 'path'>): boolean {
  return path === '/status' || path.startsWith('/status/');
}

/** What the server ignores or refuses when it is written. */
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
