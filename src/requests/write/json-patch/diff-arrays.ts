import { isJsonArray, isJsonMembers, pointerTo, type Json, type JsonPatchOperation } from './json.js';

/** Returns the operations that turn the value `before` into `after`. The value is at `path`. */
type Diff = (before: Json, after: Json, path: string) => readonly JsonPatchOperation[];

/**
 * Returns the operations that turn one array into another. Missing items are removed, moved items
 * are moved, new items are added, and items that were changed in place are patched. If a single
 * `replace` is shorter, the whole array is replaced.
 *
 * An item that was inserted, removed or moved costs one operation, wherever it is. The equal items
 * at both ends are compared only once, so one change in a long array costs little.
 *
 * @param diff compares two items
 */
export function diffArrays(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  diff: Diff,
): readonly JsonPatchOperation[] {
  const operations = operationsFor(originsOf(before, after, diff), before, after, path, diff);
  return shorterOf(operations, { op: 'replace', path, value: after });
}

/** For each item of the new array, its index in the old array; `undefined` for a new item. */
type Origins = readonly (number | undefined)[];

/** Finds the unchanged items, then the items that were changed without being moved. */
function originsOf(before: readonly Json[], after: readonly Json[], diff: Diff): Origins {
  const origins = equalOrigins(before, after);
  const used = new Set(origins);
  // Between unchanged items, the remaining old and new ones may be the same with changes.
  let oldStart = 0;
  let newStart = 0;
  const alignGap = (oldEnd: number, newEnd: number): void => {
    const oldOnes = indexesFrom(oldStart, oldEnd).filter((index) => !used.has(index));
    const newOnes = indexesFrom(newStart, newEnd).filter((index) => origins[index] === undefined);
    for (const [oldIndex, newIndex] of alignItems(oldOnes, newOnes, { before, after, diff })) {
      origins[newIndex] = oldIndex;
    }
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  };
  for (const newIndex of longestIncreasing(origins)) alignGap(origins[newIndex] as number, newIndex);
  alignGap(before.length, after.length);
  return origins;
}

/** Pairs equal items: first the items at both ends, then the items between them, in their order. */
function equalOrigins(before: readonly Json[], after: readonly Json[]): (number | undefined)[] {
  const oldTexts = new Map<number, string>();
  const newTexts = new Map<number, string>();
  const oldText = (index: number): string => memoized(oldTexts, index, before);
  const newText = (index: number): string => memoized(newTexts, index, after);
  const isEqual = (oldIndex: number, newIndex: number): boolean =>
    before[oldIndex] === after[newIndex] || oldText(oldIndex) === newText(newIndex);

  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isEqual(start, start)) start++;
  let end = 0;
  while (end < shorter - start && isEqual(before.length - 1 - end, after.length - 1 - end)) end++;

  const places = new Map<string, number[]>();
  for (const index of indexesFrom(start, before.length - end)) {
    const known = places.get(oldText(index));
    if (known === undefined) places.set(oldText(index), [index]);
    else known.push(index);
  }
  return after.map((_, index) => {
    if (index < start) return index;
    if (index >= after.length - end) return index - after.length + before.length;
    return places.get(newText(index))?.shift();
  });
}

function memoized(texts: Map<number, string>, index: number, items: readonly Json[]): string {
  const known = texts.get(index);
  if (known !== undefined) return known;
  const text = canonical(items[index] as Json);
  texts.set(index, text);
  return text;
}

