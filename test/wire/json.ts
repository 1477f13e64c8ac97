export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [field: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as JSON, or the text itself where it is none. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** What lies at a path of field names and positions; undefined where there is nothing. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((current, step) => {
    if (Array.isArray(current)) return (current as readonly Json[])[Number(step)];
    return isJsonObject(current) ? current[step] : undefined;
  }, value);
}
