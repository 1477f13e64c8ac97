import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';

/** What the proxy does with requests and with the responses in flight. */
export type Mode =
  | { readonly name: 'forward' }
  /** Accepts requests and forwards nothing in either direction; connections stay open. */
  | { readonly name: 'stall' }
  /** Answers every new request with this status. */
  | { readonly name: 'refuse'; readonly status: number; readonly retryAfter?: number };

/** A plain HTTP proxy before an API server that can be made to misbehave. */
export interface TroubledServer {
  /** Leads through the proxy. */
  readonly kubeConfig: KubeConfig;
  setMode(mode: Mode): void;
  /** Resets every connection in the middle of whatever it carries. */
  resetConnections(): void;
  /** Ends every response cleanly, though it may be in the middle of a line. */
  endResponses(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free loopback port, before the server of a kubeconfig whose user has a token. */
export async function startTroubledServer(upstream: KubeConfig): Promise<TroubledServer> {
  const cluster = upstream.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current cluster');
  const { server: upstreamUrl, caData = '' } = cluster;
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(caData, 'base64') });
  const inFlight = new Set<{ readonly answer: ServerResponse; readonly source: IncomingMessage }>();
  let mode: Mode = { name: 'forward' };

  function forward(asked: IncomingMessage, answer: ServerResponse): void {
    const target = new URL(asked.url ?? '/', upstreamUrl);
    const { host: _, ...headers } = asked.headers;
    const sent = httpsRequest(target, { agent, method: asked.method, headers }, (source) => {
      if (answer.destroyed) {
        source.destroy();
        return;
      }
      const exchange = { answer, source };
      inFlight.add(exchange);
      answer.writeHead(source.statusCode ?? 502, source.headers);
      answer.flushHeaders();
      source.pipe(answer);
      if (mode.name === 'stall') source.unpipe(answer);
      // A connection to the API server that breaks off must not look like the end of the response.
      source.on('aborted', () => answer.destroy());
      source.on('error', () => answer.destroy());
      answer.on('close', () => {
        inFlight.delete(exchange);
        source.destroy();
      });
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    asked.pipe(sent);
  }

  const server = createServer((asked, answer) => {
    if (mode.name === 'stall') return;
    if (mode.name === 'forward') {
      forward(asked, answer);
      return;
    }
    const { status, retryAfter } = mode;
    if (retryAfter !== undefined) answer.setHeader('retry-after', retryAfter);
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: 'soak' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'troubled', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }],
    users: [{ name: 'soak', token: upstream.getCurrentUser()?.token }],
    contexts: [{ name: 'soak', cluster: 'troubled', user: 'soak' }],
    currentContext: 'soak',
  });
  return {
    kubeConfig,
    setMode: (next) => {
      mode = next;
      for (const { answer, source } of inFlight) {
        if (next.name === 'stall') source.unpipe(answer);
        else source.pipe(answer);
      }
    },
    resetConnections: () => {
      for (const { answer } of inFlight) answer.destroy();
    },
    endResponses: () => {
      for (const { answer, source } of inFlight) {
        source.unpipe(answer);
        answer.end();
      }
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
