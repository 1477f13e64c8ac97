import type { Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import type { PodEntry } from '../pods/pod-entries.js';
import { filterPredicate, indexByPlacement, type PodFilter } from '../pods/pod-filter.js';
import { podPhase, type PodPhase } from '../pods/pod-phase.js';

/** A pod on the map. */
export interface MapCell {
  readonly node: string;
  readonly phase: PodPhase;
  /** Whether the pod passes the filter. */
  readonly isMatch: boolean;
}

export type MapCells = Collection<MapCell, 'node'>;

/** Returns the pods as cells of the map, by node. */
export function mapCells(entries: Collection<PodEntry>, filter: PodFilter): MapCells {
  const isMatch = filterPredicate(filter) ?? (() => true);
  return derived.map(
    entries,
    (entry): MapCell => ({
      node: indexByPlacement(entry.pod),
      phase: podPhase(entry.pod),
      isMatch: isMatch(entry),
    }),
    { indexers: { node: ({ node }: MapCell) => node } },
  );
}
