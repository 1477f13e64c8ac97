import {
  configMaps,
  informer,
  listWatch,
  type ConfigMap,
  type Informer,
  type InformerError,
  type ListWatchOptions,
} from 'rx-informers';
import { kubeClient, type NodeKubeClient } from 'rx-informers/node';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { configMap, connect, forEach, readKubeConfig, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { follow } from '../support/follower.js';
import { kubectlGet } from '../support/kubectl.js';
import { startRig, type Rig, type RigOptions } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

/**
 * An API server, and a client over HTTP/2 whose connections are counted by a proxy before that
 * server.
 */
interface Setting {
  readonly rig: Rig;
  /** The same server, without the proxy and over HTTP/1.1. */
  readonly cluster: Cluster;
  readonly client: NodeKubeClient;
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

async function start(options: RigOptions): Promise<Setting> {
  const rig = await startRig(options);
  const kubeConfig = readKubeConfig(rig.kubeConfigFile);
  const [configured] = kubeConfig.clusters;
  const proxy = await startTcpProxy(Number(new URL(configured?.server ?? '').port));
  kubeConfig.clusters = kubeConfig.clusters.map((each) => ({ ...each, server: `https://127.0.0.1:${proxy.port}` }));
  const client = kubeClient(kubeConfig, { http2: true });
  return {
    rig,
    cluster: connect(rig.kubeConfigFile),
    client,
    connections: () => proxy.accepted,
    stop: async () => {
      client.close();
      await proxy.close();
      await rig.stop();
    },
  };
}

/** Follows the ConfigMaps of a namespace. Its errors are expected. */
const followed = (client: NodeKubeClient, options: ListWatchOptions<ConfigMap>): Informer<ConfigMap> =>
  informer(listWatch(client, configMaps, options), { onUnobservedError: () => undefined });

const isSilence = ({ message }: { readonly message: string }): boolean => message.includes('no answer to PING');

/** Ignores that a server on a busy machine answers a PING too late. */
function unlessSilent(error: Error): void {
  if (!isSilence(error)) throw error;
}

describe.each(['rig', 'kube120'] as const)('informers over HTTP/2, with the API server %s', (kind) => {
  let setting: Setting;
  beforeAll(async () => {
    setting = await start({ kind });
  });
  afterAll(() => setting.stop());

  it('G1: a hundred informers share one connection, and each has the objects of its namespace', async () => {
    const { cluster, client, connections } = setting;
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
    await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
    const before = connections();
    const informers = names.map((name) => followed(client, { namespace, fieldSelector: `metadata.name=${name}` }));
    for (const each of informers) untilTestEnds(each.connect());
    await Promise.all(informers.map((each) => each.whenSynced()));
    await Promise.all(informers.map((each) => eventually(each.status$, ({ state }) => state === 'watching')));

    for (const name of names)
      await cluster.patch(configMaps, configMap(namespace, name), { data: { data: 'changed' } });
    await Promise.all(
      informers.map((each, index) =>
        eventually(each.get$(`${namespace}/c${index}`), (map) => map?.data?.['data'] === 'changed'),
      ),
    );

    expect(informers.map((each) => each.keys())).toEqual(names.map((name) => [`${namespace}/${name}`]));
    // One, and another one whenever a busy machine answers a PING too late.
    expect(connections() - before).toBeLessThan(5);
  });

  it('G5, G7: informers survive a restart of the API server, and find what changed meanwhile', async () => {
    const { rig, cluster, client } = setting;
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
    await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
    const maps = followed(client, { namespace });
    const follower = follow(maps);
    await maps.whenSynced();
    await eventually(maps.status$, ({ state }) => state === 'watching');

    const back = rig.restart();
    await eventually(maps.status$, ({ state }) => state !== 'watching');
    await back;
    await forEach(names.slice(0, 10), (name) => cluster.remove(configMaps, configMap(namespace, name)));
    await cluster.create(configMaps, configMap(namespace, 'new'));
    await eventually(maps.get$(`${namespace}/new`), (object) => object !== undefined);
    await eventually(maps.status$, ({ state }) => state === 'watching');

    expect(maps.list()).toEqual(await kubectlGet(cluster, configMaps, namespace));
    expect(follower.contradictions).toEqual([]);
  });

  it('G6: a watch without an early timeout detects a hanging API server, by a PING that has no answer', async () => {
    const { rig, cluster, client } = setting;
    const namespace = await cluster.createNamespace();
    await cluster.create(configMaps, configMap(namespace, 'a'));
    const maps = followed(client, { namespace });
    follow(maps);
    await maps.whenSynced();
    await eventually(maps.status$, ({ state }) => state === 'watching');

    const detected = eventually<InformerError>(maps.errors$, isSilence);
    rig.freeze();
    await detected;
    rig.thaw();
    await cluster.create(configMaps, configMap(namespace, 'b'));
    await eventually(maps.get$(`${namespace}/b`), (object) => object !== undefined);

    expect(maps.keys()).toEqual([`${namespace}/a`, `${namespace}/b`]);
  });
});

describe('informers over HTTP/2, with an API server that sends GOAWAY to one request in fifty', () => {
  let setting: Setting;
  beforeAll(async () => {
    setting = await start({ flags: ['--goaway-chance=0.02'] });
  });
  afterAll(() => setting.stop());

  it('no request fails, and the watch continues on the connection that is going away', async () => {
    const { cluster, client, connections } = setting;
    const namespace = await cluster.createNamespace();
    const maps = followed(client, { namespace });
    follow(maps);
    const errors: InformerError[] = [];
    untilTestEnds(maps.errors$.subscribe((error) => errors.push(error)));
    await maps.whenSynced();
    await eventually(maps.status$, ({ state }) => state === 'watching');

    const before = connections();
    let answered = 0;
    while (connections() < before + 3) {
      await firstValueFrom(requestJson(client, { method: 'GET', path: '/version' })).catch(unlessSilent);
      answered++;
    }
    await cluster.create(configMaps, configMap(namespace, 'a'));
    await eventually(maps.get$(`${namespace}/a`), (object) => object !== undefined);

    expect(answered).toBeGreaterThan(2);
    expect(errors.filter((error) => !isSilence(error))).toEqual([]);
  });
});
