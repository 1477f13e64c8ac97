import { decodeManagers, encodeManagers } from '../field-ownership/managers.js';
import { ownChanges } from '../field-ownership/own-changes.js';
import { equalJson } from '../json/equal-json.js';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.js';
import { timestamp, type ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';

/** Who writes, and through which subresource. */
export interface Writer {
  readonly manager: string;
  /** `''`: the object itself. */
  readonly subresource: string;
}

/** The object with `managedFields` that say what the writer has just made his. */
export function withManagedFields(
  context: ServerContext,
  resource: ServedResource,
  previous: StoredObject | undefined,
  object: StoredObject,
  { manager, subresource }: Writer,
): StoredObject {
  const managers = decodeManagers(previous?.metadata.managedFields);
  const writer = { name: manager, apiVersion: apiVersionOf(resource), subresource, time: timestamp(context) };
  const next = ownChanges(managers, previous ?? {}, object, writer, resource.custom);
  if (next === managers) return object;
  const managedFields = encodeManagers(next);
  const { managedFields: known, ...metadata } = object.metadata;
  if (managedFields.length === 0) return { ...object, metadata };
  return {
    ...object,
    metadata: { ...metadata, managedFields: equalJson(known, managedFields) ? known : managedFields },
  };
}
