import { informer, listWatch, pods, type Informer, type KubeClient, type Pod } from 'rx-informers';
import {
  aPod,
  createInMemoryApiServer,
  virtualClock,
  type InMemoryApiServer,
  type VirtualClock,
} from 'rx-informers/testing';
import { finalize } from 'rxjs';

/** An API server in virtual time with three pods, and the requests that it received. */
export interface Cluster {
  readonly server: InMemoryApiServer;
  readonly scheduler: VirtualClock;
  readonly client: KubeClient;
  /** The number of list requests. */
  readonly lists: { readonly count: number };
  /** The number of requests that have neither ended nor been aborted. */
  readonly requests: { readonly open: number };
  /**
   * Creates an informer of the pods of this server, on the same clock. The informer stops when its
   * last subscriber leaves.
   */
  informer(): Informer<Pod>;
}

export function cluster(): Cluster {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler });
  server.apply([aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n1' }), aPod({ name: 'c', node: 'n2' })]);
  const lists = { count: 0 };
  server.requests$.subscribe(({ query }) => {
    if (!query.has('watch') || query.has('sendInitialEvents')) lists.count++;
  });
  const requests = { open: 0 };
  const client: KubeClient = {
    exchange(request) {
      requests.open++;
      return server.client.exchange(request).pipe(finalize(() => requests.open--));
    },
  };
  return {
    server,
    scheduler,
    client,
    lists,
    requests,
    informer: () =>
      informer(listWatch(client, pods, { scheduler }), { linger: 0, scheduler, onUnobservedError: () => undefined }),
  };
}
