import type { KubernetesObject } from 'rx-informers';

/**
 * What a view shows, a text for each row. A row of an object has its uid and its version, so that
 * an object and its successor of the same name differ.
 */
export type Rows = readonly string[];

/** Returns the row of each object. */
export function rowsOf(objects: Iterable<KubernetesObject>): Rows {
  return Array.from(objects, rowOf);
}

/** Returns namespace, name, uid and version of an object. */
export function rowOf({ metadata = {} }: KubernetesObject): string {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return `${namespace}/${name} ${uid}@${resourceVersion}`;
}
