import type { Resource } from '../../kubernetes/resource.js';
import { objectKey, storageName } from './resources/served-resource.js';
import type { ServerContext } from './server-context.js';
import type { StoredObject } from './storage/stored-object.js';

/** Which resource is meant; any descriptor will do. */
export type ResourceReference<T = unknown> = Pick<Resource<T>, 'group' | 'plural' | 'objectType'>;

/** What the embedded API server holds, read without a request. */
export interface ServerObjects {
  /** The object, or undefined. */
  get<T = StoredObject>(resource: ResourceReference<T>, name: string, namespace?: string): T | undefined;
  /** Everything of a resource, sorted by namespace and name; only one namespace's where one is given. */
  list<T = StoredObject>(resource: ResourceReference<T>, namespace?: string): readonly T[];
}

export function serverObjects({ storage }: ServerContext): ServerObjects {
  return {
    get: <T>(resource: ResourceReference<T>, name: string, namespace = '') =>
      storage.resource(storageName(resource)).get(objectKey(namespace, name)) as T | undefined,
    list: <T>(resource: ResourceReference<T>, namespace = '') =>
      Array.from(
        storage.resource(storageName(resource)).scan(namespace && `${namespace}/`),
        ([, object]) => object as T,
      ),
  };
}

/** One write, as `server.history` tells it. */
export interface HistoryEntry<T = StoredObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

export function serverHistory<T>(
  { storage }: ServerContext,
  resource: ResourceReference<T>,
): readonly HistoryEntry<T>[] {
  return storage
    .resource(storageName(resource))
    .history.all()
    .map(({ type, object }) => ({ type, object: object as T }));
}
