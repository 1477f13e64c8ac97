import { setField } from '../../../kubernetes/share-structure.js';
import { badRequest, internalError } from '../exchange/api-error.js';
import { equalJson, isJsonObject, ownField, type JsonObject } from '../exchange/json.js';
import { goMap, goValue } from '../schema/go-text.js';
import { isPrimitiveSet, mergeKeysAt } from '../schema/merge-keys.js';

const orderDirective = '$setElementOrder/';

const deleteDirective = '$deleteFromPrimitiveList/';

/** Like a merge patch, but items of known lists merge by their keys; for built-in kinds. */
export function strategicMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  return mergeObject(target, patch, []) ?? {};
}

/** Returns the merged object; `undefined` if the patch deletes it. */
function mergeObject(target: JsonObject, patch: JsonObject, path: readonly string[]): JsonObject | undefined {
  const { $patch: directive, $retainKeys: retained, ...fields } = patch;
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return withoutDirectives(fields);
  if (directive !== undefined && directive !== 'merge')
    throw internalError(`unknown patch type: ${goValue(directive)} in map: ${goMap(patch)}`);
  const merged: Record<string, unknown> = retainKeys(target, retained);
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith(deleteDirective)) removePrimitives(merged, field.slice(deleteDirective.length), value);
    else if (field.startsWith(orderDirective)) continue;
    else mergeField(merged, field, value, [...path, field], patch[orderDirective + field]);
  }
  for (const [field, order] of Object.entries(fields)) {
    if (!field.startsWith(orderDirective)) continue;
    const name = field.slice(orderDirective.length);
    if (!Object.hasOwn(fields, name) && Object.hasOwn(merged, name))
      setField(merged, name, ordered(merged[name], order, [...path, name]));
  }
  return merged;
}

function mergeField(
  merged: Record<string, unknown>,
  field: string,
  value: unknown,
  path: readonly string[],
  order: unknown,
): void {
  if (value === null) {
    delete merged[field];
    return;
  }
  const current = ownField(merged, field);
  const next = Array.isArray(value)
    ? mergeList(Array.isArray(current) ? current : [], value, path, order)
    : isJsonObject(value)
      ? mergeObject(isJsonObject(current) ? current : {}, value, path)
      : value;
  if (next === undefined) delete merged[field];
  else setField(merged, field, next);
}

function retainKeys(target: JsonObject, retained: unknown): Record<string, unknown> {
  if (!Array.isArray(retained)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([field]) => retained.includes(field)));
}

function mergeList(
  target: readonly unknown[],
  patch: readonly unknown[],
  path: readonly string[],
  order: unknown,
): readonly unknown[] {
  if (isPrimitiveSet(path)) return [...new Set([...patch, ...target])];
  const [key] = mergeKeysAt(path) ?? [];
  if (key === undefined) return patch.map((item) => (isJsonObject(item) ? withoutDirectives(item) : item));
  const items = patch.filter(isJsonObject);
  if (items.some((item) => item['$patch'] === 'replace'))
    return items.filter((item) => item['$patch'] !== 'replace').map(withoutDirectives);
  const find = (list: readonly unknown[], value: unknown): JsonObject | undefined =>
    list.filter(isJsonObject).find((item) => equalJson(item[key], value));
  const patched = items
    .map((item) => {
      if (item[key] === undefined)
        throw internalError(`map: ${goMap(item)} does not contain declared merge key: ${key}`);
      return mergeObject(find(target, item[key]) ?? {}, item, path);
    })
    .filter((item) => item !== undefined);
  const untouched = target.filter((item) => !isJsonObject(item) || find(items, item[key]) === undefined);
  return ordered(interleave(untouched, patched, target, key), order, path) as readonly unknown[];
}

/** Merges lists. The server's items keep their order; the patch's come as early as allowed. */
function interleave(
  untouched: readonly unknown[],
  patched: readonly JsonObject[],
  before: readonly unknown[],
  key: string,
): readonly unknown[] {
  const position = (item: unknown): number =>
    isJsonObject(item)
      ? before.findIndex((other) => isJsonObject(other) && equalJson(other[key], item[key]))
      : before.indexOf(item);
  const result: unknown[] = [];
  const left = [...untouched];
  const right = [...patched];
  while (left.length > 0 && right.length > 0) {
    const [leftPosition, rightPosition] = [position(left[0]), position(right[0])];
    result.push(leftPosition >= 0 && rightPosition >= 0 && leftPosition < rightPosition ? left.shift() : right.shift());
  }
  return [...result, ...left, ...right];
}

/** Sorts items that `$setElementOrder` names; others stay behind their predecessors. */
function ordered(list: unknown, order: unknown, path: readonly string[]): unknown {
  if (!Array.isArray(list) || !Array.isArray(order)) return list;
  const [key] = mergeKeysAt(path) ?? [];
  const rank = (item: unknown): number =>
    order.findIndex((wanted: unknown) =>
      key !== undefined && isJsonObject(item) && isJsonObject(wanted)
        ? equalJson(item[key], wanted[key])
        : equalJson(item, wanted),
    );
  const named = (list as readonly unknown[]).filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  return (list as readonly unknown[]).map((item) => (rank(item) < 0 ? item : named.shift()));
}

function removePrimitives(merged: Record<string, unknown>, field: string, values: unknown): void {
  const current = ownField(merged, field);
  if (!Array.isArray(values)) throw badRequest('invalid patch format of primitive list');
  if (!Array.isArray(current)) return;
  const kept = (current as readonly unknown[]).filter((value) => !values.some((gone) => equalJson(gone, value)));
  setField(merged, field, kept);
}

/** Removes the directives from a new object. */
function withoutDirectives(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([field]) => !field.startsWith('$'))
      .map(([field, value]) => [field, isJsonObject(value) ? withoutDirectives(value) : value]),
  );
}
