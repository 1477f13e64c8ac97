import { informer, configMaps, listWatch } from 'rx-informers';
import { configMap, connect } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { follow, story } from './support/follower.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

describe('a list-watch with a selector', () => {
  it.each(['stream', 'pages'] as const)(
    'emits an object that begins to match as added, and one that stops matching as deleted (list by %s)',
    async (initialList) => {
      const namespace = await cluster.createNamespace();
      const blue = configMap(namespace, 'blue', 'x', { colour: 'blue' });
      const red = configMap(namespace, 'red', 'x', { colour: 'red' });
      for (const object of [blue, red]) await cluster.create(configMaps, object);

      const blues = informer(
        listWatch(cluster.client, configMaps, { namespace, initialList, labelSelector: 'colour=blue' }),
      );
      const follower = follow(blues);
      await blues.whenSynced();
      expect(blues.keys()).toEqual([`${namespace}/blue`]);

      await cluster.patch(configMaps, red, { metadata: { labels: { colour: 'blue' } } });
      await eventually(blues.get$(`${namespace}/red`), (object) => object !== undefined);
      await cluster.patch(configMaps, blue, { metadata: { labels: { colour: 'green' } } });
      await eventually(blues.get$(`${namespace}/blue`), (object) => object === undefined);
      await cluster.patch(configMaps, blue, { metadata: { labels: { colour: 'blue' } } });
      await eventually(blues.get$(`${namespace}/blue`), (object) => object !== undefined);

      expect(story(follower)).toEqual([
        `initial added ${namespace}/blue`,
        `watch added ${namespace}/red`,
        `watch deleted ${namespace}/blue`,
        `watch added ${namespace}/blue`,
      ]);
      expect(follower.contradictions).toEqual([]);
    },
  );

  it.each(['stream', 'pages'] as const)(
    'selects by field in the list and in the watch (list by %s)',
    async (initialList) => {
      const namespace = await cluster.createNamespace();
      for (const name of ['one', 'other']) await cluster.create(configMaps, configMap(namespace, name));

      const only = informer(
        listWatch(cluster.client, configMaps, { namespace, initialList, fieldSelector: 'metadata.name=one' }),
      );
      const follower = follow(only);
      await only.whenSynced();
      await cluster.patch(configMaps, configMap(namespace, 'other'), { data: { data: 'unseen' } });
      await cluster.patch(configMaps, configMap(namespace, 'one'), { data: { data: 'seen' } });
      await eventually(only.get$(`${namespace}/one`), (object) => object?.data?.['data'] === 'seen');

      expect(story(follower)).toEqual([`initial added ${namespace}/one`, `watch updated ${namespace}/one`]);
    },
  );
});
