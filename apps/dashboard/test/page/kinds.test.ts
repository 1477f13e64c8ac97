import type { KubeClient } from 'rx-informers';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { aDefinition } from '../../../../test/fixtures/definition.js';
import { requestKinds, kindGroups } from '../../page/kinds/discovery.js';
import { tableColumns } from '../../page/kinds/table-columns.js';

describe('the kinds of the dashboard', () => {
  const crd = aDefinition({ plural: 'widgets', kind: 'Widget', shortNames: ['wg'] });

  /** A client that requests the old form of discovery, as for servers before 1.27. */
  function withoutAggregation(client: KubeClient): KubeClient {
    return { ...client, exchange: ({ headers: _, ...request }) => client.exchange(request) };
  }

  it.each([
    ['aggregated discovery', (client: KubeClient) => client],
    ['a request for each group', withoutAggregation],
  ])('are found by %s, those of CustomResourceDefinitions included', async (_, clientOf) => {
    const server = createInMemoryApiServer({ scheduler: virtualClock() });
    server.apply(crd);
    const { kinds, unavailable } = await firstValueFrom(requestKinds(clientOf(server.client)));
    expect(kinds.find(({ id }) => id === 'example.com/v1/widgets')).toMatchObject({
      kind: 'Widget',
      shortNames: ['wg'],
      resource: { group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true },
    });
    expect(kinds.find(({ id }) => id === 'v1/nodes')?.resource.namespaced).toBe(false);
    expect(kinds.filter(({ id }) => id.includes('status'))).toEqual([]);
    expect(unavailable).toEqual([]);
    expect(kindGroups(kinds, 'wg').map(({ title, isCustom }) => [title, isCustom])).toEqual([['example.com', true]]);
    expect(
      kindGroups(kinds, '')
        .map(({ title }) => title)
        .slice(0, 3),
    ).toEqual(['core', 'apps', 'batch']);
  });

  it('of a CustomResourceDefinition are custom, even if their group ends in k8s.io', async () => {
    const server = createInMemoryApiServer({ scheduler: virtualClock() });
    const group = 'gateway.networking.k8s.io';
    const names = { plural: 'gateways', singular: 'gateway', kind: 'Gateway' };
    server.apply({ ...crd, metadata: { name: `gateways.${group}` }, spec: { ...crd.spec, group, names } });
    const { kinds } = await firstValueFrom(requestKinds(server.client));
    const customs = kindGroups(kinds, '').filter(({ isCustom }) => isCustom);
    expect(customs.map(({ title }) => title)).toEqual([group]);
  });

  it('each column has a name of its own in the address, even if titles have the same letters', () => {
    const columns = ['Name', 'IP 4', 'IP 6', 'Name of it', '数', '値', 'Renewals', 'Namespace'].map((name) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: name === 'Renewals' ? 1 : 0,
    }));
    expect(tableColumns(columns, true).map(({ name }) => name)).toEqual([
      'name',
      'namespace',
      'ip',
      'ipx',
      'nameofit',
      'column',
      'columnx',
      'renewals',
      'namespacex',
    ]);
  });
});
