import { informer, configMaps, listWatch } from 'rx-informers';
import { randomFromSeed } from 'rx-informers/testing';
import { seedOf } from '../support/seed.js';
import { connect, configMap } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { follow } from './support/follower.js';
import { kubectlGet } from './support/kubectl.js';
import { writeAtRandom } from './support/random-writes.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

describe('an informer after 2,000 random writes', () => {
  it.each([['stream'], ['pages']] as const)(
    'G1: that lists by %s and starts at any time holds what kubectl shows, and its changes add up to it',
    async (initialList) => {
      const namespace = await cluster.createNamespace();
      const options = { namespace, initialList } as const;
      const first = informer(listWatch(cluster.client, configMaps, options));
      const midway = informer(listWatch(cluster.client, configMaps, options));
      const followers = [follow(first)];

      const random = randomFromSeed(seedOf(`agreement by ${initialList}`));
      await writeAtRandom(cluster, namespace, { writes: 1_000, random, prefix: 'a' });
      followers.push(follow(midway), follow(first));
      await writeAtRandom(cluster, namespace, { writes: 1_000, random, prefix: 'b' });
      await cluster.create(configMaps, configMap(namespace, 'last'));
      for (const each of [first, midway])
        await eventually(each.get$(`${namespace}/last`), (last) => last !== undefined);

      const truth = await kubectlGet(cluster, configMaps, namespace);
      expect(first.list()).toEqual(truth);
      expect(midway.list()).toEqual(truth);
      for (const follower of followers) {
        expect(follower.contradictions).toEqual([]);
        expect(new Map(follower.objects)).toEqual(new Map(first.keys().map((key) => [key, first.get(key)])));
      }
    },
  );
});
