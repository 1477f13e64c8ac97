import {
  pods as podResource,
  type Collection,
  type Informer,
  type KubeClient,
  type listWatch,
  type Pod,
} from 'rx-informers';
import { requestJson } from 'rx-informers/requests';
import { sharedRegistry } from 'rx-informers/shared-worker';
import type { WatchEventBatch } from 'rx-informers/store';
import { catchError, concat, defer, EMPTY, expand, filter, map, NEVER, scan, takeUntil, type Observable } from 'rxjs';
import { usePageAddress } from '../address/use-page-address.js';
import { useCluster } from '../cluster/cluster.js';
import { firstPageSize } from '../cluster/early-requests.js';
import { useLivePods } from '../cluster/informers.js';

/**
 * The number of pods in each later page of the list. Later pages are requested while the informer
 * does not need the connection.
 */
const laterPageSize = 250;

/** A page of a list. */
interface PodPage {
  readonly items: readonly Pod[];
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number };
}

/**
 * Returns the pods that can be shown before the list of the informer is complete: the pages of a
 * second list, as they arrive. The status of the result contains the number of received pods, and
 * the approximate number of expected pods.
 *
 * The informer shows nothing before its list is complete, which takes seconds on a slow connection.
 * The first of these pages is requested before the main script of the page has loaded. No more
 * pages are requested once the informer receives its list.
 *
 * @param isNeeded false once the list is complete
 */
export function useArrivingPods(isNeeded: boolean): Informer<Pod> | undefined {
  const { namespace, at } = usePageAddress();
  const { client } = useCluster();
  const pods = useLivePods();
  if (!isNeeded || at !== undefined) return undefined;
  // Creates the informer by a registry, because importing `informer` would load the code that lists
  // and watches.
  const source = { listWatch: (() => arrivingPods(client, namespace, pods)) as unknown as typeof listWatch };
  const known = arrivingOf.get(pods) ?? sharedRegistry(client, source).informer<Pod>(podResource);
  arrivingOf.set(pods, known);
  return known;
}

const arrivingOf = new WeakMap<object, Informer<Pod>>();

/**
 * Emits each page of pods, and the progress of the list. If a page fails, requests no more pages:
 * the informer reports the reason.
 */
export function arrivingPods(
  client: KubeClient,
  namespace: string | undefined,
  pods: Pick<Collection<Pod>, 'status$'>,
): Observable<WatchEventBatch<Pod>> {
  const path = namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
  const page = (query: Readonly<Record<string, string | number>>): Observable<PodPage> =>
    requestJson<PodPage>(client, { method: 'GET', path, query });
  const isReceiving$ = pods.status$.pipe(
    filter((status) => status.state === 'watching' || (status.state === 'listing' && status.received > 0)),
  );
  const pages$ = defer(() => page({ limit: firstPageSize })).pipe(
    expand(({ metadata: { continue: next = '' } }) =>
      next === '' ? EMPTY : page({ limit: laterPageSize, continue: next }),
    ),
    catchError(() => EMPTY),
    scan(({ received }, { items, metadata }) => withPage(received, items, metadata.remainingItemCount), nothingYet),
    map(({ batch }) => batch),
    takeUntil(isReceiving$),
  );
  return concat(pages$, NEVER);
}

const nothingYet: { readonly received: number; readonly batch: WatchEventBatch<Pod> } = { received: 0, batch: [] };

function withPage(before: number, items: readonly Pod[], remaining = 0): typeof nothingYet {
  const received = before + items.length;
  const status = { state: 'listing', by: 'pages', received, expected: received + remaining } as const;
  const objects =
    before === 0
      ? [{ type: 'LISTED', items, resourceVersion: '' } as const]
      : items.map((object) => ({ type: 'ADDED', object }) as const);
  return { received, batch: [...objects, { type: 'STATUS', status }] };
}
