import { informer, configMaps, listWatch } from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { configMap, connect, forEach } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { observe, type ObservedRequest } from '../support/observed-client.js';
import { startRig, type Rig, type RigOptions } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

const combinations = [undefined, 3, 500].flatMap((pageSize) =>
  (['stream', 'pages'] as const).flatMap((initialList) =>
    (['any', 'most-recent'] as const).map((listConsistency) => ({ pageSize, initialList, listConsistency })),
  ),
);

const restart = (rig: Rig): Promise<void> => rig.restart();
const compact = (rig: Rig): Promise<void> => rig.compact();
const compactAndRestart = async (rig: Rig): Promise<void> => {
  await rig.compact();
  await rig.restart();
};

// After a restart the watch cache begins with the present: the old version is in etcd only.
const restarts = { 'a restart': restart, 'a compaction and a restart': compactAndRestart };
const withoutCache = { flags: ['--watch-cache=false'] };

describe.each<[string, RigOptions, Readonly<Record<string, (rig: Rig) => Promise<void>>>]>([
  ['1.36', { kind: 'rig' }, restarts],
  ['1.20', { kind: 'kube120' }, restarts],
  ['1.36 without a watch cache', { kind: 'rig', ...withoutCache }, { 'a compaction': compact }],
  ['1.20 without a watch cache', { kind: 'kube120', ...withoutCache }, { 'a compaction': compact }],
])('a list-watch whose version has expired (Kubernetes %s)', (_, options, expirations) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(options);
  });
  afterAll(() => rig.stop());

  it.each(Object.entries(expirations))(
    'R1–R6: after %s, is current again after few requests, for every page size, list mode and consistency',
    async (__, expire) => {
      const cluster = connect(rig.kubeConfigFile);
      const namespace = await cluster.createNamespace();
      const names = Array.from({ length: 10 }, (___, index) => `c${index}`);
      await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
      const backoff = exponentialBackoff({ initial: 200, cap: 10_000 });
      const followers = combinations.map((combination) => {
        const client = observe(cluster.client);
        const followed = informer(listWatch(client, configMaps, { namespace, backoff, ...combination }));
        untilTestEnds(followed.connect());
        return { ...combination, client, followed };
      });
      await Promise.all(followers.map(({ followed }) => followed.whenSynced()));

      for (const { client } of followers) client.cut();
      await cluster.remove(configMaps, configMap(namespace, 'c1'));
      await cluster.patch(configMaps, configMap(namespace, 'c2'), { data: { data: 'new' } });
      await cluster.create(configMaps, configMap(namespace, 'new'));
      await expire(rig);
      const before = performance.now();
      for (const { client } of followers) client.restore();

      const judged = await kubectlGet(cluster, configMaps, namespace);
      for (const { client, followed, ...combination } of followers) {
        await eventually(followed.get$(`${namespace}/new`), (object) => object !== undefined);
        expect({ ...combination, objects: followed.list() }).toEqual({ ...combination, objects: judged });
        const relist = client.requests.filter(({ at }) => at >= before);
        expect({ ...combination, broken: brokenRules(relist, combination.pageSize) }).toEqual({
          ...combination,
          broken: [],
        });
        expect(relist.length).toBeLessThan(20);
      }
    },
  );
});

/** Names the rules that requests after the first list break. */
function brokenRules(requests: readonly ObservedRequest[], pageSize: number | undefined): readonly string[] {
  return requests.flatMap(({ query = {} }) => {
    const { limit, resourceVersion: version, resourceVersionMatch: match } = query;
    if (query['watch'] === true) return query['sendInitialEvents'] === true && match !== 'NotOlderThan' ? ['R23'] : [];
    if (query['continue'] !== undefined) return version === undefined && match === undefined ? [] : ['U5'];
    const broken: string[] = [];
    if (version === '0') broken.push('R1: never any version once one is known');
    if (pageSize !== undefined && limit !== pageSize) broken.push('R2: the page size');
    if (version !== undefined && limit !== undefined && match !== 'NotOlderThan')
      broken.push('R2: not exactly a version');
    return broken;
  });
}
