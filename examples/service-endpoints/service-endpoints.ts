import { endpointSlices, indexByLabel, informer, pods, services, type KubeClient } from 'rx-informers';
import { controller, setControllerReference, type ReconcileEvent } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { concat, from, ignoreElements, mergeMap, type Observable } from 'rxjs';
import { endpointSlicesOf, managedBy, serviceNameLabel } from './endpoint-slices.js';

/**
 * Keeps the EndpointSlices of all Services up to date, like the EndpointSlice controller of
 * Kubernetes.
 *
 * `selectorJoin` finds the pods of each Service, at a cost that depends on the changes. It compares
 * a pod only with the few Services that require one of its labels. `groupJoin` computes the slices
 * of a Service whenever one of its pods changes. A status update that changes no endpoint leaves
 * the row of the Service equal, so the controller does not run.
 */
export function serviceEndpoints(client: KubeClient): Observable<ReconcileEvent> {
  const serviceInformer = informer(client, services);
  const podInformer = informer(client, pods);
  const sliceInformer = informer(client, endpointSlices, {
    labelSelector: { matchLabels: managedBy },
    indexers: { service: indexByLabel(serviceNameLabel) },
  });

  const selected = derived.selectorJoin(serviceInformer, podInformer, {
    selector: derived.serviceSelector,
    within: 'namespace',
  });
  const wanted = derived.groupJoin(serviceInformer, selected, {
    on: 'selectedBy',
    select: (service, rows) => ({
      service: metaNamespaceKey(service),
      slices: endpointSlicesOf(
        service,
        rows.map(({ object }) => object),
      ),
    }),
  });

  return controller({
    name: 'service-endpoints',
    for: serviceInformer,
    owns: [sliceInformer],
    watches: [{ source: wanted, map: ({ service }) => service }],
    client,
    reconcile: ({ key, object: service, clientOf }) => {
      // The garbage collector deletes the slices of a deleted Service, because they have owner
      // references.
      if (service === undefined) return undefined;
      const slices = clientOf(endpointSlices, { fieldManager: 'service-endpoints' });
      const own = wanted.get(key)?.slices ?? [];
      const names = new Set(own.map(({ metadata }) => metadata.name));
      const stale = sliceInformer
        .byIndex('service', service.metadata.name)
        .filter(({ metadata }) => metadata.namespace === service.metadata.namespace && !names.has(metadata.name));
      return concat(
        from(own).pipe(
          mergeMap((slice) => slices.apply(setControllerReference(service, slice), { from: sliceInformer })),
        ),
        from(stale).pipe(mergeMap((slice) => slices.delete(slice))),
      ).pipe(ignoreElements());
    },
  });
}
