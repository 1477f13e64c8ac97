import { diffItem, type Diff } from './diff-item.js';
import type { Json } from './json.js';
import { lengthOf } from './operation.js';

/** Beyond so many pairs, items are taken for each other in their order: looking at each pair would cost more than it saves. */
const mostPairs = 1_000;

interface Arrays {
  readonly before: readonly Json[];
  readonly after: readonly Json[];
  readonly diff: Diff;
}

type Pair = readonly [oldIndex: number, newIndex: number];

/**
 * Which of the left-over old items became which of the left-over new ones, in their order, so that the patch gets shortest.
 *
 * An item that was changed beyond recognition is the same for the patch as one that was replaced, so all that counts is length.
 */
export function alignItems(oldOnes: readonly number[], newOnes: readonly number[], arrays: Arrays): readonly Pair[] {
  if (oldOnes.length * newOnes.length > mostPairs) {
    return oldOnes.slice(0, newOnes.length).map((oldIndex, place) => [oldIndex, newOnes[place] as number] as const);
  }
  const { before, after, diff } = arrays;
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

/** A way to the items so far: its last pair, if it ended with one, and the way before. */
interface Way {
  readonly length: number;
  readonly pair?: Pair;
  readonly rest?: Way;
}

function shortest(ways: readonly (Way | undefined)[]): Way {
  return (
    ways
      .filter((way) => way !== undefined)
      .reduce<Way | undefined>(
        (best, way) => (best === undefined || way.length < best.length ? way : best),
        undefined,
      ) ?? {
      length: 0,
    }
  );
}

function pairsOf(way: Way | undefined): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let step = way; step !== undefined; step = step.rest) if (step.pair !== undefined) pairs.push(step.pair);
  return pairs.reverse();
}
