import { jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { pods, requestJson } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { createApiServer } from 'rx-informers/testing';
import { openCluster } from '../../../../examples/dashboard/server/cluster.js';
import { parseOptions } from '../../../../examples/dashboard/server/options.js';

const small = { nodes: 2, pods: 12, rate: 1 };

describe('the cluster of the dashboard', () => {
  it('is an embedded one with as much in it as the options say', async () => {
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

  it('is that of a context of a kubeconfig, or none where there is no such context', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
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

describe('the options of the dashboard', () => {
  function parse(...words: string[]): ReturnType<typeof parseOptions> {
    return parseOptions(['node', 'dashboard', ...words]);
  }

  it('look only, at an embedded cluster, unless they are told', () => {
    expect(parse()).toEqual({ allowWrites: false, port: 8080, nodes: 12, pods: 500, rate: 20 });
    expect(parse('--kubeconfig', 'a', '--context', 'b', '--allow-writes', '--port', '0', '--page', 'c')).toMatchObject({
      kubeconfig: 'a',
      context: 'b',
      allowWrites: true,
      port: 0,
      page: 'c',
    });
  });

  it.each([
    ['--port', '70000'],
    ['--port', '-1'],
    ['--port', ''],
    ['--pods', '0'],
    ['--rate', 'many'],
    ['--host', '0.0.0.0'],
  ])('refuse %s %j', (...words) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${String(code)}`);
    });
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);

    expect(() => parse(...words)).toThrow('exit 1');

    expect(String(write.mock.calls[0]?.[0])).toMatch(/^error: /);
    exit.mockRestore();
    write.mockRestore();
  });
});
