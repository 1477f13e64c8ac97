import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { toJson } from './json-patch/to-json.js';
import { RecipeError } from './recipe-error.js';
import { cook, type Recipe } from './recipe.js';

/** What a recipe makes of an object that is to be created under its own name. Pure. */
export function planCreate<T extends object>(object: T, recipe: Recipe<T>): T {
  const key = metaNamespaceKey(object);
  const base = toJson(object, undefined) as object;
  const created = cook(key, base, recipe as unknown as Recipe<object>);
  const { name, namespace } = (created as KubernetesObject).metadata ?? {};
  const { name: given, namespace: within } = (object as KubernetesObject).metadata ?? {};
  if (name !== given || namespace !== within) {
    throw new RecipeError(key, 'read-only-field', 'it changed name or namespace, by which the object is found again');
  }
  return created as T;
}
