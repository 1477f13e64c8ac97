import type { Collection, Deployment, KubernetesObject, Pod, ReplicaSet, Service } from 'rx-informers';
import * as derived from 'rx-informers/derived';

interface Kinds extends Readonly<Record<string, Collection<KubernetesObject>>> {
  readonly deployments: Collection<Deployment>;
  readonly services: Collection<Service>;
  readonly replicaSets: Collection<ReplicaSet>;
  readonly pods: Collection<Pod>;
}

/** A tree: below each Helm release, its objects, and below these the objects that they own. */
export function helmReleases(kinds: Kinds) {
  const all = derived.union(kinds);
  const named = derived.distinct(all, ({ object }) => releaseOf(object));
  // A release is no object of the API server, so it gets a uid here.
  const releases = derived.map(named, ({ value }) => ({ metadata: { name: value, uid: `helm:${value}` } }));
  return derived.ownerTree(
    { ...kinds, releases },
    {
      parentOf: ({ object }) => {
        const release = releaseOf(object);
        return release === undefined ? undefined : `helm:${release}`;
      },
    },
  );
}

function releaseOf({ metadata }: Pick<KubernetesObject, 'metadata'>): string | undefined {
  const { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace } =
    metadata?.annotations ?? {};
  // A ReplicaSet has the annotations of its Deployment, but belongs to the Deployment.
  const isOwned = metadata?.ownerReferences !== undefined;
  return name === undefined || isOwned ? undefined : `${namespace}/${name}`;
}
