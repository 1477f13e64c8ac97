import type { KubernetesObject } from './object.js';

/**
 * Computes the key under which an object is stored; throws where it cannot.
 *
 * @param partition the name of the merged source that the object came from, if any (see `mergeSources`)
 */
export type KeyFunction<T> = (object: T, partition?: string) => string;

/** The two parts of a key; the namespace of a cluster-scoped object is the empty string. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}
