import type { EventObject } from './event-object.js';
import type { ObjectReference } from './object-reference.js';

/**
 * What two events of one recorder have in common when one is a repeat of the other (E7): type, action, reason and both objects.
 *
 * The note is no part of it, and neither is the resourceVersion of the objects (▲; in client-go it is): what a controller records
 * again after it wrote the status is a repeat. Controller and instance are the same in all events of a recorder.
 */
export function isomorphicKey({ type, action, reason, regarding, related }: EventObject): string {
  return JSON.stringify([type, action, reason, partsOf(regarding), related && partsOf(related)]);
}

function partsOf({ apiVersion, kind, namespace, name, uid, fieldPath }: ObjectReference): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}
