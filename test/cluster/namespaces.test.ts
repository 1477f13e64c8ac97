import { informer, configMaps, listWatch, inNamespaces } from 'rx-informers';
import { BehaviorSubject } from 'rxjs';
import { configMap, connect } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { follow, story } from './support/follower.js';
import { observe } from './support/observed-client.js';
import { untilTestEnds } from './support/until-test-ends.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

describe('an informer over a changing set of namespaces', () => {
  it('is one cache: a namespace that joins is added, one that leaves is deleted, and the others are not listed again', async () => {
    const [first, second, third] = [await newNamespace(), await newNamespace(), await newNamespace()];
    const namespaces$ = new BehaviorSubject([first, second]);
    const client = observe(cluster.client);
    const followed = informer(listWatch(client, configMaps, { namespace: inNamespaces(namespaces$) }));
    const follower = follow(followed);
    await followed.whenSynced();
    expect(followed.keys()).toEqual([`${first}/a`, `${second}/a`].sort());

    namespaces$.next([first, second, third]);
    await eventually(followed.get$(`${third}/a`), (object) => object !== undefined);
    namespaces$.next([first, third]);
    await eventually(followed.get$(`${second}/a`), (object) => object === undefined);

    await cluster.patch(configMaps, configMap(second, 'a'), { data: { data: 'unseen' } });
    await cluster.patch(configMaps, configMap(first, 'a'), { data: { data: 'seen' } });
    await eventually(followed.get$(`${first}/a`), (object) => object?.data?.['data'] === 'seen');

    expect(followed.keys()).toEqual([`${first}/a`, `${third}/a`].sort());
    expect(story(follower).slice(2)).toEqual([
      `relist added ${third}/a`,
      `relist deleted ${second}/a`,
      `watch updated ${first}/a`,
    ]);
    expect(follower.contradictions).toEqual([]);
    // One streaming list each, which is the watch as well.
    const paths = client.requests.map(({ path }) => path);
    expect(paths).toEqual([first, second, third].map((name) => `/api/v1/namespaces/${name}/configmaps`));
  });

  it('is synced and empty if the set is empty, until the first namespace joins', async () => {
    const namespace = await newNamespace();
    const namespaces$ = new BehaviorSubject<readonly string[]>([]);
    const followed = informer(listWatch(cluster.client, configMaps, { namespace: inNamespaces(namespaces$) }));
    untilTestEnds(followed.connect());
    await followed.whenSynced();
    expect(followed.list()).toEqual([]);

    namespaces$.next([namespace]);
    await eventually(followed.list$(), (objects) => objects.length === 1);
  });
});

/** A namespace in which there is one ConfigMap. */
async function newNamespace(): Promise<string> {
  const namespace = await cluster.createNamespace();
  await cluster.create(configMaps, configMap(namespace, 'a'));
  return namespace;
}
