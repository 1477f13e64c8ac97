import { type Catalog, servedApiVersion, type ServedResource } from '../resources/catalog.js';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const computedVerbs = ['get', 'list'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Returns the discovery document that lists the versions of the core group. */
export function coreVersions(): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

export function groupList(catalog: Catalog): object {
  const groups = [...catalog.groups().keys()].map((group) => describeGroup(catalog, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

export function resourceList(catalog: Catalog, group: string, version: string): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: servedApiVersion({ group, version }),
    resources: catalog.inGroupVersion(group, version).flatMap(describeResource),
  };
}

export function describeGroup(catalog: Catalog, name: string): object {
  const versions = (catalog.groups().get(name) ?? []).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function verbsOf({ isComputed }: ServedResource): readonly string[] {
  return isComputed ? computedVerbs : allVerbs;
}

function describeResource(resource: ServedResource): readonly object[] {
  const { plural, singular, kind, namespaced, shortNames, categories } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(resource),
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
    },
    ...(resource.hasStatus
      ? [{ name: `${plural}/status`, singularName: '', namespaced, kind, verbs: subresourceVerbs }]
      : []),
    ...(resource.scale
      ? [
          {
            name: `${plural}/scale`,
            singularName: '',
            namespaced,
            group: 'autoscaling',
            version: 'v1',
            kind: 'Scale',
            verbs: subresourceVerbs,
          },
        ]
      : []),
  ];
}

export const versionDocument = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+rx-informers',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};

/** The version of aggregated discovery that is preferred; `undefined` for the old documents. */
export function aggregatedVersion(accept: string | undefined): 'v2' | 'v2beta1' | undefined {
  for (const range of (accept ?? '').split(',').map((part) => part.replaceAll(' ', ''))) {
    if (range === 'application/json' || range === '*/*') return undefined;
    if (!range.startsWith('application/json;') || !range.includes('as=APIGroupDiscoveryList')) continue;
    if (range.includes('v=v2beta1')) return 'v2beta1';
    if (range.includes('v=v2')) return 'v2';
  }
  return undefined;
}

/** Returns one document with all served resources: of the core group, or of all other groups. */
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
        resources: catalog.inGroupVersion(group, groupVersion).map(apiResource),
        freshness: 'Current',
      })),
    })),
  };
}

function apiResource(resource: ServedResource): object {
  const { plural, singular, kind, namespaced, shortNames, categories } = resource;
  // An empty group or version means the group or version of the surrounding list.
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
    verbs: verbsOf(resource),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
