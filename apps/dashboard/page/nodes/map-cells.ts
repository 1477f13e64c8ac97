import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import type { PodEntries } from '../pods/pod-entries.js';
import { filterPredicate, indexByPlacement, isFiltering, ownerOf, type PodFilter } from '../pods/pod-filter.js';
import { podPhase, restartsOf, type PodPhase } from '../pods/pod-phase.js';

/** The properties by which the map can colour pods. */
export const mapColours = ['status', 'namespace', 'owner', 'restarts'] as const;
export type MapColour = (typeof mapColours)[number];

/** A pod on the map. */
export interface MapCell {
  readonly node: string;
  readonly phase: PodPhase;
  /** The name of the cell's colour: a phase, `series-3`, `heat-1`. */
  readonly paint: string;
}

const indexers = { node: ({ node }: MapCell) => node };

export type MapCells = Collection<MapCell, 'node'>;

const cellsOf = new WeakMap<object, Map<MapColour, MapCells>>();

/** Returns the pods as cells of the map. All tiles share them. */
export function mapCells(pods: Collection<Pod>, colour: MapColour): MapCells {
  const known = cellsOf.get(pods) ?? new Map<MapColour, MapCells>();
  cellsOf.set(pods, known);
  const cells =
    known.get(colour) ??
    derived.map(
      pods,
      (pod): MapCell => ({ node: indexByPlacement(pod), phase: podPhase(pod), paint: paintOf(pod, colour) }),
      { indexers },
    );
  known.set(colour, cells);
  return cells;
}

function paintOf(pod: Pod, colour: MapColour): string {
  switch (colour) {
    case 'status':
      return podPhase(pod);
    case 'namespace':
      return seriesPaint(pod.metadata.namespace ?? '');
    case 'owner':
      return seriesPaint(ownerOf(pod) ?? '');
    case 'restarts':
      return heatPaint(restartsOf(pod));
  }
}

export const seriesCount = 8;

/** Returns the colour of a name. A name always has the same colour, regardless of other names. */
export function seriesPaint(name: string): string {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return `series-${hash % seriesCount}`;
}

/** The smallest number of restarts for each heat colour. */
export const heats = [0, 1, 4, 16] as const;

function heatPaint(restarts: number): string {
  const above = heats.findIndex((least) => restarts < least);
  return `heat-${(above === -1 ? heats.length : above) - 1}`;
}

/**
 * The names of the map's colours other than phases. The style sheet has a custom property for each
 * colour. Those of phases have the prefix `phase-`.
 */
export const otherPaints: readonly string[] = [
  ...Array.from({ length: seriesCount }, (_, index) => `series-${index}`),
  ...heats.map((_, index) => `heat-${index}`),
  'text',
];

/** A pod that passes the filter, with only its node. */
export interface MatchedPod {
  readonly node: string;
}

export type Matches = Collection<MatchedPod, 'node'>;

let lastMatches: { readonly entries: PodEntries; readonly filter: PodFilter; readonly matches: Matches } | undefined;

/** Returns the pods that pass a filter, by node. Returns `undefined` if all pods pass. */
export function mapMatches(entries: PodEntries, filter: PodFilter): Matches | undefined {
  if (!isFiltering(filter)) return undefined;
  if (lastMatches?.entries === entries && lastMatches.filter === filter) return lastMatches.matches;
  const isMatch = filterPredicate(filter) ?? (() => true);
  const matches = derived.map(
    entries,
    (entry): MatchedPod | undefined => (isMatch(entry) ? { node: indexByPlacement(entry.pod) } : undefined),
    { indexers: { node: ({ node }: MatchedPod) => node } },
  );
  lastMatches = { entries, filter, matches };
  return matches;
}
