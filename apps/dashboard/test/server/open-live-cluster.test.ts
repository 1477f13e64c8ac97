import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { createApiServer } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../../src/sources/client/kube-client.js';
import { demoScene } from '../../demo-cluster/demo-workload.js';
import { openLiveCluster } from '../../server/open-live-cluster.js';

const small = { nodes: 2, pods: 12, rate: 1 };

describe('the cluster that the dashboard shows', () => {
  it('is an embedded one of the size in the options', async () => {
    const cluster = await openLiveCluster(small, demoScene);
    const client = kubeClient(cluster.kubeConfig);
    const list = await firstValueFrom(
      requestJson<{ readonly items: readonly unknown[] }>(client, { method: 'GET', path: `/api/v1/${pods.plural}` }),
    );
    client.close();
    await cluster.close();

    expect(list.items.length).toBeGreaterThanOrEqual(12);
    expect(cluster.title).toContain('2 nodes');
  });

  it('of a team is never the embedded one: it is that of the pod, or an error outside of a pod', async () => {
    const publicUrl = 'https://dash.example.com';
    await expect(openLiveCluster({ ...small, publicUrl }, demoScene)).rejects.toThrow('does not run in a pod');
  });

  it('is that of a context of a kubeconfig, or an error if there is no such context', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
    const kubeconfig = join(folder, 'config');
    const server = await createApiServer();
    writeFileSync(kubeconfig, server.kubeconfig());
    const cluster = await openLiveCluster({ ...small, kubeconfig, context: 'rx-informers' }, demoScene);
    const missing = openLiveCluster({ ...small, kubeconfig, context: 'elsewhere' }, demoScene);

    expect(cluster.kubeConfig.getCurrentCluster()?.server).toBe(server.url);
    await expect(missing).rejects.toThrow('no cluster for the context "elsewhere"; it has: rx-informers');
    await expect(openLiveCluster({ ...small, kubeconfig: join(folder, 'none') }, demoScene)).rejects.toThrow('ENOENT');
    await cluster.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
});
