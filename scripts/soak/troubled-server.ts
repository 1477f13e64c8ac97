import { KubeConfig } from '@kubernetes/client-node';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { generateCertificates } from '../../src/testing/http/http-server.js';
import { startTcpProxy } from '../../test/support/tcp-proxy.js';

/** What the proxy does with requests and with the responses that are in progress. */
type Mode =
  | { readonly name: 'forward' }
  /** Accepts requests and forwards nothing in either direction. Connections stay open. */
  | { readonly name: 'stall' }
  /** Answers every new request with this status. */
  | { readonly name: 'refuse'; readonly status: number; readonly retryAfter?: number };

/** An HTTP proxy in front of an API server. The proxy can be made to misbehave. */
export interface TroubledServer {
  /** A kubeconfig with the address of the proxy. */
  readonly kubeConfig: KubeConfig;
  setMode(mode: Mode): void;
  /** Resets every connection in the middle of a response. */
  resetConnections(): void;
  /** Ends every response cleanly, perhaps in the middle of a line. */
  endResponses(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy on a free loopback port, in front of the server of a kubeconfig whose user has a
 * token.
 *
 * @param http2 true for a proxy with TLS and HTTP/2. With HTTP/2, trouble with a connection affects
 *   all requests on that connection.
 */
export async function startTroubledServer(upstream: KubeConfig, http2: boolean): Promise<TroubledServer> {
  const cluster = upstream.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current cluster');
  const { server: upstreamUrl, caData = '' } = cluster;
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(caData, 'base64') });
  const inFlight = new Set<{ readonly answer: ServerResponse; readonly source: IncomingMessage }>();
  let mode: Mode = { name: 'forward' };

  function forward(asked: IncomingMessage, answer: ServerResponse): void {
    const target = new URL(asked.url ?? '/', upstreamUrl);
    const headers = Object.fromEntries(
      Object.entries(asked.headers).filter(([name]) => name !== 'host' && !name.startsWith(':')),
    );
    const sent = httpsRequest(target, { agent, method: asked.method, headers }, (source) => {
      if (answer.destroyed) {
        source.destroy();
        return;
      }
      const exchange = { answer, source };
      inFlight.add(exchange);
      const { connection: _connection, 'transfer-encoding': _encoding, ...received } = source.headers;
      answer.writeHead(source.statusCode ?? 502, received);
      answer.flushHeaders();
      source.pipe(answer);
      if (mode.name === 'stall') source.unpipe(answer);
      // If the connection to the API server breaks, the response must break too. It must not look
      // complete.
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

  const answerRequest = (asked: IncomingMessage, answer: ServerResponse): void => {
    if (mode.name === 'stall' && !http2) return;
    if (mode.name !== 'refuse') {
      forward(asked, answer);
      return;
    }
    const { status, retryAfter } = mode;
    if (retryAfter !== undefined) answer.setHeader('retry-after', retryAfter);
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: 'soak' }));
  };
  const certificates = http2 ? await generateCertificates() : undefined;
  const server: Server = certificates
    ? createSecureServer(certificates, answerRequest as never)
    : createServer(answerRequest);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network = http2 ? await startTcpProxy((server.address() as AddressInfo).port) : undefined;
  const port = network?.port ?? (server.address() as AddressInfo).port;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'troubled', server: `${http2 ? 'https' : 'http'}://127.0.0.1:${port}`, skipTLSVerify: true }],
    users: [{ name: 'soak', token: upstream.getCurrentUser()?.token }],
    contexts: [{ name: 'soak', cluster: 'troubled', user: 'soak' }],
    currentContext: 'soak',
  });
  return {
    kubeConfig,
    setMode: (next) => {
      mode = next;
      if (network !== undefined) {
        if (next.name === 'stall') network.stall();
        else network.resume();
        return;
      }
      for (const { answer, source } of inFlight) {
        if (next.name === 'stall') source.unpipe(answer);
        else source.pipe(answer);
      }
    },
    resetConnections: () => {
      network?.cut();
      for (const { answer } of inFlight) answer.destroy();
    },
    endResponses: () => {
      for (const { answer, source } of inFlight) {
        source.unpipe(answer);
        answer.end();
      }
    },
    close: async () => {
      await network?.close();
      await new Promise<void>((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}
