import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeConfigLike } from 'rx-informers/node';
import { admit } from './admission.js';
import { apiProxy, type ApiProxyOptions } from './api-proxy.js';
import { answerWithFailure } from './failure.js';
import { pageFiles } from './page-files.js';

export interface DashboardServerOptions extends ApiProxyOptions {
  /** Whose API server is shown, and with which credentials. */
  readonly kubeConfig: KubeConfigLike;
  /** The folder of the built page. */
  readonly page: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Whether the page may change the cluster; default false. */
  readonly allowWrites?: boolean;
}

export interface DashboardServer {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Breaks every connection off, on both sides, and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves the page and, on the same origin, the Kubernetes API behind it (`/api`, `/apis`, `/version`), to browsers on this
 * machine.
 *
 * **Guarantees**: listens on the loopback interface only; what `admit` refuses reaches nothing; otherwise what `apiProxy` and
 * `pageFiles` say. Rejects where the port is taken.
 * **Does not guarantee**: anything against other programs and users of this machine: whoever can open a connection to the
 * port reads the cluster with the rights of the kubeconfig, as with `kubectl proxy`.
 */
export async function startDashboardServer(options: DashboardServerOptions): Promise<DashboardServer> {
  const { kubeConfig, page, port = 0, allowWrites = false, ...proxyOptions } = options;
  const proxy = apiProxy(kubeConfig, proxyOptions);
  const sendPage = pageFiles(page);
  const listener: RequestListener = (request, response) => {
    const admission = admit(request, { allowWrites });
    switch (admission.type) {
      case 'api':
        proxy.forward(request, response, admission);
        return;
      case 'page':
        sendPage(request, response, admission.path);
        return;
      case 'refused':
        answerWithFailure(response, admission.failure);
        return;
    }
  };
  const server = createServer(listener);
  const url = `http://127.0.0.1:${await listen(server, port)}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
        proxy.close();
      }),
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
