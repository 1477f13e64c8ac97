import type { Catalog } from '../resources/catalog.js';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.js';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** The documents by which clients find out what is served. */
export function coreVersions(): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

export function groupList(catalog: Catalog): object {
  const groups = [...catalog.groups().keys()].map((group) => describeGroup(catalog, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

export function groupDocument(catalog: Catalog, group: string): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(catalog, group) };
}

export function resourceList(catalog: Catalog, group: string, version: string): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: catalog.inGroupVersion(group, version).flatMap(describeResource),
  };
}

function describeGroup(catalog: Catalog, name: string): object {
  const versions = (catalog.groups().get(name) ?? []).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function describeResource(resource: ServedResource): readonly object[] {
  const { plural, singular, kind, namespaced, shortNames, categories } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: allVerbs,
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
