import {
  events,
  indexByNamespace,
  nodes,
  pods,
  type Event,
  type Informer,
  type InformerError,
  type Node,
  type Pod,
  latestOnly,
} from 'rx-informers';
import { useInformer } from 'rx-informers/react';
import { indexByLabelPair } from '../model/label-pairs.js';
import { indexByPlacement, type PodIndex } from '../model/pod-filter.js';

/** Failed requests are on the page, as the status of their panel. */
const onUnobservedError = (error: InformerError, name: string): void => {
  if (!('request' in error)) console.error(`${name}:`, error);
};

const podRequest = {
  onUnobservedError,
  indexers: { namespace: indexByNamespace, node: indexByPlacement, label: indexByLabelPair },
  // What a batch says twice about one pod is drawn once.
  dedup: latestOnly,
};

const nodeRequest = { onUnobservedError };

const eventRequest = {
  onUnobservedError,
  indexers: { object: ({ involvedObject }: Event) => involvedObject.uid },
};

export function usePods(): Informer<Pod, PodIndex> {
  return useInformer(pods, podRequest);
}

export function useNodes(): Informer<Node, never> {
  return useInformer(nodes, nodeRequest);
}

/** Index `object`: by the uid of what they are about. */
export function useEvents(): Informer<Event, 'object'> {
  return useInformer(events, eventRequest);
}
