import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { usePods } from '../cluster/informers.js';
import { indexByPlacement, type PodIndex } from './pod-filter.js';
import { podPhase, type PodPhase } from './pod-phase.js';

/** A pod on the node map. */
export interface PodDot {
  readonly node: string;
  readonly phase: PodPhase;
}

const indexers = { node: ({ node }: PodDot) => node };

/**
 * Returns the collections derived from pods: the node and the phase of each pod, and the counts by
 * each index and phase.
 */
export function podCounts(pods: Collection<Pod, PodIndex>) {
  const dots = derived.map(pods, (pod): PodDot => ({ node: indexByPlacement(pod), phase: podPhase(pod) }), {
    indexers,
  });
  return {
    dots,
    phase: derived.groupBy(dots, ({ phase }) => phase, { pods: derived.count() }),
    node: derived.groupBy(dots, 'node', { pods: derived.count(), phases: derived.tally(({ phase }) => phase) }),
  };
}

export type PodCounts = ReturnType<typeof podCounts>;

const countsOf = new WeakMap<object, PodCounts>();

/** Returns the counts of the pods of the page. All components share them. */
export function usePodCounts(): PodCounts {
  const pods = usePods();
  const counts = countsOf.get(pods) ?? podCounts(pods);
  countsOf.set(pods, counts);
  return counts;
}
