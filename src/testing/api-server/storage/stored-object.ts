import type { ObjectMeta } from '../../../kubernetes/object.js';

/** An object as stored and returned: complete, and never changed in place. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
  readonly [field: string]: unknown;
}

/** `metadata` with the fields that the server sets. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The time of the creation, in RFC 3339 with whole seconds. */
  readonly creationTimestamp: string;
  readonly generateName?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly managedFields?: readonly StoredManagedFields[] | undefined;
  readonly [field: string]: unknown;
}

/** The fields that one manager has set; see server-side apply. */
export interface StoredManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string | undefined;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Readonly<Record<string, unknown>>;
  readonly subresource?: string | undefined;
}

/** Returns a copy with another resourceVersion. It shares all other parts. */
export function withResourceVersion(object: StoredObject, resourceVersion: string): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
