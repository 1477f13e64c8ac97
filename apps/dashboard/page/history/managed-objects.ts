import { useMemo } from 'react';
import { informer, resource as describe, type KubeClient, type KubernetesObject, type Query } from 'rx-informers';
import { useQuery } from 'rx-informers/react';
import type { ManagedFieldsEntry } from 'rx-informers/resources';
import type { Opened } from '../address/page-address.js';
import { useCluster } from '../cluster/cluster.js';
import { onUnobservedError } from '../cluster/informers.js';
import { nameSelector } from '../cluster/name-selector.js';
import { historyOf } from './recordings.js';

/**
 * The managed fields of an object by resourceVersion: of its version when it was opened, and of all
 * later versions.
 */
export type ManagedVersions = ReadonlyMap<string, readonly ManagedFieldsEntry[]>;

/**
 * Watches one object with its managed fields. The page's informers drop managed fields, because
 * they are a third of the memory. So the writers of an object are known only since it was opened.
 */
export function useManagedVersions({ resource, key }: Pick<Opened, 'resource' | 'key'>): ManagedVersions {
  const { client } = useCluster();
  const watched = useMemo(() => managedObject(client, resource, key), [client, resource, key]);
  return useQuery(watched.collection, watched.query);
}

function managedObject(client: KubeClient, path: string, key: string) {
  const [plural = '', version = '', group = ''] = path.split('/').reverse();
  const slash = key.indexOf('/');
  const kind = describe<KubernetesObject>({ group, version, plural, namespaced: slash !== -1 });
  const collection = informer(client, kind, {
    onUnobservedError,
    fieldSelector: nameSelector(key.slice(slash + 1)),
    ...(slash === -1 ? {} : { namespace: key.slice(0, slash) }),
    // Requests only metadata, also for a Secret: its content stays on the server.
    metadataOnly: true,
    // Listing one object is cheap, and servers before 1.27 refuse streaming lists.
    initialList: 'pages',
    transform: ({ metadata }: KubernetesObject): KubernetesObject => ({ metadata: metadata ?? {} }),
  });
  const recorded = historyOf(collection);
  const query: Query<KubernetesObject, ManagedVersions> = {
    footprint: { type: 'keys', keys: [key] },
    read: (snapshot) => {
      const objects = recorded
        .changesOf(key)
        .flatMap(({ changes }) =>
          changes.flatMap((change) => (change.type === 'updated' ? [change.previous, change.object] : [change.object])),
        );
      return new Map([...objects, snapshot.get(key)].map((object) => fieldsOf(object)));
    },
    isEqual: (a, b) => a.size === b.size && [...a.keys()].at(-1) === [...b.keys()].at(-1),
  };
  return { collection, query };
}

function fieldsOf(
  object: KubernetesObject | undefined,
): readonly [version: string, fields: readonly ManagedFieldsEntry[]] {
  const { resourceVersion = '', managedFields = [] } = object?.metadata ?? {};
  return [resourceVersion, managedFields];
}
