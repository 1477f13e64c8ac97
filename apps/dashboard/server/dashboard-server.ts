import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KubeConfigLike } from 'rx-informers/node';
import { asyncScheduler } from 'rxjs';
import { admit } from './admission.js';
import { apiProxy, type ApiProxy, type ApiProxyOptions } from './api-proxy.js';
import { contextFacts, userName, type ClusterInfo } from './cluster-facts.js';
import { answerWithFailure, answerWithJson } from './failure.js';
import { hubKinds } from './hub-kinds.js';
import { hubSockets } from './hub-sockets.js';
import { identityGate } from './identity-gate.js';
import { identifyingHeaders } from './identity-headers.js';
import { admitByKey, randomKey } from './key.js';
import { pageFiles } from './page-files.js';
import { teamGate, type TeamGate, type TeamOptions, type Viewer } from './team-gate.js';
import { addressOf } from './viewer-token.js';
import { watchSockets } from './watch-sockets.js';

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
  /** Makes each viewer sign in with a token, instead of the key; default: the key. */
  readonly team?: TeamOptions | undefined;
  /** The address to listen on, with `team`; default: the loopback interface. */
  readonly listen?: string | undefined;
}

export interface DashboardServer {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The address to open in a browser. It contains the key, or is the public URL. */
  readonly pageUrl: string;
  /** Empty with `team`. */
  readonly key: string;
  /** Closes every connection on both sides, and frees the port. */
  close(): Promise<void>;
}

/** One cluster of the server. */
interface Served {
  readonly proxy: ApiProxy;
  readonly info: (viewer: Viewer | undefined) => Promise<ClusterInfo>;
}

/**
 * Serves the page and the Kubernetes API (`/api`, `/apis`, `/version`) on the same origin, to
 * browsers on this machine that have the key. `/dashboard/info` returns facts that the page cannot
 * read from the API (`ClusterInfo`). Each further context has the same paths below
 * `/contexts/{name}`.
 *
 * With `team`, serves browsers that reach the public URL, and each viewer signs in (`teamGate`).
 * Requests to the API server have the token of the viewer, and never the credentials of the
 * kubeconfig. With `team.hub`, `hubSockets` serves `/hub`, and only it uses these credentials. With
 * `team.identity`, a proxy identifies the viewers (`identityGate`), and these credentials
 * impersonate them.
 *
 * **Guarantees**: Listens only on the loopback interface, unless `team` and `listen` are set.
 * Requests that `admit`, `admitByKey` or a gate refuse have no effect. For all other requests,
 * the guarantees of `apiProxy` and `pageFiles` apply. Rejects if the port is in use. Rejects if
 * `team` is combined with several contexts, because a token must not be sent to another cluster.
 *
 * **Does not guarantee**: Protection against programs that can read the memory or the terminal of
 * this user.
 */
export async function startDashboardServer(options: DashboardServerOptions): Promise<DashboardServer> {
  const { kubeConfig, otherContexts = [], page, port = 0, allowWrites = false, secrets = false } = options;
  const { team, listen: address = loopback } = options;
  if (team === undefined && address !== loopback) throw new Error('only a server with a sign-in may leave loopback');
  if (team !== undefined && otherContexts.length > 0) throw new Error('viewers can sign in to one cluster only');
  const key = team === undefined ? (options.key ?? randomKey()) : '';
  const gate = team && gateOf(team, options);
  const sendPage = pageFiles(page);
  const first = serve(kubeConfig, options);
  const byName = new Map([kubeConfig, ...otherContexts].map((each) => [contextFacts(each).name, each]));
  const served = new Map([...byName].map(([name, each]) => [name, each === kubeConfig ? first : serve(each, options)]));
  const site = team && new URL(team.publicUrl);
  const admission = { allowWrites, secrets, site, contexts: new Set(served.keys()) };
  let listeningOn = port;

  const listener: RequestListener = (request, response) => {
    const admitted = admit(request, admission);
    if (admitted.type === 'refused') {
      answerWithFailure(response, admitted.failure);
      return;
    }
    const target = admitted.type === 'page' ? admitted : undefined;
    const viewer = gate?.admit(request, response, target);
    if (gate === undefined ? !admitByKey(request, response, { key, port: listeningOn }, target) : !viewer) return;
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
      proxy.forward(request, response, { path, query, isSecret, name, isWatch, viewer });
      return;
    }
    void info(viewer).then((facts) => {
      answerWithJson(response, 200, { ...facts, contexts: [...served.keys()] });
    });
  };
  const server = createServer({ maxHeaderSize: team === undefined ? undefined : headersWithCookies }, listener);
  const ofWatches = watchSockets(server, listener, team?.identity && identifyingHeaders(team.identity));
  const { onError, scheduler } = options;
  const hub = gate && team.hub ? hubSockets({ kubeConfig, gate, admission, onError, scheduler }) : undefined;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (hub?.upgrade(request, socket, head) !== true) ofWatches(request, socket, head);
  });
  listeningOn = await listen(server, port, address);
  const url = `http://${isIPv6(address) ? `[${address}]` : address}:${listeningOn}`;
  return {
    url,
    pageUrl: site === undefined ? `${url}/?key=${key}` : `${site.origin}/`,
    key,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
        hub?.close();
        gate?.close();
        for (const { proxy } of new Set([first, ...served.values()])) proxy.close();
      }),
  };
}

function gateOf(team: TeamOptions, { kubeConfig, scheduler = asyncScheduler }: DashboardServerOptions): TeamGate {
  const { identity, publicUrl } = team;
  if (identity === undefined) return teamGate(kubeConfig, team, scheduler);
  return identityGate(kubeConfig, { ...identity, publicUrl }, scheduler);
}

function serve(kubeConfig: KubeConfigLike, options: DashboardServerOptions): Served {
  const { allowWrites = false, secrets = false, demo = false, namespace: forcedNamespace = null } = options;
  const { name: context, namespace, user } = contextFacts(kubeConfig);
  const hub =
    options.team?.hub === true ? hubKinds.map(({ group, version, plural }) => ({ group, version, plural })) : [];
  const facts = { context, contexts: [], namespace, forcedNamespace, allowWrites, secrets, demo, hub };
  let known: Promise<string | null> | undefined;
  // Without the credentials of the kubeconfig, no mistake can send them for a viewer.
  const own = options.team === undefined ? kubeConfig : addressOf(kubeConfig);
  return {
    proxy: apiProxy(own, options),
    async info(viewer) {
      if (viewer !== undefined) {
        const { user, until } = viewer;
        return { ...facts, user, ...(until !== undefined && { session: { until: new Date(until).toISOString() } }) };
      }
      // Requests the name again until the API server has returned it once.
      const said = await (known ??= userName(own, options.scheduler ?? asyncScheduler));
      if (said === null) known = undefined;
      return { ...facts, user: said ?? user };
    },
  };
}

const loopback = '127.0.0.1';

/** The maximum size of the headers of a request in bytes, including the cookies of a session. */
const headersWithCookies = 32 * 1024;

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
