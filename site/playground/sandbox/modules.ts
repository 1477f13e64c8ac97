import * as core from 'rx-informers';
import * as inMemory from 'rx-informers/testing/in-memory';
import * as rxjs from 'rxjs';
import type { Clusters } from './cluster.js';

export type Module = Readonly<Record<string, unknown>>;

const serverKey = Symbol('the server of a kubeconfig');

interface WithServer {
  [serverKey]?: inMemory.InMemoryApiServer | undefined;
}

/**
 * Returns the modules that a program can import, including the replacements for Node and for a
 * cluster.
 */
export function modulesFor(clusters: Clusters, extra: ReadonlyMap<string, Module>): ReadonlyMap<string, Module> {
  const byUrl = new Map<string, inMemory.InMemoryApiServer>();

  /** A replacement for client-node's class, with the part of its interface that examples use. */
  class KubeConfig implements WithServer {
    [serverKey]?: inMemory.InMemoryApiServer;
    clusters: readonly unknown[] = [];
    loadFromDefault(): void {
      clusters.substituted('kubeConfig.loadFromDefault()', 'the cluster of this page');
    }
    loadFromCluster(): void {
      clusters.substituted('kubeConfig.loadFromCluster()', 'the cluster of this page');
    }
    loadFromString(text: string): void {
      const {
        clusters: [cluster],
      } = JSON.parse(text) as { clusters: readonly [{ cluster: { server: string } }] };
      const server = byUrl.get(cluster.cluster.server);
      if (server === undefined) throw new Error('this page reaches only the API servers of createApiServer');
      this[serverKey] = server;
    }
    loadFromOptions(options: object): void {
      this.loadFromString(JSON.stringify(options));
    }
  }

  const createApiServer = (options?: inMemory.InMemoryApiServerOptions): Promise<unknown> => {
    clusters.substituted('createApiServer()', 'createInMemoryApiServer(): a page cannot listen on a port');
    const server = clusters.create(options);
    const url = `http://127.0.0.1:${8001 + byUrl.size}`;
    byUrl.set(url, server);
    const config = { clusters: [{ name: 'in-memory', cluster: { server: url } }] };
    return Promise.resolve({
      ...server,
      get resourceVersion() {
        return server.resourceVersion;
      },
      url,
      kubeconfig: () => JSON.stringify(config),
      kubeConfigObject: () => config,
      close: () => {
        server.stop();
        return Promise.resolve();
      },
    });
  };

  const kubeClient = (config: WithServer | undefined): core.KubeClient => {
    clusters.substituted('kubeClient(…)', 'the client of the API server in this page');
    return (config?.[serverKey] ?? clusters.standard()).client;
  };
  const fetchClient = (): core.KubeClient => {
    clusters.substituted('fetchClient(…)', 'the client of the API server in this page');
    return clusters.standard().client;
  };

  const testing = {
    ...inMemory,
    ...extra.get('rx-informers/testing'),
    createInMemoryApiServer: clusters.create,
  };
  return new Map<string, Module>([
    ...extra,
    ['rx-informers', { ...core, fetchClient }],
    ['rx-informers/node', { kubeClient }],
    ['rx-informers/testing', { ...testing, createApiServer }],
    ['rx-informers/testing/in-memory', testing],
    ['@kubernetes/client-node', { KubeConfig }],
    ['rxjs', rxjs],
    ['rxjs/operators', rxjs],
  ]);
}

/**
 * Returns the names that examples use without importing or declaring them. CONTRIBUTING.md lists
 * the names.
 */
export function conventional(clusters: Clusters): Readonly<Record<string, () => unknown>> {
  const client = (): core.KubeClient => {
    clusters.substituted('client', 'the client of the API server in this page');
    return clusters.standard().client;
  };
  const podInformer = once(() =>
    core.informer(client(), core.pods, {
      indexers: { namespace: core.indexByNamespace, node: core.indexByNode, app: core.indexByLabel('app') },
    }),
  );
  return {
    client,
    kubeConfig: () => undefined,
    pod: () => inMemory.aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1', labels: { app: 'web' } }),
    podInformer,
    'informer as an object': podInformer,
    nodeInformer: once(() => core.informer(client(), core.nodes)),
    serviceInformer: once(() => core.informer(client(), core.services)),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
