import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeConfigLike } from 'rx-informers/node';
import { asyncScheduler } from 'rxjs';
import { admit } from './admission.js';
import { apiProxy, type ApiProxy, type ApiProxyOptions } from './api-proxy.js';
import { contextFacts, userName, type ClusterInfo } from './cluster-facts.js';
import { answerWithFailure, answerWithJson } from './failure.js';
import { admitByKey, randomKey } from './key.js';
import { pageFiles } from './page-files.js';
import { serveWatchSockets } from './watch-sockets.js';

export interface DashboardServerOptions extends ApiProxyOptions {
  /** The API server to show, and the credentials for it. */
  readonly kubeConfig: KubeConfigLike;
  /** More clusters, each below `/contexts/{name of its context}`; default: none. */
  readonly otherContexts?: readonly KubeConfigLike[];
  /** The folder of the built page. */
  readonly page: string;
  /** The TCP port; default: 0, which selects a free one. */
  readonly port?: number;
  /** Whether the page may change the cluster; default: false. */
  readonly allowWrites?: boolean;
  /** Whether the content of Secrets is forwarded; default: false. */
  readonly secrets?: boolean;
  /** The only namespace that the page requests; default: all that the user may read. */
  readonly namespace?: string | undefined;
  /** Whether the cluster is a demo; default: false. */
  readonly demo?: boolean;
  /** The secret key that a browser must send; default: a random one for each server. */
  readonly key?: string;
}

export interface DashboardServer {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The address to open in a browser. It contains the key. */
  readonly pageUrl: string;
  readonly key: string;
  /** Closes every connection on both sides, and frees the port. */
  close(): Promise<void>;
}

/** One cluster of the server. */
interface Served {
  readonly proxy: ApiProxy;
  readonly info: () => Promise<ClusterInfo>;
}

/**
 * Serves the page and the Kubernetes API (`/api`, `/apis`, `/version`) on the same origin, to
 * browsers on this machine that have the key. `/dashboard/info` returns facts that the page cannot
 * read from the API (`ClusterInfo`). Each further context has the same paths below
 * `/contexts/{name}`.
 *
 * **Guarantees**: Listens only on the loopback interface. Requests that `admit` or `admitByKey`
 * refuse have no effect. For all other requests, the guarantees of `apiProxy` and `pageFiles`
 * apply. Rejects if the port is in use.
 *
 * **Does not guarantee**: Protection against programs that can read the memory or the terminal of
 * this user.
 */
export async function startDashboardServer(options: DashboardServerOptions): Promise<DashboardServer> {
  const { kubeConfig, otherContexts = [], page, port = 0, allowWrites = false, secrets = false } = options;
  const key = options.key ?? randomKey();
  const sendPage = pageFiles(page);
  const first = serve(kubeConfig, options);
  const byName = new Map([kubeConfig, ...otherContexts].map((each) => [contextFacts(each).name, each]));
  const served = new Map([...byName].map(([name, each]) => [name, each === kubeConfig ? first : serve(each, options)]));
  const admission = { allowWrites, secrets, contexts: new Set(served.keys()) };
  let listeningOn = port;

  const listener: RequestListener = (request, response) => {
    const admitted = admit(request, admission);
    if (admitted.type === 'refused') {
      answerWithFailure(response, admitted.failure);
      return;
    }
    const target = admitted.type === 'page' ? admitted : undefined;
    if (!admitByKey(request, response, { key, port: listeningOn }, target)) return;
    if (admitted.type === 'page') {
      sendPage(request, response, admitted.path);
      return;
    }
    const { proxy, info } = (admitted.context === undefined ? undefined : served.get(admitted.context)) ?? first;
    if (admitted.type === 'api') {
      const {
        path,
        query,
        isSecret,
        target: { name, isWatch },
      } = admitted;
      proxy.forward(request, response, { path, query, isSecret, name, isWatch });
      return;
    }
    void info().then((facts) => {
      answerWithJson(response, 200, { ...facts, contexts: [...served.keys()] });
    });
  };
  const server = createServer(listener);
  serveWatchSockets(server, listener);
  listeningOn = await listen(server, port);
  const url = `http://127.0.0.1:${listeningOn}`;
  return {
    url,
    pageUrl: `${url}/?key=${key}`,
    key,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
        for (const { proxy } of new Set([first, ...served.values()])) proxy.close();
      }),
  };
}

function serve(kubeConfig: KubeConfigLike, options: DashboardServerOptions): Served {
  const { allowWrites = false, secrets = false, demo = false, namespace: forcedNamespace = null } = options;
  const { name, namespace, user } = contextFacts(kubeConfig);
  let known: Promise<string | null> | undefined;
  return {
    proxy: apiProxy(kubeConfig, options),
    async info() {
      // Requests the name again until the API server has returned it once.
      const said = await (known ??= userName(kubeConfig, options.scheduler ?? asyncScheduler));
      if (said === null) known = undefined;
      const facts = { context: name, contexts: [], user: said ?? user, namespace };
      return { ...facts, forcedNamespace, allowWrites, secrets, demo };
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
