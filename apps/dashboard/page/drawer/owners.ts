import {
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  nodes,
  replicaSets,
  statefulSets,
  type KubeClient,
  type Resource,
} from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { discoverResource, requestJson } from 'rx-informers/requests';
import { apiVersionOf } from 'rx-informers/resources';
import { catchError, EMPTY, expand, map, of, scan, switchMap, take, type Observable } from 'rxjs';

/** One owner of an object, with the resource and key that open it on the page. */
export interface OwnerLink {
  readonly kind: string;
  readonly name: string;
  /** The resource as an address names it: `apps/v1/replicasets`. */
  readonly resource: string;
  readonly key: string;
}

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean | undefined;
}

/** The fields of an object that are needed to find its owner. */
export interface Owned {
  readonly metadata?:
    | { readonly namespace?: string | undefined; readonly ownerReferences?: readonly OwnerReference[] | undefined }
    | undefined;
}

/** The maximum length of a chain of owners. A longer chain is a circle. */
const longest = 6;

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Returns the owner that controls an object, or its first owner if none controls it. */
export function controllerOf({ metadata }: Owned): OwnerReference | undefined {
  const owners = metadata?.ownerReferences ?? [];
  return owners.find(({ controller }) => controller === true) ?? owners[0];
}

/**
 * Emits the owners of an object, the nearest first, and emits again with each further owner: Pod,
 * ReplicaSet, Deployment.
 *
 * Reads the metadata of each owner once. An owner that may not be read ends the chain.
 */
export function ownerChain(client: KubeClient, object: Owned): Observable<readonly OwnerLink[]> {
  const namespace = object.metadata?.namespace ?? '';
  const link = (owned: Owned): Observable<{ readonly link: OwnerLink; readonly path: string }> => {
    const owner = controllerOf(owned);
    if (!owner) return EMPTY;
    return resourceOf(client, owner).pipe(
      map((resource) => ({
        link: {
          kind: owner.kind,
          name: owner.name,
          resource: resourceText(resource),
          key: resource.namespaced ? `${namespace}/${owner.name}` : owner.name,
        },
        path: resourcePath(resource, resource.namespaced ? { namespace, name: owner.name } : { name: owner.name }),
      })),
    );
  };
  return link(object).pipe(
    expand(({ path }) =>
      requestJson<Owned>(client, { method: 'GET', path, headers: { accept: metadataOnly } }).pipe(switchMap(link)),
    ),
    take(longest),
    catchError(() => EMPTY),
    scan((owners: readonly OwnerLink[], found) => [...owners, found.link], []),
  );
}

/** The kinds of most owners. They need no discovery. */
const everyday: readonly Resource<unknown>[] = [
  replicaSets,
  deployments,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  nodes,
];

function resourceOf(client: KubeClient, { apiVersion, kind }: OwnerReference): Observable<Resource<unknown>> {
  const known = everyday.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  return known ? of(known) : discoverResource(client, { apiVersion, kind });
}

/** Returns a resource as an address names it: `v1/pods`, `apps/v1/deployments`. */
export function resourceText(resource: Resource<unknown>): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
