import { catchError, defer, map, throwError, type Observable } from 'rxjs';
import { RxInformersError } from '../kubernetes/errors.js';
import type { AnyKubernetesObject, KubernetesObject } from '../kubernetes/object.js';
import { groupVersionPath } from '../kubernetes/resource-path.js';
import { parseApiVersion, resource, type Resource } from '../kubernetes/resource.js';
import { requestJson, type KubeClient } from '../sources/client/kube-client.js';
import { StatusError, responseError } from '../sources/model/errors.js';

/** The apiVersion and the kind, as an object states them. */
export interface KindReference {
  /** The apiVersion, for example `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The kind, for example `Deployment`. */
  readonly kind: string;
}

/**
 * Reads the descriptor of a kind from the API server, for kinds without a ready descriptor.
 *
 * Cold: every subscription sends one request (`GET /apis/<group>/<version>`), emits one descriptor
 * and completes.
 *
 * **Errors**: `RXI_INVALID_API_VERSION`; `RXI_UNKNOWN_KIND` if the API server has no such kind;
 * `RXI_UNWATCHABLE_KIND` if the kind cannot be listed and watched; `RXI_RESPONSE` if the response
 * is not a list of resources. Errors of the client (`StatusError`, `RXI_CONNECTION`,
 * `RXI_CREDENTIALS`) are passed on.
 * **Guarantees**: unsubscribing aborts the request (G8).
 * **Does not guarantee**: that the kind still exists later. `discoverResource` does not retry, and
 * does not notice a CRD that is installed later.
 *
 * @typeParam T the type of the objects, which discovery cannot know
 * @param client the connection to the API server
 * @param reference the apiVersion and the kind
 * @returns an Observable of one descriptor
 * @example
 * import { listWatch, type KubeClient } from 'rx-informers';
 * import { discoverResource } from 'rx-informers/requests';
 * import { switchMap } from 'rxjs';
 *
 * declare const client: KubeClient;
 *
 * discoverResource(client, { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' })
 *   .pipe(switchMap((certificates) => listWatch(client, certificates)))
 *   .subscribe((events) => console.log(events));
 */
export function discoverResource<T extends AnyKubernetesObject = KubernetesObject>(
  client: KubeClient,
  reference: KindReference,
): Observable<Resource<T>> {
  return defer(() => {
    const path = groupVersionPath(parseApiVersion(reference.apiVersion));
    return requestJson(client, { method: 'GET', path }).pipe(
      map((document) => findResource<T>(readResources(document, path), reference)),
      catchError((error: unknown) =>
        throwError(() => (isNotFound(error) ? unknownKindError(reference, [], { cause: error }) : error)),
      ),
    );
  });
}

function unknownKindError(
  reference: KindReference,
  known: readonly string[],
  options?: ErrorOptions,
): RxInformersError<'RXI_UNKNOWN_KIND'> {
  const { apiVersion, kind } = reference;
  return new RxInformersError(
    'RXI_UNKNOWN_KIND',
    known.length > 0
      ? `there is no kind ${kind} in ${apiVersion}; known kinds: ${known.join(', ')}`
      : `there is no kind ${kind}, because the API server does not serve ${apiVersion}`,
    { reference, known, ...options },
  );
}

function unwatchableKindError(
  reference: KindReference,
  verbs: readonly string[],
): RxInformersError<'RXI_UNWATCHABLE_KIND'> {
  const message = `${reference.kind} of ${reference.apiVersion} cannot be listed and watched; its verbs are ${verbs.join(', ')}`;
  return new RxInformersError('RXI_UNWATCHABLE_KIND', message, { reference, verbs });
}

/** The fields that are read of one entry of an `APIResourceList` (meta/v1). */
interface ApiResource {
  /** The plural. A name that contains a slash is a subresource. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

function readResources(document: unknown, path: string): readonly ApiResource[] {
  const resources = (document as { readonly resources?: unknown } | null)?.resources;
  if (Array.isArray(resources) && resources.every(isApiResource))
    return resources.filter(({ name }) => !name.includes('/'));
  throw responseError({ method: 'GET', url: path }, 'the response is not an APIResourceList', JSON.stringify(document));
}

function findResource<T>(resources: readonly ApiResource[], reference: KindReference): Resource<T> {
  const { apiVersion, kind } = reference;
  const candidates = resources.filter((candidate) => candidate.kind === kind);
  const [first] = candidates;
  if (first === undefined) throw unknownKindError(reference, [...new Set(resources.map((known) => known.kind))].sort());
  const found = candidates.find(isWatchable);
  if (found === undefined) throw unwatchableKindError(reference, first.verbs);
  return resource<T>({ ...parseApiVersion(apiVersion), plural: found.name, kind, namespaced: found.namespaced });
}

function isWatchable({ verbs }: ApiResource): boolean {
  return verbs.includes('list') && verbs.includes('watch');
}

function isNotFound(error: unknown): boolean {
  return error instanceof StatusError && error.statusCode === 404;
}

function isApiResource(value: unknown): value is ApiResource {
  const { name, kind, namespaced, verbs } = (value ?? {}) as Partial<Record<keyof ApiResource, unknown>>;
  return (
    typeof name === 'string' && typeof kind === 'string' && typeof namespaced === 'boolean' && Array.isArray(verbs)
  );
}
