import type { KubernetesObject } from '../kubernetes/object.js';

/** The store takes objects of any type; those that carry Kubernetes metadata get more out of it. */
function metadataOf(object: unknown): KubernetesObject['metadata'] {
  return (object as KubernetesObject | null | undefined)?.metadata;
}

/** The version of an object, `undefined` where it has none. */
export function resourceVersionOf(object: unknown): string | undefined {
  const resourceVersion = metadataOf(object)?.resourceVersion;
  return resourceVersion === '' ? undefined : resourceVersion;
}

/** True where two objects under one key are known to be different ones: deleted and created again (D9 ▲). */
export function isAnotherIncarnation(previous: unknown, next: unknown): boolean {
  const previousUid = metadataOf(previous)?.uid;
  const nextUid = metadataOf(next)?.uid;
  return previousUid !== undefined && nextUid !== undefined && previousUid !== nextUid;
}

/** True where `next` is the version that is already there; never for objects without a resourceVersion (I10 ▲). */
export function isSameVersion(previous: unknown, next: unknown): boolean {
  const resourceVersion = resourceVersionOf(next);
  return resourceVersion !== undefined && resourceVersion === resourceVersionOf(previous);
}
