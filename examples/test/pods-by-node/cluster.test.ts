import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { createApiServer } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { openCluster } from '../../pods-by-node/cluster.js';

const small = { nodes: 2, pods: 12, rate: 1 };

describe('the cluster that pods-by-node shows', () => {
  it('is an embedded one of the size in the options', async () => {
    const cluster = await openCluster(small);
    const client = kubeClient(cluster.kubeConfig);
    const list = await firstValueFrom(
      requestJson<{ readonly items: readonly unknown[] }>(client, { method: 'GET', path: `/api/v1/${pods.plural}` }),
    );
    client.close();
    await cluster.close();

    expect(list.items.length).toBeGreaterThanOrEqual(12);
    expect(cluster.title).toContain('2 nodes');
  });

  it('is that of a context of a kubeconfig, or an error if there is no such context', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pods-by-node-'));
    const kubeconfig = join(folder, 'config');
    const server = await createApiServer();
    writeFileSync(kubeconfig, server.kubeconfig());
    const cluster = await openCluster({ ...small, kubeconfig, context: 'rx-informers' });
    const missing = openCluster({ ...small, kubeconfig, context: 'elsewhere' });

    expect(cluster.kubeConfig.getCurrentCluster()?.server).toBe(server.url);
    await expect(missing).rejects.toThrow('no cluster for the context "elsewhere"; it has: rx-informers');
    await expect(openCluster({ ...small, kubeconfig: join(folder, 'none') })).rejects.toThrow('ENOENT');
    await cluster.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
});
