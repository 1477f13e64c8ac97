import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { indexByPlacement, type PodIndex } from '../model/pod-filter.js';
import { podPhase, type PodPhase } from '../model/pod-phase.js';
import { usePods } from './informers.js';

/** What the node map shows of a pod. */
export interface PodDot {
  readonly node: string;
  readonly phase: PodPhase;
}

const indexers = { node: ({ node }: PodDot) => node };

/** Returns what the page derives from pods: where each is and its phase, and how many there are by each index and phase. */
export function podCounts(pods: Collection<Pod, PodIndex>) {
  const dots = derived.map(pods, (pod): PodDot => ({ node: indexByPlacement(pod), phase: podPhase(pod) }), {
    indexers,
  });
  return {
    dots,
    phase: derived.groupBy(dots, ({ phase }) => phase, { pods: derived.count() }),
    node: derived.groupBy(dots, 'node', { pods: derived.count(), phases: derived.tally(({ phase }) => phase) }),
    namespace: derived.groupBy(pods, 'namespace', { pods: derived.count() }),
    label: derived.groupBy(pods, 'label', { pods: derived.count() }),
  };
}

export type PodCounts = ReturnType<typeof podCounts>;

const countsOf = new WeakMap<object, PodCounts>();

/** Returns the counts of the pods of the page; all components share them. */
export function usePodCounts(): PodCounts {
  const pods = usePods();
  const counts = countsOf.get(pods) ?? podCounts(pods);
  countsOf.set(pods, counts);
  return counts;
}
