/** A JSON object as it comes in: nothing is known about its fields yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The field as an object; an empty one where it is missing or something else. */
export function objectAt(parent: JsonObject | undefined, field: string): JsonObject {
  const value = parent?.[field];
  return isJsonObject(value) ? value : {};
}

/** The field as a string; undefined where it is missing or something else. */
export function stringAt(parent: JsonObject | undefined, field: string): string | undefined {
  const value = parent?.[field];
  return typeof value === 'string' ? value : undefined;
}

/** The same without the fields that are undefined. */
export function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
