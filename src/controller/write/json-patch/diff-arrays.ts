import { alignItems } from './align-items.js';
import { canonical } from './canonical.js';
import { diffItem, type Diff } from './diff-item.js';
import { increasing } from './increasing.js';
import type { Json } from './json.js';
import { pointerTo, shorterOf, type JsonPatchOperation } from './operation.js';

/**
 * The operations that make one array of another: what went is removed, what stands elsewhere is moved, what is new is added, and what
 * was changed where it stood is patched; or the array is replaced, where that is shorter.
 *
 * One item that was inserted, removed or moved, wherever it was, is one operation.
 */
export function diffArrays(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  diff: Diff,
): readonly JsonPatchOperation[] {
  const operations = carriedOut(match(before, after, diff), before, after, path, diff);
  return shorterOf(operations, { op: 'replace', path, value: after });
}

/** For each item of the new array, the index of the old item that it was; undefined for a new one. */
type Origins = readonly (number | undefined)[];

function match(before: readonly Json[], after: readonly Json[], diff: Diff): Origins {
  const origins: (number | undefined)[] = equalOrigins(before, after);
  const used = new Set(origins);
  const isFree = (index: number): boolean => !used.has(index);
  // Between two items that keep their order, what is left over on both sides may be the same item, changed.
  const kept = new Set(increasing(origins));
  let oldStart = 0;
  let newStart = 0;
  const alignGap = (oldEnd: number, newEnd: number): void => {
    const oldOnes = indexesFrom(oldStart, oldEnd).filter(isFree);
    const newOnes = indexesFrom(newStart, newEnd).filter((index) => origins[index] === undefined);
    for (const [oldIndex, newIndex] of alignItems(oldOnes, newOnes, { before, after, diff })) {
      origins[newIndex] = oldIndex;
    }
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  };
  for (const newIndex of kept) alignGap(origins[newIndex] as number, newIndex);
  alignGap(before.length, after.length);
  return origins;
}

/** Which items are there still, unchanged. Beginnings and ends that agree come first, then equal ones in their order. */
function equalOrigins(before: readonly Json[], after: readonly Json[]): (number | undefined)[] {
  const old = before.map(canonical);
  const now = after.map(canonical);
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;

  const places = new Map<string, number[]>();
  for (const index of indexesFrom(start, old.length - end)) {
    const text = old[index] as string;
    const known = places.get(text);
    if (known === undefined) places.set(text, [index]);
    else known.push(index);
  }
  return now.map((text, index) => {
    if (index < start) return index;
    if (index >= now.length - end) return index - now.length + old.length;
    return places.get(text)?.shift();
  });
}

/** Removals from the back, moves, additions from the front, then what changed within the items: each index is right when its turn comes. */
function carriedOut(
  origins: Origins,
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  diff: Diff,
): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  const destinations = new Map<number, number>();
  origins.forEach((origin, index) => {
    if (origin !== undefined) destinations.set(origin, index);
  });

  for (const index of indexesFrom(0, before.length).reverse()) {
    if (!destinations.has(index)) operations.push({ op: 'remove', path: pointerTo(path, index) });
  }

  // What is left of the old array, as the places where its items belong.
  const present = indexesFrom(0, before.length).flatMap((index) => destinations.get(index) ?? []);
  const settled = new Set(increasing(present).map((index) => present[index] as number));
  for (const destination of present.filter((place) => !settled.has(place)).sort((a, b) => a - b)) {
    const from = present.indexOf(destination);
    present.splice(from, 1);
    const next = present.findIndex((place) => settled.has(place) && place > destination);
    const to = next === -1 ? present.length : next;
    present.splice(to, 0, destination);
    settled.add(destination);
    if (from !== to) operations.push({ op: 'move', from: pointerTo(path, from), path: pointerTo(path, to) });
  }

  after.forEach((value, index) => {
    if (origins[index] === undefined) operations.push({ op: 'add', path: pointerTo(path, index), value });
  });
  after.forEach((value, index) => {
    const origin = origins[index];
    if (origin === undefined) return;
    operations.push(...diffItem(before[origin] as Json, value, pointerTo(path, index), diff));
  });
  return operations;
}

function indexesFrom(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}
