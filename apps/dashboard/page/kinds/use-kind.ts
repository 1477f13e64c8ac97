import { defineRequest, indexByNamespace, type Informer, type KubernetesObject, type Resource } from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { useInformer } from 'rx-informers/react';
import { usePageAddress } from '../address/use-page-address.js';
import { onUnobservedError } from '../cluster/informers.js';
import { reading } from '../cluster/reading.js';
import { atShownTime, useRecorded } from '../history/recordings.js';

// Uses the same index function as the other views, so that pods, nodes and events share an informer
// with them.
const indexers = { namespace: indexByNamespace };
const wholeOptions = { ...reading, onUnobservedError, indexers };

/**
 * Returns the objects of any kind at the time that the page shows. Their informer runs while a
 * component shows them.
 *
 * @param namespace the only namespace to request; default: the namespace of the page, or all
 * namespaces if the page has none
 */
export function useKind<T extends KubernetesObject>(
  resource: Resource<T>,
  namespace?: string,
): DerivedCollection<T, 'namespace'> {
  return atShownTime(useLiveKind(resource, namespace));
}

/**
 * Returns the objects of a kind as `useKind` does, or `undefined` for no kind, which reads nothing.
 */
export function useWantedKind<T extends KubernetesObject>(
  resource: Resource<T> | undefined,
  namespace: string | undefined,
): DerivedCollection<T, 'namespace'> | undefined {
  const ofPage = usePageAddress().namespace;
  const informer = useInformer(
    resource && defineRequest(resource, { ...wholeOptions, namespace: namespace ?? ofPage }),
  );
  return informer && atShownTime(informer);
}

/** Returns the live objects, regardless of the time that the page shows. */
export function useLiveKind<T extends KubernetesObject>(
  resource: Resource<T>,
  namespace?: string,
): Informer<T, 'namespace'> {
  const only = useOnlyNamespace(resource, namespace);
  return useRecorded(useInformer(defineRequest(resource, { ...wholeOptions, namespace: only })), only);
}

/** Returns the only namespace to request, or `undefined` for a kind without namespaces. */
function useOnlyNamespace({ namespaced }: Resource<unknown>, namespace: string | undefined): string | undefined {
  const ofPage = usePageAddress().namespace;
  return namespaced ? (namespace ?? ofPage) : undefined;
}
