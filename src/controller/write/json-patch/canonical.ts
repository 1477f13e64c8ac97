import { isJsonArray, isJsonObject, type Json } from './json.js';

/** A text that two values share where they are equal, whatever the order of their members. */
export function canonical(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`);
  return `{${members.join(',')}}`;
}
