import type { KubernetesObject } from 'rx-informers';
import { metaNamespaceKey, partitionedKey } from 'rx-informers/store';

/**
 * If several contexts are shown side by side, an object is stored as `context:namespace/name`. With
 * one context, keys are those of the library. Only this file builds and splits such keys.
 */

/** The context of each object, as the key function of an informer recorded it. */
const origins = new WeakMap<object, string>();

/**
 * Returns the key of an object in an informer over several contexts. Also records the context of
 * the object.
 */
export function contextKey(object: KubernetesObject, context?: string): string {
  if (context !== undefined) origins.set(object, context);
  return keyIn(context, metaNamespaceKey(object));
}

/** Returns the context of an object, or `undefined` if the page shows only one context. */
export function contextOf(object: object): string | undefined {
  return origins.get(object);
}

/** Returns the key under which an object is stored. */
export function keyOf(object: KubernetesObject): string {
  return keyIn(contextOf(object), metaNamespaceKey(object));
}

/** Returns the key of an object with its context: `east:shop/web-1`. */
export function keyIn(context: string | undefined, key: string): string {
  return context === undefined ? key : partitionedKey(() => key)({}, context);
}

/**
 * Splits a key into its context and the key in that context. A key without a context belongs to the
 * first context. Links from a page with one context have such keys.
 *
 * @param contexts the contexts that are shown side by side; with fewer than two, keys have no
 * context
 */
export function splitKey(
  key: string,
  contexts: readonly string[],
): { readonly context: string | undefined; readonly key: string } {
  if (contexts.length < 2) return { context: undefined, key };
  const context = contexts.find((name) => key.startsWith(keyIn(name, '')));
  return context === undefined ? { context: contexts[0], key } : { context, key: key.slice(keyIn(context, '').length) };
}

/**
 * Splits the key of a pod or node, whose own names have no colon.
 *
 * | key | context | name |
 * | --- | --- | --- |
 * | `east:worker-1` | `east` | `worker-1` |
 * | `worker-1` | `undefined` | `worker-1` |
 */
export function splitNodeKey(key: string): { readonly context: string | undefined; readonly name: string } {
  const colon = key.indexOf(':');
  if (colon === -1) return { context: undefined, name: key };
  return { context: key.slice(0, colon).replace(/%(?:25|3A|2F)/g, decodeURIComponent), name: key.slice(colon + 1) };
}
