import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificates.js';

/** An HTTP proxy on a free port of this machine. It resolves every name to 127.0.0.1. */
export interface TestProxy {
  /** The address, without a scheme. */
  readonly host: string;
  /** The targets of all tunnels, such as `kubernetes.test:443`. */
  readonly tunnels: readonly string[];
  /** The URLs of all requests that were forwarded. */
  readonly forwarded: readonly string[];
  /** The number of requests for a tunnel whose connection is open. */
  readonly open: number;
  close(): void;
}

export interface TestProxyOptions {
  /** The port of the server behind the proxy. Default: that of the request. */
  readonly port?: number;
  /** `user:password`. The proxy refuses requests with another login. Default: it asks for none. */
  readonly login?: string;
  readonly certificate?: Certificate;
  /** If true, a request for a tunnel gets no answer. */
  readonly isSilent?: boolean;
}

export async function startProxy({ port, login, certificate, isSilent }: TestProxyOptions = {}): Promise<TestProxy> {
  const [tunnels, forwarded]: [string[], string[]] = [[], []];
  const sockets = new Set<Duplex>();
  const server = certificate === undefined ? createServer() : createSecureServer({ ...certificate });
  const isRefused = ({ headers }: IncomingMessage): boolean =>
    login !== undefined && headers['proxy-authorization'] !== `Basic ${Buffer.from(login).toString('base64')}`;
  server.on('connect', (request: IncomingMessage, downstream: Duplex, head: Buffer) => {
    sockets.add(downstream);
    downstream.on('close', () => sockets.delete(downstream));
    downstream.on('error', () => downstream.destroy());
    if (isSilent) {
      downstream.resume().on('end', () => downstream.destroy());
      return;
    }
    if (isRefused(request)) {
      downstream.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const upstream = connect(port ?? Number(new URL(`http://${request.url}`).port), '127.0.0.1', () => {
      downstream.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(downstream).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => downstream.destroy());
    downstream.on('error', () => upstream.destroy());
    downstream.on('close', () => upstream.destroy());
  });
  server.on('request', (request: IncomingMessage, response) => {
    forwarded.push(request.url ?? '');
    const { pathname } = new URL(request.url ?? '');
    const { method, headers } = request;
    httpRequest({ port, method, headers, path: pathname }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    forwarded,
    get open() {
      return sockets.size;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
