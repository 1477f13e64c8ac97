import type { Resource } from 'rx-informers';
import * as admissionregistration from '../../../src/kubernetes/resources/admissionregistration.js';
import * as apiextensions from '../../../src/kubernetes/resources/apiextensions.js';
import * as apps from '../../../src/kubernetes/resources/apps.js';
import * as autoscaling from '../../../src/kubernetes/resources/autoscaling.js';
import * as batch from '../../../src/kubernetes/resources/batch.js';
import * as coordination from '../../../src/kubernetes/resources/coordination.js';
import * as core from '../../../src/kubernetes/resources/core.js';
import * as discovery from '../../../src/kubernetes/resources/discovery.js';
import * as networking from '../../../src/kubernetes/resources/networking.js';
import * as policy from '../../../src/kubernetes/resources/policy.js';
import * as rbac from '../../../src/kubernetes/resources/rbac.js';
import * as scheduling from '../../../src/kubernetes/resources/scheduling.js';
import * as storage from '../../../src/kubernetes/resources/storage.js';
import { builtInResources } from '../../../src/testing/api-server/resources/built-in-resources.js';
import { anyObject, createInMemoryApiServer } from 'rx-informers/testing';

const groups = [
  admissionregistration,
  apiextensions,
  apps,
  autoscaling,
  batch,
  coordination,
  core,
  discovery,
  networking,
  policy,
  rbac,
  scheduling,
  storage,
];
const stable: readonly Resource<unknown>[] = groups
  .flatMap((group) => Object.values(group) as readonly Resource<unknown>[])
  .filter(({ version }) => /^v\d+$/.test(version));

describe('the built-in resources', () => {
  it.each(stable.map((resource) => [`${resource.group}/${resource.version} ${resource.plural}`, resource] as const))(
    'serve %s',
    (_name, resource) => {
      const served = builtInResources.find(
        ({ group, version, plural }) =>
          group === resource.group && version === resource.version && plural === resource.plural,
      );
      expect(served).toMatchObject({ kind: resource.kind, namespaced: resource.namespaced });
    },
  );

  it('can be extended by any descriptor', () => {
    const widgets: Resource<unknown> = {
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    };
    const server = createInMemoryApiServer({ resources: [widgets, core.pods] });
    const [widget] = server.apply(anyObject(widgets, { name: 'w' }));
    expect(widget?.metadata.resourceVersion).toBe(server.resourceVersion);
    expect(server.objects.list(widgets)).toHaveLength(1);
  });

  it('say what they do not know', () => {
    expect(() => createInMemoryApiServer().apply({ apiVersion: 'x/v1', kind: 'Y', metadata: { name: 'z' } })).toThrow(
      'no matches for kind "Y" in version "x/v1"',
    );
    expect(() => createInMemoryApiServer().apply('just text')).toThrow(
      'server.apply takes objects with apiVersion, kind and metadata.name',
    );
  });
});
