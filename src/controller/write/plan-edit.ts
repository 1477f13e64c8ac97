import { InvalidObjectError, metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { diff } from './json-patch/diff.js';
import type { Json } from './json-patch/json.js';
import type { JsonPatchOperation } from './json-patch/operation.js';
import { toJson } from './json-patch/to-json.js';
import { RecipeError } from './recipe-error.js';
import { cook, type Recipe } from './recipe.js';

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
