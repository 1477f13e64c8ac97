import { KubeConfig } from '@kubernetes/client-node';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent, createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCertificates } from '../../src/testing/http/http-server.js';
import { startTcpProxy } from '../../test/support/tcp-proxy.js';

/** What the proxy does with new requests. */
type Mode =
  | { readonly name: 'forward' }
  /** Answers every new request with this status. */
  | { readonly name: 'refuse'; readonly status: number; readonly retryAfter?: number };

/** An HTTP proxy in front of an API server. The proxy can be made to misbehave. */
export interface TroubledServer {
  /** A kubeconfig with the address of the proxy. */
  readonly kubeConfig: KubeConfig;
  setMode(mode: Mode): void;
  /** Forwards nothing in either direction until `resumeConnections`. Connections stay open. */
  stallConnections(): void;
  resumeConnections(): void;
  /** Resets every connection in the middle of a response. */
  resetConnections(): void;
  /** Never forwards anything on the present connections again. Does not close them. */
  silenceConnections(): void;
  /** Writes another token into the file of the kubeconfig. The old one is refused with 401. */
  rotateToken(): void;
  /** Serves with the certificate of another authority, which the kubeconfig trusts, too. */
  rotateCertificate(): void;
  /** Ends every response cleanly, perhaps in the middle of a line. */
  endResponses(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy with TLS on a free loopback port, in front of the server of a kubeconfig whose
 * user has a token.
 *
 * @param http2 true for HTTP/2. With HTTP/2, trouble with a connection affects all requests on that
 *   connection.
 */
export async function startTroubledServer(upstream: KubeConfig, http2: boolean): Promise<TroubledServer> {
  const cluster = upstream.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current cluster');
  const { server: upstreamUrl, caData = '' } = cluster;
  const upstreamToken = upstream.getCurrentUser()?.token ?? '';
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(caData, 'base64') });
  const inFlight = new Set<{ readonly answer: ServerResponse; readonly source: IncomingMessage }>();
  const folder = mkdtempSync(join(tmpdir(), 'rx-informers-soak-'));
  const tokenFile = join(folder, 'token');
  let mode: Mode = { name: 'forward' };
  let rotations = 0;
  const token = (): string => `soak-${rotations}`;
  writeFileSync(tokenFile, token());

  function forward(incoming: IncomingMessage, answer: ServerResponse): void {
    const target = new URL(incoming.url ?? '/', upstreamUrl);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => name !== 'host' && !name.startsWith(':')),
    );
    headers['authorization'] = `Bearer ${upstreamToken}`;
    const sent = httpsRequest(target, { agent, method: incoming.method, headers }, (source) => {
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
    incoming.pipe(sent);
  }

  const answerRequest = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const isKnown = incoming.headers.authorization === `Bearer ${token()}`;
    const refusal: Mode = isKnown ? mode : { name: 'refuse', status: 401 };
    if (refusal.name === 'forward') {
      forward(incoming, answer);
      return;
    }
    const { status, retryAfter } = refusal;
    if (retryAfter !== undefined) answer.setHeader('retry-after', retryAfter);
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: 'soak' }));
  };
  const certificates = [await generateCertificates('first'), await generateCertificates('second')] as const;
  const server = http2
    ? createSecureServer(certificates[0], answerRequest as never)
    : createServer(certificates[0], answerRequest);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network = await startTcpProxy((server.address() as AddressInfo).port);
  const authorities = Buffer.from(certificates.map(({ ca }) => ca).join('\n')).toString('base64');
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'troubled', server: `https://127.0.0.1:${network.port}`, caData: authorities }],
    users: [{ name: 'soak', authProvider: { name: 'tokenFile', config: { tokenFile } } }],
    contexts: [{ name: 'soak', cluster: 'troubled', user: 'soak' }],
    currentContext: 'soak',
  });
  let served = 0;
  return {
    kubeConfig,
    setMode: (next) => {
      mode = next;
    },
    stallConnections: () => {
      network.stall();
    },
    resumeConnections: () => {
      network.resume();
    },
    resetConnections: () => {
      network.cut();
    },
    silenceConnections: () => {
      network.silence();
    },
    rotateToken: () => {
      rotations += 1;
      writeFileSync(tokenFile, token());
    },
    rotateCertificate: () => {
      served = 1 - served;
      server.setSecureContext(certificates[served] ?? certificates[0]);
    },
    endResponses: () => {
      for (const { answer, source } of inFlight) {
        source.unpipe(answer);
        answer.end();
      }
    },
    close: async () => {
      await network.close();
      await new Promise<void>((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
      rmSync(folder, { recursive: true });
    },
  };
}
