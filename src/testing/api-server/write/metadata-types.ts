import { badRequest } from '../api-error.js';
import { isJsonObject, objectAt, type JsonObject } from '../json/json-object.js';
import type { ServedResource } from '../resources/served-resource.js';

const strings = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'];
const maps = ['labels', 'annotations'];
const lists = { finalizers: '[]string', ownerReferences: '[]v1.OwnerReference' };

/** Refuses metadata of built-in kinds whose fields are of another type, as the real server fails to decode it. */
export function assertMetadataTypes(resource: ServedResource, body: JsonObject): void {
  const metadata = objectAt(body, 'metadata');
  const fail = (field: string, found: unknown, expected: string): Error =>
    badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: json: cannot unmarshal ${jsonType(found)} into Go struct field ObjectMeta.metadata.${field} of type ${expected}`,
    );
  for (const [field, value] of Object.entries(metadata)) {
    if (value === null) continue;
    if (strings.includes(field) && typeof value !== 'string') throw fail(field, value, 'string');
    if (field in lists && !Array.isArray(value)) throw fail(field, value, lists[field as keyof typeof lists]);
    if (!maps.includes(field)) continue;
    if (!isJsonObject(value)) throw fail(field, value, 'map[string]string');
    const wrong = Object.values(value).find((entry) => typeof entry !== 'string' && entry !== null);
    if (wrong !== undefined) throw fail(field, wrong, 'string');
  }
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