/** Returns a value as text that is equal for equal values, in any order of members. */
function canonical(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonMembers(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`);
  return `{${members.join(',')}}`;
}

/**
 * Returns removals from the back, moves, additions from the front, then the changes within items.
 * In this order, each index is valid when its operation is applied.
 */
function operationsFor(
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

  // The remaining items of the old array, as their positions in the new array.
  const present = indexesFrom(0, before.length).flatMap((index) => destinations.get(index) ?? []);
  const settled = new Set(longestIncreasing(present).map((index) => present[index] as number));
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
    if (origin === undefined || before[origin] === value) return;
    operations.push(...diffItem(before[origin] as Json, value, pointerTo(path, index), diff));
  });
  return operations;
}

/**
 * Returns the indexes of a longest increasing subsequence, without `undefined`: only other items
 * have to be moved. Patience sorting, O(n log n).
 */
function longestIncreasing(values: readonly (number | undefined)[]): readonly number[] {
  // tails[k] is the index of the smallest value with which a run of k + 1 values can end.
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  values.forEach((value, index) => {
    if (value === undefined) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((values[tails[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1];
    tails[low] = index;
  });
  const run: number[] = [];
  for (let index = tails.at(-1); index !== undefined; index = previous[index]) run.push(index);
  return run.reverse();
}

/** Pairs to compare. Beyond, items pair in their order: comparing would cost more than it saves. */
const maxPairs = 1_000;

type Pair = readonly [oldIndex: number, newIndex: number];

/**
 * Pairs the remaining old items with the remaining new items, in their order, so that the patch is
 * as short as possible. Items have no identity, so only the length counts.
 */
function alignItems(
  oldOnes: readonly number[],
  newOnes: readonly number[],
  { before, after, diff }: { readonly before: readonly Json[]; readonly after: readonly Json[]; readonly diff: Diff },
): readonly Pair[] {
  if (oldOnes.length === 0 || newOnes.length === 0) return [];
  if (oldOnes.length * newOnes.length > maxPairs) {
    return oldOnes.slice(0, newOnes.length).map((oldIndex, place) => [oldIndex, newOnes[place] as number] as const);
  }
  const removal = lengthOf([{ op: 'remove', path: '/0' }]);
  const addition = (newIndex: number): number => lengthOf([{ op: 'add', path: '/0', value: after[newIndex] as Json }]);
  const change = ([oldIndex, newIndex]: Pair): number =>
    lengthOf(diffItem(before[oldIndex] as Json, after[newIndex] as Json, '/0', diff));

  // best[i][j] is the shortest way from the old items up to i to the new items up to j.
  const best: Way[][] = [];
  for (let i = 0; i <= oldOnes.length; i++) {
    const row: Way[] = [];
    best.push(row);
    for (let j = 0; j <= newOnes.length; j++) {
      const removed = best[i - 1]?.[j];
      const added = row[j - 1];
      const changed = best[i - 1]?.[j - 1];
      const pair = [oldOnes[i - 1] as number, newOnes[j - 1] as number] as const;
      row.push(
        shortest([
          changed && { length: changed.length + change(pair), pair, rest: changed },
          removed && { length: removed.length + removal, rest: removed },
          added && { length: added.length + addition(pair[1]), rest: added },
        ]),
      );
    }
  }
  return pairsOf(best.at(-1)?.at(-1));
}

/**
 * A way to turn the first old items into the first new ones, as a linked list of steps: `rest` is
 * the way before the last step, `pair` its pair, if any; `length` that of the patch.
 */
interface Way {
  readonly length: number;
  readonly pair?: Pair;
  readonly rest?: Way;
}

function shortest(ways: readonly (Way | undefined)[]): Way {
  let best: Way | undefined;
  for (const way of ways) if (way !== undefined && (best === undefined || way.length < best.length)) best = way;
  return best ?? { length: 0 };
}

function pairsOf(way: Way | undefined): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let step = way; step !== undefined; step = step.rest) if (step.pair !== undefined) pairs.push(step.pair);
  return pairs.reverse();
}

/** Patches an item, or replaces it if that is shorter. */
function diffItem(before: Json, after: Json, path: string, diff: Diff): readonly JsonPatchOperation[] {
  return shorterOf(diff(before, after, path), { op: 'replace', path, value: after });
}

/** Returns the length of a patch on the wire, in characters. */
export function lengthOf(operations: readonly JsonPatchOperation[]): number {
  return operations.reduce((sum, operation) => sum + JSON.stringify(operation).length + 1, 0);
}

/** Returns the operations, or the single replacing operation if that is shorter. */
function shorterOf(
  operations: readonly JsonPatchOperation[],
  replacement: JsonPatchOperation,
): readonly JsonPatchOperation[] {
  if (operations.length === 0) return operations;
  return lengthOf(operations) <= lengthOf([replacement]) ? operations : [replacement];
}

function indexesFrom(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}
