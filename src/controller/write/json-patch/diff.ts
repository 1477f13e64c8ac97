import { diffArrays } from './diff-arrays.js';
import { hasMember, isJsonArray, isJsonObject, type Json, type JsonObject } from './json.js';
import { pointerTo, type JsonPatchOperation } from './operation.js';

/**
 * The operations that make `after` of `before`, in the order in which they have to be carried out. Pure.
 *
 * | what differs | operations |
 * | --- | --- |
 * | members of an object | `add`, `remove`, or those of the member; never the object as a whole, so that members which the cache has dropped survive |
 * | items of an array | the shortest of what is known: see `diffArrays` |
 * | anything else | `replace` |
 *
 * What is identical (`===`) is not looked into, so a diff costs what was changed and not what is there.
 *
 * @param path where both stand, as a JSON Pointer
 */
export function diff(before: Json, after: Json, path: string = ''): readonly JsonPatchOperation[] {
  if (before === after) return [];
  if (isJsonObject(before) && isJsonObject(after)) return diffObjects(before, after, path);
  if (isJsonArray(before) && isJsonArray(after)) return diffArrays(before, after, path, diff);
  return [{ op: 'replace', path, value: after }];
}

function diffObjects(before: JsonObject, after: JsonObject, path: string): readonly JsonPatchOperation[] {
  const removed = Object.keys(before)
    .filter((name) => !hasMember(after, name))
    .map((name) => ({ op: 'remove', path: pointerTo(path, name) }) as const);
  const written = Object.entries(after).flatMap(([name, value]): readonly JsonPatchOperation[] => {
    const memberPath = pointerTo(path, name);
    if (!hasMember(before, name)) return [{ op: 'add', path: memberPath, value }];
    return diff(before[name] as Json, value, memberPath);
  });
  return [...removed, ...written];
}
