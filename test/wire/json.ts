export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [field: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the parsed value, or the text itself if it is not JSON. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Returns the value at a path of field names and positions, or undefined if there is none. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((current, step) => {
    if (Array.isArray(current)) return (current as readonly Json[])[Number(step)];
    return isJsonObject(current) ? current[step] : undefined;
  }, value);
}
