import type { KubeClient, KubernetesObject, Resource } from 'rx-informers';
import { discover$, type ServedKind } from 'rx-informers/requests';
import { apiVersionOf } from 'rx-informers/resources';
import { map, take, type Observable } from 'rxjs';
import { wordsTest } from '../text/text.js';

/** An object of a kind that the page does not know. */
export type AnyObject = KubernetesObject & {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string | undefined };
};

/** A kind that the API server serves. */
export interface Kind extends ServedKind {
  /** The resource as the path of the API names it: `apps/v1/deployments`. */
  readonly id: string;
  readonly kind: string;
  readonly resource: Resource<AnyObject>;
}

/** The kinds that can be shown, and the groups that do not respond. */
export interface Kinds {
  readonly kinds: readonly Kind[];
  readonly unavailable: readonly string[];
}

/**
 * Requests the kinds once. The page repeats this on a clock, because the watches of `discover$`
 * would need two of the six connections that a browser opens with HTTP/1.1.
 */
export function requestKinds(client: KubeClient): Observable<Kinds> {
  return discover$(client).pipe(
    take(1),
    map(({ kinds, unavailable }) => ({
      kinds: kinds.map(({ resource, ...rest }) => ({
        ...rest,
        id: `${apiVersionOf(resource)}/${resource.plural}`,
        kind: resource.kind ?? resource.plural,
        resource: resource as Resource<AnyObject>,
      })),
      unavailable,
    })),
  );
}

/** The kinds of one group in the list. */
export interface KindGroup {
  readonly title: string;
  readonly isCustom: boolean;
  readonly kinds: readonly Kind[];
}

/** The groups of Kubernetes that are used most. They come first in the list, in this order. */
const everyday = ['', 'apps', 'batch', 'networking.k8s.io', 'storage.k8s.io', 'rbac.authorization.k8s.io'];

/**
 * Returns the kinds by group: the most used groups of Kubernetes first, then groups of
 * CustomResourceDefinitions, then all others. The most used groups keep the order of `everyday`.
 * All other groups, and the kinds of each group, are sorted by name.
 */
export function kindGroups(kinds: readonly Kind[], search: string): readonly KindGroup[] {
  const hasWords = wordsTest(search);
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) {
    if (hasWords?.(`${kind.id} ${kind.kind} ${kind.shortNames.join(' ')}`) === false) continue;
    const { group } = kind.resource;
    groups.set(group, [...(groups.get(group) ?? []), kind]);
  }
  return [...groups]
    .sort(([a], [b]) => rankOf(a) - rankOf(b) || a.localeCompare(b))
    .map(([group, members]) => ({
      title: group === '' ? 'core' : group,
      isCustom: isCustom(group),
      kinds: members.sort((a, b) => a.kind.localeCompare(b.kind)),
    }));
}

function rankOf(group: string): number {
  const rank = everyday.indexOf(group);
  return rank !== -1 ? rank : isCustom(group) ? everyday.length : everyday.length + 1;
}

/**
 * The groups of Kubernetes itself that have a dot, without `.k8s.io`. Other groups with this ending
 * come from CustomResourceDefinitions: `gateway.networking.k8s.io`.
 */
const ownGroups: ReadonlySet<string> = new Set([
  'admissionregistration',
  'apiextensions',
  'apiregistration',
  'authentication',
  'authorization',
  'certificates',
  'coordination',
  'discovery',
  'events',
  'flowcontrol.apiserver',
  'internal.apiserver',
  'metrics',
  'networking',
  'node',
  'rbac.authorization',
  'resource',
  'scheduling',
  'storage',
  'storagemigration',
]);

/** Returns whether a group is custom, that is, not one of Kubernetes itself. */
export function isCustom(group: string): boolean {
  return group.includes('.') && !ownGroups.has(group.replace(/\.k8s\.io$/, ''));
}
