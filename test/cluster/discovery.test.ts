import { customResourceDefinitions, deployments, leases, configMaps, nodes, pods } from 'rx-informers';
import { discoverResource } from 'rx-informers/requests';
import { firstValueFrom } from 'rxjs';
import { connect } from './support/cluster.js';

const { client } = connect();

describe('discoverResource with a real API server', () => {
  it.each([
    ['v1', 'Pod', pods],
    ['v1', 'Node', nodes],
    ['v1', 'ConfigMap', configMaps],
    ['apps/v1', 'Deployment', deployments],
    ['coordination.k8s.io/v1', 'Lease', leases],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', customResourceDefinitions],
  ])('returns for %s %s the same descriptor as the generated one', async (apiVersion, kind, descriptor) => {
    await expect(firstValueFrom(discoverResource(client, { apiVersion, kind }))).resolves.toEqual(descriptor);
  });

  it('lists the kinds that exist if the requested one does not', async () => {
    const discovered = firstValueFrom(discoverResource(client, { apiVersion: 'v1', kind: 'Pods' }));
    await expect(discovered).rejects.toMatchObject({
      code: 'RXI_UNKNOWN_KIND',
      known: expect.arrayContaining(['Pod']),
    });
  });

  it('reports that the API server does not serve a group', async () => {
    const discovered = firstValueFrom(discoverResource(client, { apiVersion: 'nobody.example.com/v1', kind: 'Pod' }));
    await expect(discovered).rejects.toThrow('does not serve nobody.example.com/v1');
  });
});
