import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
import type { ClientOfRun } from 'rx-informers/controller';
import { resourceClient, type ResourceClient, createOrUpdate } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { map, type Observable } from 'rxjs';
import { urlOf } from './desired-state.js';
import type { Website } from './website.js';

/**
 * A public list of all websites, in one ConfigMap of one namespace.
 *
 * It represents something outside the cluster (DNS, a load balancer). The garbage collector does
 * not clean it up, because it has no owner references, so a website needs a finalizer. Many runs
 * write to it concurrently, so writes conflict and are retried.
 */
export interface Directory {
  enter(website: Website): Observable<void>;
  /** Removes the entry of a website, which may be deleted. `key`: `namespace/name`. */
  remove(key: string): Observable<void>;
  /** Returns the same directory, written through the client of a run. */
  through(clientOf: ClientOfRun): Directory;
}

/** The name of the ConfigMap. */
export const directoryName = 'website-directory';

/** Returns the keys of all websites in the directory, as `namespace/name`. */
export function websitesIn({ data = {} }: ConfigMap): readonly string[] {
  return Object.keys(data).map((entry) => entry.replace('.', '/'));
}

export function directoryIn(client: KubeClient, namespace: string): Directory {
  return directoryOf(resourceClient(client, configMaps, { fieldManager: 'website-operator' }), namespace);
}

function directoryOf(configMapClient: ResourceClient<ConfigMap>, namespace: string): Directory {
  const change = (recipe: (entries: Record<string, string>) => void): Observable<void> =>
    createOrUpdate(configMapClient, { metadata: { namespace, name: directoryName } }, (draft) => {
      draft.data ??= {};
      recipe(draft.data);
    }).pipe(map(() => undefined));
  return {
    enter: (website) => change((entries) => (entries[entryOf(metaNamespaceKey(website))] = urlOf(website))),
    remove: (key) => change((entries) => delete entries[entryOf(key)]),
    through: (clientOf) => directoryOf(clientOf(configMapClient), namespace),
  };
}

/**
 * Returns a key for the ConfigMap, which must not contain a slash. Namespaces contain no dot, so
 * the key is unique for each website.
 */
function entryOf(key: string): string {
  return key.replace('/', '.');
}
