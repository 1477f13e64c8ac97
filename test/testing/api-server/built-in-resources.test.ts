import type { Resource } from 'rx-informers';
import * as resources from 'rx-informers/resources';
import { anyObject, createInMemoryApiServer } from 'rx-informers/testing';
import { builtInKinds } from '../../../src/testing/api-server/resources/built-in-kinds.js';

const stable = (Object.values(resources) as readonly Resource<unknown>[]).filter(({ version }) =>
  /^v\d+$/.test(version),
);

describe('the kinds that the embedded API server serves', () => {
  it.each(stable.map((resource) => [`${resource.group}/${resource.version} ${resource.plural}`, resource] as const))(
    'have every stable descriptor: %s',
    (_name, resource) => {
      const served = builtInKinds.find(
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
    const server = createInMemoryApiServer({ resources: [widgets, resources.pods] });
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
