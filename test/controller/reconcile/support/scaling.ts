import {
  configMaps,
  informer,
  listWatch,
  resource,
  type ConfigMap,
  type Informer,
  type KubeClient,
  type KubernetesObject,
  type ListWatchOptions,
} from 'rx-informers';
import { setControllerReference, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import type { ObjectMeta } from 'rx-informers/resources';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { delay, EMPTY, merge, mergeMap, type Observable, type SchedulerLike } from 'rxjs';
import { countedClient } from './counted-client.js';

/** A resource whose objects request a number of ConfigMaps. */
export interface Scale extends KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: { readonly replicas: number };
  readonly status?: { readonly runs?: number; readonly seen?: number };
}

export const scales = resource<Scale>({
  group: 'example.com',
  version: 'v1',
  plural: 'scales',
  kind: 'Scale',
  namespaced: true,
});

export const scale = (name: string, replicas: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Scale',
  metadata: { name, namespace: 'default' },
  spec: { replicas },
});

/**
 * Returns an API server in virtual time, with caches of its scales and ConfigMaps. The cache of
 * ConfigMaps is `late` milliseconds behind.
 */
export function playhouse({ late = 0, ...options }: { readonly late?: number } & ListWatchOptions<ConfigMap> = {}) {
  const clock = virtualClock();
  const scheduler = clock;
  let turn = 0;
  const random = (): number => (turn++ * 0.618) % 1;
  const server = createInMemoryApiServer({ scheduler, random, resources: [scales] });
  const client = countedClient(server.client);
  const input = { scheduler, random: () => 0 };
  const scaleInformer = informer(listWatch(client, scales, input), { linger: 0, scheduler });
  const watched$ = listWatch(client, configMaps, { ...input, ...options });
  const children: Informer<ConfigMap> = informer(late === 0 ? watched$ : watched$.pipe(delay(late, scheduler)), {
    linger: 0,
    scheduler,
    resource: configMaps,
  });
  /** Returns another cache of the scales, which is `by` milliseconds behind. */
  const lateScales = (by: number): Informer<Scale> =>
    informer(listWatch(client, scales, input).pipe(delay(by, scheduler)), { linger: 0, scheduler, resource: scales });
  /** Returns the number of children. */
  const count = (): number => server.objects.list(configMaps).length;
  /** Returns the number of requests with this method. */
  const requests = (method: string): number => client.requests.filter((line) => line.startsWith(`${method} `)).length;
  return { clock, scheduler, server, client, scaleInformer, children, lateScales, count, requests };
}

/** Returns a reconciler. It creates children that the cache lacks, and deletes surplus children. */
export function scaleTo(client: KubeClient, children: Informer<ConfigMap>, scheduler: SchedulerLike) {
  const childClient = resourceClient(client, configMaps, { scheduler });
  return ({ object, client: recording }: ReconcileRequest<Scale>): Observable<unknown> => {
    if (!object) return EMPTY;
    const { name, namespace, uid } = object.metadata;
    const direct = recording ? childClient.via(recording) : childClient;
    const own = children.list().filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    const missing = Math.max(0, object.spec.replicas - own.length);
    const created$ = Array.from({ length: missing }, () =>
      direct.create(setControllerReference(object, { metadata: { generateName: `${name}-`, namespace } })),
    );
    const deleted$ = own
      .slice(object.spec.replicas)
      .map(({ metadata }) => direct.delete(`${namespace}/${metadata.name}`));
    return merge(...created$, ...deleted$).pipe(mergeMap(() => EMPTY));
  };
}
