import type { ServedResource } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';

/** Who writes, and through which subresource. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
}

export function withManagedFields(
  _context: ServerContext,
  _resource: ServedResource,
  _previous: StoredObject | undefined,
  object: StoredObject,
  _writer: Writer,
): StoredObject {
  return object;
}
