import { jsonReply, type WholeReply } from '../exchange.js';
import { storageName, type ServedResource } from '../resources/served-resource.js';
import type { Deletion } from './delete.js';

/** The kinds whose DELETE answers with the object; for the others it is a `Status`, once the object is gone. */
const answersWithObject = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

export function deletionReply(resource: ServedResource, { object, gone }: Deletion): WholeReply {
  if (!gone || answersWithObject.has(storageName(resource))) return jsonReply(200, object);
  const { name, uid } = object.metadata;
  const { group, plural } = resource;
  return jsonReply(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group ? { group } : {}), kind: plural, uid },
  });
}
