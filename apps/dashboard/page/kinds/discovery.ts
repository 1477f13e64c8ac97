import { apiVersionOf, resource, type KubeClient, type KubernetesObject, type Resource } from 'rx-informers';
import { catchError, forkJoin, map, of, switchMap, throwError, type Observable } from 'rxjs';
import { requestJson } from '../cluster/request-json.js';
import { wordsTest } from '../text/text.js';

/** An object of a kind that the page does not know. */
export type AnyObject = KubernetesObject & {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string | undefined };
};

/** A kind that the API server serves. */
export interface Kind {
  /** The resource as the path of the API names it: `apps/v1/deployments`. */
  readonly id: string;
  readonly kind: string;
  readonly resource: Resource<AnyObject>;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
}

/** The result of discovery. */
export interface Discovery {
  readonly kinds: readonly Kind[];
  /** Groups that do not respond, for example because their aggregated API server is down. */
  readonly unavailable: readonly string[];
}

const aggregated = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);
const accept = [...aggregated, 'application/json'].join(',');

/**
 * Requests the kinds that the API server serves, each in the preferred version of its group. This
 * takes two requests if the API server has aggregated discovery (Kubernetes 1.27 and later).
 * Otherwise it takes one more request for each group.
 */
export function discoverKinds(client: KubeClient): Observable<Discovery> {
  const ask = (path: string): Observable<unknown> =>
    requestJson<unknown>(client, { method: 'GET', path, headers: { accept } });
  return forkJoin([ask('/api'), ask('/apis')]).pipe(
    switchMap(([core, groups]) => {
      const parts = [...partsOf(core), ...partsOf(groups)];
      if (parts.length === 0) return throwError(() => new Error('the API server reports no kinds'));
      return forkJoin(
        parts.map((part) =>
          'resources' in part
            ? of(part)
            : ask(part.path).pipe(
                map((list) => ({ groupVersion: part.groupVersion, resources: resourcesOf(list), isDown: false })),
                catchError(() => of({ groupVersion: part.groupVersion, resources: [], isDown: true })),
              ),
        ),
      );
    }),
    map((parts) => ({
      kinds: parts.flatMap(({ groupVersion, resources }) => resources.flatMap((each) => kindOf(groupVersion, each))),
      unavailable: [...new Set(parts.filter(({ isDown }) => isDown).map(({ groupVersion: { group } }) => group))],
    })),
  );
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

interface Served {
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}

/** The kinds of a group, or the path that returns them. */
type Part =
  | { readonly groupVersion: GroupVersion; readonly resources: readonly Served[]; readonly isDown: boolean }
  | { readonly groupVersion: GroupVersion; readonly path: string };

/**
 * Reads an `APIGroupDiscoveryList`, `APIVersions` or `APIGroupList`. Returns no parts for any other
 * document.
 */
function partsOf(document: unknown): readonly Part[] {
  const { kind, items, groups, versions } = fieldsOf(document);
  if (kind === 'APIGroupDiscoveryList') return listOf(items).flatMap(aggregatedPart);
  if (kind === 'APIVersions') {
    const [version] = listOf(versions);
    return typeof version === 'string' ? [{ groupVersion: { group: '', version }, path: `/api/${version}` }] : [];
  }
  return listOf(groups).flatMap((each) => {
    const { name, preferredVersion } = fieldsOf(each);
    const { version } = fieldsOf(preferredVersion);
    if (typeof name !== 'string' || typeof version !== 'string') return [];
    return [{ groupVersion: { group: name, version }, path: `/apis/${name}/${version}` }];
  });
}

function aggregatedPart(item: unknown): readonly Part[] {
  const { metadata, versions } = fieldsOf(item);
  const { name: group = '' } = fieldsOf(metadata);
  // Takes each kind in the first version that has it. The versions come in order of preference.
  const known = new Set<string>();
  return listOf(versions).flatMap((each) => {
    const { version, resources, freshness } = fieldsOf(each);
    if (typeof version !== 'string' || typeof group !== 'string') return [];
    const served = listOf(resources)
      .map(aggregatedResource)
      .filter(({ plural }) => !known.has(plural));
    for (const { plural } of served) known.add(plural);
    return [
      { groupVersion: { group, version }, resources: served, isDown: freshness === 'Stale' && served.length === 0 },
    ];
  });
}

function aggregatedResource(each: unknown): Served {
  const fields = fieldsOf(each);
  return {
    plural: textOf(fields['resource']),
    kind: textOf(fieldsOf(fields['responseKind'])['kind']),
    isNamespaced: fields['scope'] === 'Namespaced',
    verbs: listOf(fields['verbs']).map(textOf),
    shortNames: listOf(fields['shortNames']).map(textOf),
  };
}

/** Reads an `APIResourceList`. */
function resourcesOf(document: unknown): readonly Served[] {
  return listOf(fieldsOf(document)['resources']).map((each) => {
    const fields = fieldsOf(each);
    return {
      plural: textOf(fields['name']),
      kind: textOf(fields['kind']),
      isNamespaced: fields['namespaced'] === true,
      verbs: listOf(fields['verbs']).map(textOf),
      shortNames: listOf(fields['shortNames']).map(textOf),
    };
  });
}

function kindOf(
  groupVersion: GroupVersion,
  { plural, kind, isNamespaced, verbs, shortNames }: Served,
): readonly Kind[] {
  if (plural.includes('/') || !verbs.includes('list') || !verbs.includes('watch')) return [];
  try {
    const described = resource<AnyObject>({ ...groupVersion, plural, kind, namespaced: isNamespaced });
    return [{ id: `${apiVersionOf(groupVersion)}/${plural}`, kind, resource: described, shortNames, verbs }];
  } catch {
    // A resource without a valid path cannot be shown.
    return [];
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
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
