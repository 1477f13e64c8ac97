import { MappedKeyError } from './mapped-key-error.js';

/** What a mapping function may give: a key, several, or nothing. */
export type MappedKeys = string | Iterable<string> | null | undefined;

/** The keys that something was mapped to, each once, and what went wrong with the others. */
export interface FoundKeys {
  readonly keys: readonly string[];
  readonly errors: readonly unknown[];
}

/** Maps each value to its keys; whatever a mapping throws or gives, the keys that it and the others gave are found. */
export function mappedKeys<V>(values: readonly V[], map: (value: V) => unknown): FoundKeys {
  const keys = new Set<string>();
  const errors: unknown[] = [];
  for (const value of values) {
    try {
      for (const key of listOf(map(value))) {
        if (typeof key === 'string' && key !== '') keys.add(key);
        else errors.push(new MappedKeyError(key));
      }
    } catch (error) {
      errors.push(error);
    }
  }
  return { keys: [...keys], errors };
}

function listOf(output: unknown): Iterable<unknown> {
  if (output === undefined || output === null) return [];
  const isList = typeof output === 'object' && Symbol.iterator in output;
  return isList ? (output as Iterable<unknown>) : [output];
}
