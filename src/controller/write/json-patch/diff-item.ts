import type { Json } from './json.js';
import { shorterOf, type JsonPatchOperation } from './operation.js';

/** The operations between two values. */
export type Diff = (before: Json, after: Json, path: string) => readonly JsonPatchOperation[];

/** An item has no name that would make it the same one: it is patched only where that is shorter than a new one. */
export function diffItem(before: Json, after: Json, path: string, diff: Diff): readonly JsonPatchOperation[] {
  return shorterOf(diff(before, after, path), { op: 'replace', path, value: after });
}
