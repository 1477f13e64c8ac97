import { isAllowed, type Caller } from '../exchange/access-control.js';
import { forbidden } from '../exchange/api-error.js';
import { equalJson } from '../exchange/json.js';
import { resourceSubject, type Catalog, type ServedResource } from '../resources/catalog.js';
import type { StoredObject } from '../storage/stored-object.js';

/**
 * Throws a 403 if the caller may not set the owners of an object. Changing them needs the right to
 * delete the object. Blocking the deletion of an owner needs the right to update its finalizers.
 * These are the rules of the admission plugin `OwnerReferencesPermissionEnforcement`.
 *
 * @param current the object before an update
 */
export function assertMaySetOwners(
  catalog: Catalog,
  caller: Caller,
  resource: ServedResource,
  current: StoredObject | undefined,
  { metadata: { name, namespace = '', ownerReferences = [] } }: StoredObject,
): void {
  if (caller.allow === 'everything') return;
  const before = current?.metadata.ownerReferences ?? [];
  if (equalJson(before, ownerReferences)) return;
  const refuse = (problem: string): never => {
    throw forbidden(resourceSubject(resource, name), problem);
  };
  const { group, plural } = resource;
  const deletion = { verb: 'delete', group, resource: plural, subresource: '', namespace, name };
  if (current !== undefined && !isAllowed(caller, deletion))
    refuse("cannot set an ownerRef on a resource you can't delete: , <nil>");
  for (const { apiVersion, kind, name: owner, uid, blockOwnerDeletion } of ownerReferences) {
    if (blockOwnerDeletion !== true) continue;
    if (before.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true)) continue;
    const target = catalog.findKind(apiVersion, kind);
    if (target === undefined) {
      const reason = `no matches for kind "${kind}" in version "${apiVersion}"`;
      return refuse(
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${reason}`,
      );
    }
    const finalizers = {
      verb: 'update',
      group: target.group,
      resource: target.plural,
      subresource: 'finalizers',
      namespace: target.namespaced ? namespace : '',
      name: owner,
    };
    if (!isAllowed(caller, finalizers))
      refuse(
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
      );
  }
}
