import { compareResourceVersions } from '../../kubernetes/compare-resource-versions.js';
import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { UnversionedObjectError } from '../../kubernetes/unversioned-object-error.js';

/** What the server answered to a write, to be shown until the watch says it. */
export interface OverlayWrite<T> {
  readonly type: 'shown' | 'deleted';
  readonly object: T;
  /** `namespace/name`. */
  readonly key: string;
  readonly resourceVersion: string;
  /** Of which merged source the object is, where the caller said so. */
  readonly partition: string | undefined;
  /** When it is dropped though the watch has not said it, in milliseconds on the clock of the scheduler. */
  readonly expiresAt: number;
}

export function overlayWrite<T>(
  type: OverlayWrite<T>['type'],
  object: T,
  { partition, expiresAt }: Pick<OverlayWrite<T>, 'partition' | 'expiresAt'>,
): OverlayWrite<T> {
  const key = metaNamespaceKey(object as KubernetesObject);
  const resourceVersion = versionOf(object);
  if (resourceVersion === '') throw new UnversionedObjectError(key);
  return { type, object, key, resourceVersion, partition, expiresAt };
}

/** Under which a write is kept: one of each object of each partition. */
export function writeId(key: string, partition: string | undefined): string {
  return partition === undefined ? key : `${partition}\n${key}`;
}

/** `''` where there is none. */
export function versionOf(object: unknown): string {
  return metadataOf(object)?.resourceVersion ?? '';
}

export function uidOf(object: unknown): string | undefined {
  return metadataOf(object)?.uid;
}

/** Whether two objects under one key are one and the same, by their uids; `undefined` where one has none. */
export function isSameIncarnation(one: unknown, other: unknown): boolean | undefined {
  const [uid, otherUid] = [uidOf(one), uidOf(other)];
  return uid === undefined || otherUid === undefined ? undefined : uid === otherUid;
}

/**
 * Whether an event or list of `partition` speaks of the object of a write. Where the caller named no partition, it is that of a source on
 * its own, or the one named like the object's namespace, as `listWatch` names those of several namespaces.
 */
export function belongsTo(write: OverlayWrite<unknown>, partition: string | undefined): boolean {
  return write.partition === partition || (write.partition === undefined && partition === namespaceOf(write.object));
}

export function namespaceOf(object: unknown): string | undefined {
  return metadataOf(object)?.namespace;
}

/**
 * Whether a write takes the place of another one to the same object, whichever was told first: the later one counts, and nothing shows
 * an incarnation again that was deleted (H4).
 */
export function supersedes(next: OverlayWrite<unknown>, existing: OverlayWrite<unknown>): boolean {
  const order = compareResourceVersions(next.resourceVersion, existing.resourceVersion);
  if (isSameIncarnation(next.object, existing.object) === true && next.type !== existing.type) {
    return next.type === 'deleted';
  }
  if (order === 0) return next.type === 'deleted' && existing.type === 'shown';
  return order === undefined || order > 0;
}

function metadataOf(object: unknown): KubernetesObject['metadata'] {
  return (object as KubernetesObject | null | undefined)?.metadata;
}
