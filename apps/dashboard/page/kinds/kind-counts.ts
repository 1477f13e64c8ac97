import type { KubeClient, Resource } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { requestJson, reviewAccess } from 'rx-informers/requests';
import { catchError, EMPTY, filter, from, map, mergeMap, of, scan, switchMap, type Observable } from 'rxjs';
import type { Kind } from './discovery.js';

/** The number of requests that are sent at a time, so that the page has connections for others. */
const atOnce = 2;

/** All kinds of all groups. A user with this right needs no review for each kind. */
const everything: Resource<unknown> = { group: '*', version: '*', plural: '*', namespaced: false };

/** A page of a list with the metadata of one object. */
interface FirstPage {
  /** Written in Go, a server may encode an empty list as null. */
  readonly items: readonly unknown[] | null;
  readonly metadata?: { readonly continue?: string; readonly remainingItemCount?: number };
}

/**
 * Emits the number of objects of each kind, by the id of the kind, as the answers arrive. Requests
 * the metadata of one object of each kind that the user may list; the API server adds how many
 * follow. A number that cannot be read is missing.
 *
 * @param namespace the only namespace to count in; `undefined` for all
 */
export function kindCounts(
  client: KubeClient,
  kinds: readonly Kind[],
  namespace: string | undefined,
): Observable<ReadonlyMap<string, number>> {
  const countOf = (kind: Kind, isAllowed: boolean) => {
    const { resource } = kind;
    const scope = { namespace: resource.namespaced ? namespace : undefined };
    const right$ = isAllowed ? of('allowed' as const) : reviewAccess(client, { verb: 'list', resource, ...scope });
    return right$.pipe(
      filter((right) => right !== 'denied'),
      switchMap(() =>
        requestJson<FirstPage>(client, {
          method: 'GET',
          path: resourcePath(resource, scope),
          query: { limit: 1 },
          headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' },
        }),
      ),
      map((page) => [kind.id, totalOf(page)] as const),
      catchError(() => EMPTY),
    );
  };
  return reviewAccess(client, { verb: 'list', resource: everything }).pipe(
    switchMap((right) => from(kinds).pipe(mergeMap((kind) => countOf(kind, right === 'allowed'), atOnce))),
    scan(
      (counts, [id, total]) => (total === undefined ? counts : new Map(counts).set(id, total)),
      new Map<string, number>(),
    ),
  );
}

/** Returns the number of objects; `undefined` if the API server does not say how many follow. */
function totalOf({ items, metadata: { continue: next = '', remainingItemCount } = {} }: FirstPage): number | undefined {
  const received = items?.length ?? 0;
  if (next === '') return received;
  return remainingItemCount === undefined ? undefined : received + remainingItemCount;
}
