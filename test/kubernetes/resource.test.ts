import { expectTypeOf } from 'expect-type';
import fc from 'fast-check';
import { nodes, pods, deployments, resource, type Resource } from 'rx-informers';
import { resourcePath, type ResourcePathOptions } from 'rx-informers/client';
import { apiVersionOf, compareResourceVersions, type ResourceDefinition, clusterRoles } from 'rx-informers/resources';
import { formatMicroTime, parseMicroTime } from '../../src/kubernetes/object.js';
import { groupVersionPath } from '../../src/kubernetes/resource-path.js';
import { parseApiVersion } from '../../src/kubernetes/resource.js';
import { errorWith } from '../support/error-with.js';

describe('apiVersionOf and parseApiVersion', () => {
  it.each([
    ['v1', { group: '', version: 'v1' }],
    ['apps/v1', { group: 'apps', version: 'v1' }],
    ['resource.k8s.io/v1beta2', { group: 'resource.k8s.io', version: 'v1beta2' }],
  ])('are inverse to each other: %s', (apiVersion, groupVersion) => {
    expect(parseApiVersion(apiVersion)).toEqual(groupVersion);
    expect(apiVersionOf(groupVersion)).toBe(apiVersion);
  });

  it.each(['', '/', '/v1', 'apps/', 'apps/v1/deployments', 'Apps/v1', '../v1', 'v1?watch=1', 'apps/..'])(
    'refuse %j, which is not an apiVersion',
    (apiVersion) => {
      const parse = (): unknown => parseApiVersion(apiVersion);
      expect(parse).toThrow(errorWith('RXI_INVALID_API_VERSION'));
      expect(parse).toThrow(JSON.stringify(apiVersion));
    },
  );
});

const sign = (order: number | undefined): number | undefined => (order === undefined ? undefined : Math.sign(order));

describe('compareResourceVersions', () => {
  it.each([
    ['1', '1', 0],
    ['1', '2', -1],
    ['10', '9', 1],
    ['99999999999999999999999999999999999999', '100000000000000000000000000000000000000', -1],
    ['9007199254740993', '9007199254740992', 1],
    ['v1', 'v1', 0],
    ['v1', 'v2', undefined],
    ['1', 'v2', undefined],
    ['01', '1', undefined],
    ['0', '1', undefined],
    ['-1', '1', undefined],
    ['1.5', '1', undefined],
    ['1e3', '1', undefined],
    ['٣', '1', undefined],
    ['', '', undefined],
    ['', '1', undefined],
  ])('compares %j with %j as integers of any length, or for equality only (KEP-5504)', (one, other, expected) => {
    expect(sign(compareResourceVersions(one, other))).toBe(expected);
    expect(sign(compareResourceVersions(other, one))).toBe(
      expected === undefined ? undefined : Math.sign(0 - expected) + 0,
    );
  });

  it('orders as integers are ordered', () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 128n });
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(sign(compareResourceVersions(String(one), String(other)))).toBe(
          one === other ? 0 : one < other ? -1 : 1,
        );
      }),
    );
  });
});

describe('MicroTime', () => {
  it('has six fraction digits, in UTC', () => {
    expect(formatMicroTime(0)).toBe('1970-01-01T00:00:00.000000Z');
    expect(formatMicroTime(1_767_225_599_007)).toBe('2025-12-31T23:59:59.007000Z');
  });

  it('a MicroTime is parsed as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (time) => {
        expect(parseMicroTime(formatMicroTime(time))).toBe(time);
      }),
    );
  });

  it.each([
    ['2025-12-31T23:59:59.123456Z', 1_767_225_599_123],
    ['2025-12-31T23:59:59Z', 1_767_225_599_000],
    ['2026-01-01T01:59:59.5+02:00', 1_767_225_599_500],
  ])('parses the MicroTime %s', (text, time) => {
    expect(parseMicroTime(text)).toBe(time);
  });

  it.each(['', 'yesterday', '2025-12-31', '2025-13-31T00:00:00Z', '2025-12-31T23:59:59', '1767225599'])(
    'returns undefined for %p',
    (text) => {
      expect(parseMicroTime(text)).toBeUndefined();
    },
  );
});

