import type { Catalog } from '../resources/catalog.js';
import type { ServedResource } from '../resources/served-resource.js';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** The version of aggregated discovery that an `Accept` header asks for first; undefined where it wants the old documents. */
export function aggregatedVersion(accept: string | undefined): 'v2' | 'v2beta1' | undefined {
  for (const range of (accept ?? '').split(',').map((part) => part.replaceAll(' ', ''))) {
    if (range === 'application/json' || range === '*/*') return undefined;
    if (!range.startsWith('application/json;') || !range.includes('as=APIGroupDiscoveryList')) continue;
    if (range.includes('v=v2beta1')) return 'v2beta1';
    if (range.includes('v=v2')) return 'v2';
  }
  return undefined;
}

export function aggregatedContentType(version: string): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

/** Everything that is served, in one document: the core group, or all the others. */
export function aggregatedDiscovery(catalog: Catalog, of: 'core-versions' | 'groups', version: string): object {
  const groups = of === 'groups' ? [...catalog.groups()] : ([['', ['v1']]] as const);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((groupVersion) => ({
        version: groupVersion,
        resources: catalog.inGroupVersion(group, groupVersion).map(describe),
        freshness: 'Current',
      })),
    })),
  };
}

function describe(resource: ServedResource): object {
  const { plural, singular, kind, namespaced, shortNames, categories } = resource;
  // Empty: those of the list that it is in.
  const responseKind = { group: '', version: '', kind };
  const subresources = [
    ...(resource.scale
      ? [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: subresourceVerbs,
          },
        ]
      : []),
    ...(resource.hasStatus ? [{ subresource: 'status', responseKind, verbs: subresourceVerbs }] : []),
  ];
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: allVerbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
