import type { Change } from 'rx-informers';
import type { BenchPod } from '../../fixtures/pod.js';
import { comparison, type OpenTable, type TableOptions } from './table.js';

/**
 * The code that a developer writes by hand for a single table: an array of the filtered rows, in
 * which a binary search finds the position of each change.
 *
 * The code assumes that a deletion contains the stored version, which a server does not guarantee.
 */
export const sortedArrayTable: OpenTable = (pods, options) => {
  let current = options;
  let compare = comparison(current.sortBy);
  let sorted: BenchPod[] = [];
  let rows: readonly BenchPod[] = [];

  const place = (pod: BenchPod): number => {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compare(sorted[middle] as BenchPod, pod) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  const apply = (change: Change<BenchPod>): void => {
    const { type, object } = change;
    const previous = type === 'updated' ? change.previous : type === 'deleted' ? object : undefined;
    if (previous !== undefined && current.where(previous)) sorted.splice(place(previous), 1);
    if (type !== 'deleted' && current.where(object)) sorted.splice(place(object), 0, object);
  };
  const cut = ({ offset, limit }: TableOptions): void => {
    rows = sorted.slice(offset, offset + limit);
  };

  const subscription = pods.changes$.subscribe(({ reason, changes }) => {
    if (reason === 'initial') {
      sorted = changes
        .map(({ object }) => object)
        .filter(current.where)
        .sort(compare);
    } else for (const change of changes) apply(change);
    cut(current);
  });
  return {
    shown: () => ({ rows, total: sorted.length }),
    show: (next) => {
      const { where, sortBy } = current;
      current = next;
      if (next.sortBy !== sortBy) compare = comparison(next.sortBy);
      if (next.where !== where) sorted = pods.list().filter(next.where).sort(compare);
      else if (next.sortBy !== sortBy) sorted.sort(compare);
      cut(next);
    },
    close: () => {
      subscription.unsubscribe();
    },
  };
};
