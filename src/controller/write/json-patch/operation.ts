import type { Json } from './json.js';

/** One operation of a JSON Patch (RFC 6902); `copy` is never made. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly path: string };

/** The path of a member or an item, as a JSON Pointer (RFC 6901). */
export function pointerTo(parent: string, segment: string | number): string {
  return `${parent}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** How long a patch is on the wire, in characters. */
export function lengthOf(operations: readonly JsonPatchOperation[]): number {
  return operations.reduce((sum, operation) => sum + JSON.stringify(operation).length + 1, 0);
}

/** The operations, or the one that stands for all of them where it is shorter. */
export function shorterOf(
  operations: readonly JsonPatchOperation[],
  replacement: JsonPatchOperation,
): readonly JsonPatchOperation[] {
  return lengthOf(operations) <= lengthOf([replacement]) ? operations : [replacement];
}
