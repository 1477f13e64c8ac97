import {
  defineRequest,
  events,
  indexByNamespace,
  nodes,
  pods,
  type KubernetesEvent,
  type Informer,
  type InformerError,
  type KubernetesNode,
  type Pod,
} from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { useInformer } from 'rx-informers/react';
import { usePageAddress } from '../address/use-page-address.js';
import { atShownTime, useRecorded } from '../history/recordings.js';
import { indexByLabelPair, indexByPlacement, type PodIndex } from '../pods/pod-filter.js';
import { reading } from './reading.js';

/** Logs errors, except failed requests, which the panel of the informer shows. */
export const onUnobservedError = (error: InformerError, name: string): void => {
  if (!('request' in error)) console.error(`${name}:`, error);
};

// The view of kinds reads all of these objects by namespace.
const byNamespace = { namespace: indexByNamespace };

const podIndexers = { ...byNamespace, node: indexByPlacement, label: indexByLabelPair };
const podRequest = inNamespace((namespace) =>
  defineRequest(pods, { ...reading, onUnobservedError, indexers: podIndexers, namespace }),
);

const nodeRequest = defineRequest(nodes, { ...reading, onUnobservedError, indexers: byNamespace });

const eventIndexers = { ...byNamespace, object: ({ involvedObject }: KubernetesEvent) => involvedObject.uid };
const eventRequest = inNamespace((namespace) =>
  defineRequest(events, { ...reading, onUnobservedError, indexers: eventIndexers, namespace }),
);

/** Returns a function that defines one request for each namespace and reuses it. */
function inNamespace<R>(define: (namespace: string | undefined) => R): (namespace: string | undefined) => R {
  const defined = new Map<string | undefined, R>();
  return (namespace) => {
    const request = defined.get(namespace) ?? define(namespace);
    defined.set(namespace, request);
    return request;
  };
}

/** Returns the pods at the time that the page shows. */
export function usePods(): DerivedCollection<Pod, PodIndex> {
  return atShownTime(useLivePods());
}

/** Returns the nodes at the time that the page shows. */
export function useNodes(): DerivedCollection<KubernetesNode, 'namespace'> {
  return atShownTime(useLiveNodes());
}

/**
 * Returns the events at the time that the page shows. The index `object` is the uid of the object
 * that an event is about.
 */
export function useEvents(): DerivedCollection<KubernetesEvent, 'namespace' | 'object'> {
  return atShownTime(useLiveEvents());
}

/**
 * Returns the current pods, regardless of the time that the page shows. The connection line, writes
 * and the history use them.
 */
export function useLivePods(): Informer<Pod, PodIndex> {
  return usePodsIn(usePageAddress().namespace);
}

/**
 * Returns the current pods of one namespace, or of all, regardless of the namespace and of the time
 * that the page shows.
 */
export function usePodsIn(namespace: string | undefined): Informer<Pod, PodIndex> {
  return useRecorded(useInformer(podRequest(namespace)), namespace);
}

/** Returns the current nodes, regardless of the time that the page shows. */
export function useLiveNodes(): Informer<KubernetesNode, 'namespace'> {
  return useRecorded(useInformer(nodeRequest), undefined);
}

/** Returns the current events, regardless of the time that the page shows. */
export function useLiveEvents(): Informer<KubernetesEvent, 'namespace' | 'object'> {
  const { namespace } = usePageAddress();
  return useRecorded(useInformer(eventRequest(namespace)), namespace);
}
