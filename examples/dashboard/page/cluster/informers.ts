import { events, indexByNamespace, nodes, pods, type Event, type Informer, type Node, type Pod } from 'rx-informers';
import { useInformer } from 'rx-informers/react';
import { indexByLabelPair } from '../model/label-pairs.js';
import { indexByPlacement, type PodIndex } from '../model/pod-filter.js';

const podRequest = {
  indexers: { namespace: indexByNamespace, node: indexByPlacement, label: indexByLabelPair },
  // What a batch says twice about one pod is drawn once.
  dedup: 'latest' as const,
};

const eventRequest = { indexers: { object: ({ involvedObject }: Event) => involvedObject.uid } };

export function usePods(): Informer<Pod, PodIndex> {
  return useInformer(pods, podRequest);
}

export function useNodes(): Informer<Node, never> {
  return useInformer(nodes);
}

/** Index `object`: by the uid of what they are about. */
export function useEvents(): Informer<Event, 'object'> {
  return useInformer(events, eventRequest);
}
