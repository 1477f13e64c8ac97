import { informer, configMaps, listWatch } from 'rx-informers';
import { configMap, connect, forEach } from './support/cluster.js';
import { kubectlGet } from './support/kubectl.js';
import { observe } from './support/observed-client.js';
import { untilTestEnds } from './support/until-test-ends.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

describe('a list of 500 objects from a real API server', () => {
  it('R2: arrives in pages of the requested size, and is one commit', async () => {
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 500 }, (_, index) => `c${String(index).padStart(3, '0')}`);
    await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));

    const client = observe(cluster.client);
    // The API server answers from its cache, whole, unless it is asked for the most recent state.
    const options = { namespace, initialList: 'pages', listConsistency: 'most-recent', pageSize: 80 } as const;
    const paged = informer(listWatch(client, configMaps, options));
    untilTestEnds(paged.connect());
    await paged.whenSynced();

    const lists = client.requests.filter(({ query }) => query?.['watch'] === undefined);
    expect(lists.map(({ query }) => query?.['limit'])).toEqual(Array<number>(7).fill(80));
    expect(paged.snapshot.version).toBe(1);
    expect(paged.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
    expect(paged.keys()).toEqual(names.map((name) => `${namespace}/${name}`));
  });
});
