import { isJsonObject, type JsonObject } from '../exchange/json.js';

/** Returns a value as messages of the real server show it: text in quotes, objects as JSON. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'number' ? goNumber(value) : goJson(value);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Quotes a text like `strconv.Quote`. */
export function quoted(text: string): string {
  const inside = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    if (code < 0x80) return escapes[character] ?? `\\x${hex.padStart(2, '0')}`;
    return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
  });
  return `"${inside}"`;
}

/** True for numbers that Go decodes as int64. 2^63 - 1 is read as 2^63, so that is included. */
export function isInt64(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 63;
}

/** Prints a number as `%v` does, by default as int64 if it is one. */
export function goNumber(value: number, isInteger = isInt64(value)): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (isInteger || (power >= -4 && power < 6)) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Returns a map as Go prints it in a message. */
export function goMap(object: JsonObject): string {
  const entries = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([field, value]) => `${field}:${goValue(value)}`).join(' ')}]`;
}

/** Returns a value as Go prints it with `%v`. */
export function goValue(value: unknown): string {
  if (isJsonObject(value)) return goMap(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (value === null) return '<nil>';
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? goNumber(value) : JSON.stringify(value);
}

/** Returns the type of a decoded value as Go prints it with `%T`. */
export function goTypeOf(value: unknown): string {
  if (typeof value === 'number') return isInt64(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** Encodes JSON as Go does: keys in order, and characters of HTML escaped. */
export function goJson(value: unknown): string {
  const inOrder = (_key: string, each: unknown): unknown =>
    isJsonObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each;
  return JSON.stringify(value, inOrder).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
