import { isJsonObject } from './json-object.js';

/** Whether two JSON values are the same, wherever their fields stand. A field that is undefined is none. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const count = countOf(a);
  return count === countOf(b) && Object.keys(a).every((key) => equalJson(a[key], b[key]));
}

function countOf(object: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) count += 1;
  return count;
}
