import { useEffect, useState } from 'react';
import type { Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { of, switchMap, take, timer } from 'rxjs';
import { usePodEntries, type PodEntry } from '../pods/pod-entries.js';
import { filterTest, isFiltering, noFilter, pairOf, splitPair, type PodFilter } from '../pods/pod-filter.js';

/** The number of pods with one value of one facet. The key is the pair of facet and value. */
export interface FacetCount {
  readonly group: string;
  readonly pods: number;
}

export type FacetCounts = Collection<FacetCount, 'facet'>;

/**
 * The name of the group that counts all pods of a filter, in addition to the groups of the facets.
 */
export const everyPod = pairOf('all', '');

/**
 * Counts the pods that the filter selects, for each value of each facet. The values chosen in a
 * facet do not reduce the counts of that facet, so that the user sees the counts of the other
 * values before choosing a second one.
 *
 * A change of a pod costs O(facets of the pod), regardless of the number of pods. A different
 * filter has its own collection, which is counted once, in slices.
 */
export function facetCounts(entries: Collection<PodEntry>, filter: PodFilter): FacetCounts {
  const test = filterTest(filter);
  const countedPairs = (entry: PodEntry): readonly string[] => {
    const { misses, missed } = test(entry);
    if (misses > 1) return [];
    if (missed === undefined) return [everyPod, ...entry.pairs];
    return entry.pairs.filter((pair) => splitPair(pair)[0] === missed);
  };
  return derived.groupBy(entries, countedPairs, { pods: derived.count() }, { indexers: { facet: facetOf } });
}

function facetOf({ group }: { readonly group: string }): string {
  return splitPair(group)[0];
}

const countsOf = new WeakMap<object, Map<PodFilter, FacetCounts>>();

/** Returns the counts of a filter. The same filter returns the same collection. */
function countsFor(entries: Collection<PodEntry>, filter: PodFilter): FacetCounts {
  const known = countsOf.get(entries)?.get(filter);
  if (known) return known;
  const counts = facetCounts(entries, filter);
  // Keeps the counts of all pods and of the last filter. The counts of earlier filters stop when
  // their last reader unsubscribes.
  const kept = [...(countsOf.get(entries) ?? [])].filter(([before]) => before === noFilter);
  countsOf.set(entries, new Map([...kept, [filter, counts]]));
  return counts;
}

/** Returns the counts of all pods, regardless of the filter. */
export function useTotals(): FacetCounts {
  return countsFor(usePodEntries(), noFilter);
}

/** How long a filter with a text must stay unchanged before it is counted, in milliseconds. */
const patience = 150;

/**
 * Returns the counts within a filter. Returns the previous counts while those of a new filter are
 * computed.
 */
export function useFacetCounts(filter: PodFilter): FacetCounts {
  const entries = usePodEntries();
  const wanted = isFiltering(filter) ? filter : noFilter;
  const [shown, setShown] = useState(() => ({ entries, counts: countsFor(entries, wanted) }));
  useEffect(() => {
    const counts = countsFor(entries, wanted);
    const wait$ = wanted.text === '' ? of(0) : timer(patience);
    const following = wait$
      .pipe(
        switchMap(() => counts.snapshot$),
        take(1),
      )
      .subscribe(() => {
        setShown({ entries, counts });
      });
    return () => {
      following.unsubscribe();
    };
  }, [entries, wanted]);
  return shown.entries === entries ? shown.counts : countsFor(entries, wanted);
}
