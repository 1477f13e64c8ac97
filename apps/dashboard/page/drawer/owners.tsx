import { useCallback, type ReactNode } from 'react';
import {
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  nodes,
  replicaSets,
  statefulSets,
  type KubeClient,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { useObject } from 'rx-informers/react';
import { discoverResource } from 'rx-informers/requests';
import { apiVersionOf } from 'rx-informers/resources';
import { of, type Observable } from 'rxjs';
import { PageLink } from '../address/use-page-address.js';
import { useCluster } from '../cluster/cluster.js';
import { useRequest } from '../kinds/use-request.js';
import { plainText } from '../text/text.js';
import { useOneObject } from './one-object.js';

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean | undefined;
}

/** The maximum length of a chain of owners. A longer chain is a circle. */
const longest = 6;

/** Renders the owners of an object as links, the outermost first: Deployment › ReplicaSet. */
export function Owners({ object }: { readonly object: KubernetesObject }): ReactNode {
  const owner = controllerOf(object);
  if (owner === undefined) return null;
  return (
    <ol className="owners" aria-label="Owners">
      <Owner owner={owner} namespace={object.metadata?.namespace} level={1} />
    </ol>
  );
}

/** Returns the owner that controls an object, or its first owner if none controls it. */
function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  const owners = metadata?.ownerReferences ?? [];
  return owners.find(({ controller }) => controller === true) ?? owners[0];
}

interface OwnerProps {
  readonly owner: OwnerReference;
  readonly namespace: string | undefined;
  /** The number of owners from the object to this one. */
  readonly level: number;
}

/** Renders one owner, after its own owners. An owner that may not be read ends the chain. */
function Owner({ owner, ...place }: OwnerProps): ReactNode {
  const { apiVersion, kind, name } = owner;
  const { client } = useCluster();
  const request = useCallback(() => resourceOf(client, { apiVersion, kind }), [client, apiVersion, kind]);
  const resource = useRequest(request).value;
  const text = (
    <>
      <span className="fine">{plainText(kind, 60)}</span> {plainText(name, 120)}
    </>
  );
  return resource === undefined ? <li>{text}</li> : <KnownOwner {...place} {...{ name, resource, text }} />;
}

interface KnownOwnerProps extends Omit<OwnerProps, 'owner'> {
  readonly name: string;
  readonly resource: Resource<unknown>;
  readonly text: ReactNode;
}

function KnownOwner({ name, resource, text, namespace = '', level }: KnownOwnerProps): ReactNode {
  const path = {
    resource: `${apiVersionOf(resource)}/${resource.plural}`,
    key: resource.namespaced ? `${namespace}/${name}` : name,
  };
  const object = useObject(useOneObject(path, true), path.key);
  const above = object && controllerOf(object);
  return (
    <>
      {above !== undefined && level < longest && (
        <Owner owner={above} namespace={object?.metadata?.namespace} level={level + 1} />
      )}
      <li>
        <PageLink to={{ opened: path }}>{text}</PageLink>
      </li>
    </>
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

function resourceOf(
  client: KubeClient,
  { apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>,
): Observable<Resource<unknown>> {
  const known = everyday.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  return known ? of(known) : discoverResource(client, { apiVersion, kind });
}
