import { isJsonObject, type JsonObject } from '../json/json-object.js';
import type { ServedResource } from '../resources/served-resource.js';

/** The metadata of a body without what says nothing: null, and for built-in kinds also empty maps and lists. */
export function givenMetadata({ custom }: ServedResource, metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== null && (custom || !isEmpty(value))),
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
