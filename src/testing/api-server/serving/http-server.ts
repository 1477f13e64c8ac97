import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { optionalPackage } from '../optional-packages.js';
import { type ApiReply, type ApiRequest, type RequestHandler, type StreamReply, ConnectionFault } from '../exchange.js';

export interface HttpServerOptions {
  /** 0 chooses a free one. */
  readonly port: number;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** A watch whose client has this many events still to read is cut off. */
  readonly maxBacklog: number;
}

export interface RunningHttpServer {
  readonly url: string;
  /** Drops every connection, watches included, and frees the port. */
  close(): Promise<void>;
}

/** Serves the core over HTTP on the loopback interface. */
export async function startHttpServer(handle: RequestHandler, options: HttpServerOptions): Promise<RunningHttpServer> {
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    void serve(handle, message, response, options.maxBacklog);
  };
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  // Watches last as long as their own timeout says.
  server.requestTimeout = 0;
  const port = await listen(server, options.port);
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
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

async function serve(
  handle: RequestHandler,
  message: IncomingMessage,
  response: ServerResponse,
  maxBacklog: number,
): Promise<void> {
  // A connection that breaks is the client's business: 'close' follows, and everything is released there.
  response.on('error', ignore);
  let request: ApiRequest;
  try {
    request = await readRequest(message);
  } catch {
    response.destroy();
    return;
  }
  const subscription = handle(request).subscribe({
    next: (reply) => {
      send(reply, response, maxBacklog);
    },
    error: (error: unknown) => {
      breakConnection(response, error);
    },
  });
  response.on('close', () => {
    subscription.unsubscribe();
  });
}

function breakConnection(response: ServerResponse, error: unknown): void {
  const { socket } = response;
  if (error instanceof ConnectionFault && socket !== null) {
    if (error.how === 'cut') {
      // What was written is still sent; the end of the body never is.
      socket.destroySoon();
      return;
    }
    if (!(socket instanceof TLSSocket)) socket.resetAndDestroy();
  }
  response.destroy();
}

function ignore(): void {
  // Deliberately nothing.
}

async function readRequest(message: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const url = new URL(message.url ?? '/', 'http://localhost');
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    ),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function send(reply: ApiReply, response: ServerResponse, maxBacklog: number): void {
  if (response.destroyed) return;
  if (reply.type === 'stream') {
    sendStream(reply, response, maxBacklog);
    return;
  }
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, {
    'cache-control': 'no-cache, private',
    ...reply.headers,
    'content-length': body.byteLength,
  });
  response.end(body);
}

/** Reads on only when the socket has taken what it got: a client that does not read costs a position, not a buffer. */
function sendStream(reply: StreamReply, response: ServerResponse, maxBacklog: number): void {
  response.writeHead(reply.status, { 'cache-control': 'no-cache, private', ...reply.headers });
  response.flushHeaders();
  let blocked = false;
  let opened = false;
  const pump = (): void => {
    if (!opened || response.writableEnded || response.destroyed) return;
    if (blocked) {
      if (reader.behind > maxBacklog) response.destroy();
      return;
    }
    response.cork();
    for (;;) {
      const line = reader.read();
      if (line === undefined) {
        if (reader.ended) response.end();
        break;
      }
      blocked = !response.write(line);
      if (blocked) break;
    }
    response.uncork();
    if (!blocked && reader.broken !== undefined) breakConnection(response, reader.broken);
  };
  const reader = reply.open({ readable: pump });
  opened = true;
  response.on('drain', () => {
    blocked = false;
    pump();
  });
  response.on('close', () => {
    reader.close();
  });
  pump();
}

/** A server certificate for the loopback interface, and the authority that signed it. */
export interface Certificates {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** Creates a new authority and a certificate, in PEM. Nothing else trusts them. */
export async function generateCertificates(): Promise<Certificates> {
  const { generate } = optionalPackage('selfsigned', 'createApiServer({ tls: true })');
  const authority = await generate([{ name: 'commonName', value: 'rx-informers-ca' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'kube-apiserver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: server.private, cert: server.cert, ca: authority.cert };
}
