import type { Resource } from '../resource.js';

/**
 * Returns the descriptor of a built-in kind whose objects are in namespaces.
 *
 * It equals the result of `resource()`, without its checks.
 */
export function namespaced<T>(group: string, version: string, plural: string, kind: string): Resource<T> {
  return Object.freeze({ group, version, plural, kind, namespaced: true });
}

/**
 * Returns the descriptor of a built-in kind whose objects are in no namespace.
 *
 * It equals the result of `resource()`, without its checks.
 */
export function clusterScoped<T>(group: string, version: string, plural: string, kind: string): Resource<T> {
  return Object.freeze({ group, version, plural, kind, namespaced: false });
}
