import type { KubernetesObject } from '../kubernetes/object.js';

/**
 * The store takes objects of any type; those that carry Kubernetes metadata get more out of it. An object whose metadata throws
 * when it is read counts as one that has none, so that it costs no other object anything (G4).
 */
function metadataOf(object: unknown, field: 'uid' | 'resourceVersion'): string | undefined {
  try {
    return (object as KubernetesObject | null | undefined)?.metadata?.[field];
  } catch {
    return undefined;
  }
}

/** Returns the version of an object, `undefined` if it has none. */
export function resourceVersionOf(object: unknown): string | undefined {
  const resourceVersion = metadataOf(object, 'resourceVersion');
  return resourceVersion === '' ? undefined : resourceVersion;
}

/** Returns the uid of an object, `undefined` if it has none. */
export function uidOf(object: unknown): string | undefined {
  return metadataOf(object, 'uid');
}

/** True where two objects under one key are known to be different ones: deleted and created again (D9 ▲). */
export function isAnotherIncarnation(previous: unknown, next: unknown): boolean {
  const previousUid = uidOf(previous);
  const nextUid = uidOf(next);
  return previousUid !== undefined && nextUid !== undefined && previousUid !== nextUid;
}

/** True where `next` is the version that is already there; never for objects without a resourceVersion (I10 ▲). */
export function isSameVersion(previous: unknown, next: unknown): boolean {
  const resourceVersion = resourceVersionOf(next);
  return resourceVersion !== undefined && resourceVersion === resourceVersionOf(previous);
}
