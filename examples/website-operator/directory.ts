import { configMaps, type KubeClient } from 'rx-informers';
import { createOrUpdate, resourceClient } from 'rx-informers/controller';
import { map, type Observable } from 'rxjs';
import { urlOf } from './desired-state.js';
import type { Website } from './website.js';

/**
 * A list of all web sites for everybody to read: one ConfigMap in a namespace of its own.
 *
 * It stands for whatever lives outside of the cluster (DNS, a load balancer): owner references do not lead there, so the garbage
 * collector does not clean it, and the website needs a finalizer. Many write to it at once, so writes conflict, and are done again.
 */
export interface Directory {
  enter(website: Website): Observable<void>;
  remove(website: Website): Observable<void>;
}

export function directoryIn(client: KubeClient, namespace: string): Directory {
  const configMapClient = resourceClient(client, configMaps, { fieldManager: 'website-operator' });
  const change = (recipe: (entries: Record<string, string>) => void): Observable<void> =>
    createOrUpdate(configMapClient, { metadata: { namespace, name: 'website-directory' } }, (draft) => {
      draft.data ??= {};
      recipe(draft.data);
    }).pipe(map(() => undefined));
  return {
    enter: (website) => change((entries) => (entries[nameOf(website)] = urlOf(website))),
    remove: (website) => change((entries) => delete entries[nameOf(website)]),
  };
}

/** A key of a ConfigMap must not contain a slash; namespaces contain no dot, so this is the name of one website only. */
function nameOf({ metadata: { namespace, name } }: Website): string {
  return `${namespace}.${name}`;
}
