import { apiVersionOf, InvalidApiVersionError } from 'rx-informers';
import { parseApiVersion } from '../../src/kubernetes/resource.js';

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
    'refuse %j, which is no apiVersion',
    (apiVersion) => {
      const parse = (): unknown => parseApiVersion(apiVersion);
      expect(parse).toThrow(InvalidApiVersionError);
      expect(parse).toThrow(JSON.stringify(apiVersion));
    },
  );
});