describe('resourcePath', () => {
  it.each([
    [pods, {}, '/api/v1/pods'],
    [pods, { namespace: '' }, '/api/v1/pods'],
    [pods, { namespace: 'web' }, '/api/v1/namespaces/web/pods'],
    [pods, { namespace: 'web', name: 'a' }, '/api/v1/namespaces/web/pods/a'],
    [pods, { namespace: 'web', name: 'a', subresource: 'status' }, '/api/v1/namespaces/web/pods/a/status'],
    [deployments, {}, '/apis/apps/v1/deployments'],
    [deployments, { namespace: 'web', name: 'shop' }, '/apis/apps/v1/namespaces/web/deployments/shop'],
    [nodes, {}, '/api/v1/nodes'],
    [nodes, { namespace: '' }, '/api/v1/nodes'],
    [nodes, { name: 'worker-1', subresource: 'status' }, '/api/v1/nodes/worker-1/status'],
    [clusterRoles, { name: 'system:node' }, '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode'],
  ])('the path of %j with %j is %s', (resource, options, path) => {
    expect(resourcePath(resource, options)).toBe(path);
  });

  it.each<[string, typeof pods | typeof nodes, ResourcePathOptions, RegExp]>([
    ['a namespace for a cluster-scoped resource', nodes, { namespace: 'web' }, /cluster-scoped/],
    ['a name without its namespace', pods, { name: 'a' }, /pass the namespace of the object/],
    ['a name in all namespaces', pods, { namespace: '', name: 'a' }, /pass the namespace of the object/],
    ['a subresource of a whole collection', pods, { namespace: 'web', subresource: 'status' }, /one object/],
    ['an empty name', nodes, { name: '' }, /name ""/],
    ['an empty subresource', nodes, { name: 'a', subresource: '' }, /subresource ""/],
    ['a name that contains a path', nodes, { name: '..' }, /name "\.\."/],
    ['a name with a slash', nodes, { name: 'a/status' }, /name "a\/status"/],
    ['a name that is already encoded', nodes, { name: 'a%2Fb' }, /name "a%2Fb"/],
    ['a namespace with a slash', pods, { namespace: 'web/pods' }, /namespace "web\/pods"/],
  ])('refuses %s and names the resource', (_, resource, options, message) => {
    const build = (): unknown => resourcePath(resource, options);
    expect(build).toThrow(errorWith('RXI_RESOURCE_PATH'));
    expect(build).toThrow(message);
    expect(build).toThrow(expect.objectContaining({ resource, options }));
  });
});

describe('groupVersionPath', () => {
  it('is /api/v1 for the core group and /apis/… for every other group', () => {
    expect(groupVersionPath(pods)).toBe('/api/v1');
    expect(groupVersionPath(deployments)).toBe('/apis/apps/v1');
  });
});

interface Gadget {
  readonly spec: { readonly size: number };
}

const gadgets: ResourceDefinition = {
  group: 'example.com',
  version: 'v1',
  plural: 'gadgets',
  namespaced: true,
  kind: 'Gadget',
};

describe('resource', () => {
  it('describes a custom resource and carries the type of its objects', () => {
    const described = resource<Gadget>(gadgets);
    expect(described).toEqual(gadgets);
    expectTypeOf(described).toEqualTypeOf<Resource<Gadget>>();
  });

  it('leaves the kind out if none is given', () => {
    expect(resource({ group: '', version: 'v1', plural: 'pods', namespaced: true })).not.toHaveProperty('kind');
  });

  it('returns a frozen descriptor that is not the object it was given', () => {
    const described = resource<Gadget>(gadgets);
    expect(described).not.toBe(gadgets);
    expect(Object.isFrozen(described)).toBe(true);
  });

  it.each<[string, Partial<Record<keyof ResourceDefinition, unknown>>, RegExp]>([
    ['an empty plural', { plural: '' }, /plural/],
    ['a plural in camel case', { plural: 'gadgetParts' }, /lower-case plural/],
    ['a kind in place of the plural', { plural: 'Gadget' }, /lower-case plural/],
    ['a plural with a slash', { plural: 'gadgets/status' }, /plural/],
    ['no plural', { plural: undefined }, /plural/],
    ['an empty version', { version: '' }, /version/],
    ['an apiVersion in place of the version', { version: 'example.com/v1' }, /without the group/],
    ['an apiVersion in place of the group', { group: 'example.com/v1' }, /without the version/],
    ['a group that contains a path', { group: '..' }, /group/],
    ['the name core for the core group', { group: 'core' }, /''/],
    ['no group', { group: undefined }, /''/],
    ['no scope', { namespaced: undefined }, /namespaced/],
    ['a kind in lower case', { kind: 'gadget' }, /kind/],
    ['an empty kind', { kind: '' }, /kind/],
  ])('refuses %s and explains the problem', (_, wrong, message) => {
    const definition = { ...gadgets, ...wrong } as ResourceDefinition;
    const describe = (): unknown => resource(definition);
    expect(describe).toThrow(errorWith('RXI_INVALID_RESOURCE'));
    expect(describe).toThrow(message);
    expect(describe).toThrow(expect.objectContaining({ definition }));
  });
});
