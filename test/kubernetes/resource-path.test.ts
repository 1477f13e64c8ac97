import { resourcePath, ResourcePathError, type ResourcePathOptions, nodes, pods, deployments } from 'rx-informers';
import { clusterRoles } from 'rx-informers/resources';
import { groupVersionPath } from '../../src/kubernetes/resource-path.js';

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
    ['a name without its namespace', pods, { name: 'a' }, /namespace and name/],
    ['a name in all namespaces', pods, { namespace: '', name: 'a' }, /namespace and name/],
    ['a subresource of a whole collection', pods, { namespace: 'web', subresource: 'status' }, /one object/],
    ['an empty name', nodes, { name: '' }, /name ""/],
    ['an empty subresource', nodes, { name: 'a', subresource: '' }, /subresource ""/],
    ['a name that leads to another path', nodes, { name: '..' }, /name "\.\."/],
    ['a name with a slash', nodes, { name: 'a/status' }, /name "a\/status"/],
    ['a name that is encoded already', nodes, { name: 'a%2Fb' }, /name "a%2Fb"/],
    ['a namespace with a slash', pods, { namespace: 'web/pods' }, /namespace "web\/pods"/],
  ])('refuses %s and says of which resource', (_, resource, options, message) => {
    const build = (): unknown => resourcePath(resource, options);
    expect(build).toThrow(ResourcePathError);
    expect(build).toThrow(message);
    expect(build).toThrow(expect.objectContaining({ resource, options }));
  });
});

describe('groupVersionPath', () => {
  it('is /api/v1 for the core group and /apis/… for every other one', () => {
    expect(groupVersionPath(pods)).toBe('/api/v1');
    expect(groupVersionPath(deployments)).toBe('/apis/apps/v1');
  });
});
