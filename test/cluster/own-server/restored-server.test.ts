import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTo, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configMaps, informer, listWatch, type ConfigMap, type Informer, isRxInformersError } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { combineLatest } from 'rxjs';
import { configMap, connect, forEach, readKubeConfig, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { startRig, type Rig } from '../support/rig.js';

/** A fixed address in front of an API server, which may get another port when it starts again. */
class Address {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  target = 0;

  constructor() {
    this.#server = createServer((near) => {
      const far = connectTo(this.target, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets all connections. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  close(): void {
    this.reset();
    this.#server.close();
  }
}

describe('an informer of a server whose etcd is restored from an older backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rx-informers-restored-'));
  const runDirectory = join(folder, 'now');
  const address = new Address();
  const informers: Informer<ConfigMap>[] = [];
  let rig: Rig;
  afterAll(async () => {
    for (const each of informers) each.stop();
    address.close();
    await rig.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('R30 ▲: shows the content of the restored server, with one RXI_SERVER_RESTORED', async () => {
    const start = async (): Promise<Cluster> => {
      rig = await startRig({ runDirectory });
      address.target = Number(new URL(readKubeConfig(rig.kubeConfigFile).getCurrentCluster()?.server ?? '').port);
      return connect(rig.kubeConfigFile);
    };
    let cluster = await start();
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
    await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
    await rig.stop();
    cpSync(runDirectory, join(folder, 'backup'), { recursive: true });

    cluster = await start();
    const kubeConfig = readKubeConfig(rig.kubeConfigFile);
    const port = await address.open();
    const at = { ...kubeConfig.getCurrentCluster(), server: `https://127.0.0.1:${port}` } as const;
    kubeConfig.clusters = kubeConfig.clusters.map((one) => ({ ...one, ...at }));
    const errors: unknown[] = [];
    for (const initialList of ['stream', 'pages'] as const) {
      const followed = informer(listWatch(kubeClient(kubeConfig), configMaps, { namespace, initialList }));
      informers.push(followed);
      followed.errors$.subscribe((error) => isRxInformersError(error, 'RXI_SERVER_RESTORED') && errors.push(error));
      followed.connect();
      await followed.whenSynced();
    }
    for (let count = 0; count < 5; count++) {
      await forEach(names, (name) =>
        cluster.patch(configMaps, configMap(namespace, name), { data: { data: `${count}` } }),
      );
    }
    await cluster.create(configMaps, configMap(namespace, 'lost'));
    await cluster.remove(configMaps, configMap(namespace, 'c9'));
    const haveChanges = (lists: readonly (readonly ConfigMap[])[]): boolean =>
      lists.every((list) => JSON.stringify(list.map(({ metadata }) => metadata.name)).includes('c8","lost"]'));
    await eventually(combineLatest(informers.map((each) => each.list$())), haveChanges);

    await rig.stop();
    rmSync(runDirectory, { recursive: true });
    cpSync(join(folder, 'backup'), runDirectory, { recursive: true });
    cluster = await start();
    await cluster.create(configMaps, configMap(namespace, 'new'));
    address.reset();
    await eventually(combineLatest(informers.map((each) => each.list$())), (lists) =>
      lists.every((list) => list.length === 11 && list.at(-1)?.metadata.name === 'new'),
    );

    const actual = await kubectlGet(cluster, configMaps, namespace);
    for (const each of informers) expect(each.list()).toEqual(actual);
    expect(errors).toHaveLength(2);
  });
});
