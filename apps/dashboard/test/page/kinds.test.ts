import type { KubeClient } from 'rx-informers';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { aDefinition } from '../../../../test/fixtures/definition.js';
import { columnsOf, printerColumns, reader, standardPath } from '../../page/kinds/columns.js';
import { requestKinds, kindGroups, type AnyObject } from '../../page/kinds/discovery.js';

const certificate = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web', annotations: { 'example.com/owner': 'team-a' } },
  spec: { dnsNames: ['a.example.com', 'b.example.com'], secretName: 'web-tls' },
  status: {
    revision: 3,
    conditions: [
      { type: 'Issuing', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
} as unknown as AnyObject;

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

  it('of a CustomResourceDefinition are custom and have its columns, even if their group ends in k8s.io', async () => {
    const server = createInMemoryApiServer({ scheduler: virtualClock() });
    const group = 'gateway.networking.k8s.io';
    const names = { plural: 'gateways', singular: 'gateway', kind: 'Gateway' };
    const [version] = crd.spec.versions;
    const additionalPrinterColumns = [{ name: 'Class', type: 'string', jsonPath: '.spec.gatewayClassName' }];
    const spec = { ...crd.spec, group, names, versions: [{ ...version, additionalPrinterColumns }] };
    server.apply({ ...crd, metadata: { name: `gateways.${group}` }, spec });
    const { kinds } = await firstValueFrom(requestKinds(server.client));
    const customs = kindGroups(kinds, '').filter(({ isCustom }) => isCustom);
    expect(customs.map(({ title }) => title)).toEqual([group]);
    const gateways = customs[0]?.kinds[0]?.resource;
    const columns = gateways && (await firstValueFrom(columnsOf(server.client, gateways)));
    expect(columns?.map(({ title }) => title)).toEqual(['Class']);
  });

  it.each([
    ['.spec.secretName', 'web-tls'],
    ['.status.revision', 3],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    ['.status.conditions[?(@.type=="Gone")].status', undefined],
    ['.spec.dnsNames[*]', 'a.example.com,b.example.com'],
    ['.spec.dnsNames[0]', 'a.example.com'],
    ['.spec.dnsNames', '["a.example.com","b.example.com"]'],
    ['.metadata.annotations.example\\.com/owner', 'team-a'],
    [".metadata.annotations['example\\.com/owner']", 'team-a'],
    ['{.spec.secretName}', 'web-tls'],
    ['.spec[?(', undefined],
    ['.nothing.there', undefined],
  ])('the printer column %s of a custom resource shows %s', (path, expected) => {
    expect(reader(path)(certificate)).toBe(expected);
    expect(standardPath(path).startsWith('$')).toBe(true);
  });

  it('a JSONPath cannot run a script', () => {
    expect(reader('.spec[?(constructor.constructor("throw 1")())]')(certificate)).toBeUndefined();
  });

  it('printer columns are those of kubectl get, without the wide ones and the age', () => {
    const columns = printerColumns(
      {
        spec: {
          versions: [
            {
              name: 'v1',
              additionalPrinterColumns: [
                { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
                { name: 'Renewals', type: 'integer', jsonPath: '.status.revision' },
                { name: 'Wide', type: 'string', jsonPath: '.spec.secretName', priority: 1 },
                { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
              ],
            },
          ],
        },
      },
      'v1',
    );
    expect(columns.map(({ title, type, value }) => [title, type, value(certificate)])).toEqual([
      ['Ready', 'text', 'True'],
      ['Renewals', 'number', 3],
    ]);
  });

  it('each column has a name of its own in the address, even if titles have the same letters', () => {
    const titles = ['IP 4', 'IP 6', 'Name', '数', '値', 'Renewals'];
    const additionalPrinterColumns = titles.map((name) => ({ name, type: 'string', jsonPath: '.spec.x' }));
    const columns = printerColumns({ spec: { versions: [{ name: 'v1', additionalPrinterColumns }] } }, 'v1');
    expect(columns.map(({ name }) => name)).toEqual(['ip', 'ipx', 'namex', 'column', 'columnx', 'renewals']);
  });
});
