import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants as http2, createSecureServer, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { constants, createGzip, gzipSync } from 'node:zlib';
import {
  type ApiReply,
  type ApiRequest,
  type BodyReader,
  type RequestHandler,
  type StreamReply,
  type WholeReply,
  ConnectionFault,
} from '../api-server/exchange/exchange.js';
import { bytesOf, concatBytes } from '../api-server/faults/body-faults.js';
import { optionalPackage } from '../optional-packages.js';
import { apiRequestOf, breakSocket, serveWebSockets } from './web-sockets.js';

export interface HttpServerOptions {
  /** The port; 0 chooses a free port. */
  readonly port: number;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Offers HTTP/2 in addition to HTTP/1.1. Needs `tls`. */
  readonly http2: boolean;
  /** The number of unread events of a client at which its watch is cut off. */
  readonly maxBacklog: number;
}

export interface RunningHttpServer {
  readonly url: string;
  /** Drops all connections, including watches, and frees the port. */
  close(): Promise<void>;
}

/** Serves the core over HTTP on the loopback interface. */
export async function startHttpServer(handle: RequestHandler, options: HttpServerOptions): Promise<RunningHttpServer> {
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    void serve(handle, message, response, options.maxBacklog);
  };
  const server = serverOf(listener, options);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', serveWebSockets(handle, options.maxBacklog));
  const port = await listen(server, options.port);
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type HttpListener = (message: IncomingMessage, response: ServerResponse) => void;

function serverOf(listener: HttpListener, options: HttpServerOptions): Server {
  if (options.tls !== undefined && options.http2) {
    // The listener uses only members that requests and responses of both protocols have, and
    // `streamOf`.
    return createSecureServer({ ...options.tls, allowHTTP1: true }, listener as never);
  }
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  // The HTTP server has no timeout, because watches have their own timeouts.
  server.requestTimeout = 0;
  return server;
}

/** Returns the stream of a response over HTTP/2; `undefined` over HTTP/1.1. */
function streamOf(response: ServerResponse): Http2ServerResponse['stream'] | undefined {
  return (response as unknown as Partial<Http2ServerResponse>).stream;
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
  // Errors of a broken connection are ignored. The event 'close' follows and releases everything.
  response.on('error', ignore);
  let request: ApiRequest;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    request = apiRequestOf(message, Buffer.concat(chunks).toString('utf8'));
  } catch {
    response.destroy();
    return;
  }
  const subscription = handle(request).subscribe({
    next: (reply) => send(reply, response, { maxBacklog, acceptsGzip: acceptsGzip(request) }),
    error: (error: unknown) => breakConnection(response, error),
  });
  response.on('close', () => subscription.unsubscribe());
}

function breakConnection(response: ServerResponse, error: unknown): void {
  const stream = streamOf(response);
  if (stream !== undefined) {
    const reset = (): void => stream.close(http2.NGHTTP2_INTERNAL_ERROR);
    // If the head was sent, everything written so far is sent before the connection is reset.
    if (error instanceof ConnectionFault && error.how === 'cut' && response.headersSent) response.write('', reset);
    else reset();
    return;
  }
  if (response.socket === null) response.destroy();
  else breakSocket(response.socket, error);
}

function ignore(): void {
  // This function does nothing on purpose.
}

/** The settings for sending one response. */
interface Sending {
  readonly maxBacklog: number;
  readonly acceptsGzip: boolean;
}

function acceptsGzip({ headers }: ApiRequest): boolean {
  return headers['accept-encoding']?.split(',').some((encoding) => encoding.trim() === 'gzip') === true;
}

/** In bytes. Longer bodies are compressed with the fastest level, as in the real server. */
const maxUncompressed = 128 * 1024;
const level = constants.Z_BEST_SPEED;
const gzipHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

function send(reply: ApiReply, response: ServerResponse, sending: Sending): void {
  if (response.destroyed) return;
  if (reply.type === 'stream') sendStream(reply, response, sending);
  else sendWhole(reply, response, sending);
}

function sendWhole(reply: WholeReply, response: ServerResponse, sending: Sending): void {
  const body = Buffer.from(reply.body);
  const headers = { 'cache-control': 'no-cache, private', ...reply.headers };
  if (sending.acceptsGzip && body.byteLength > maxUncompressed) {
    response.writeHead(reply.status, { ...headers, ...gzipHeaders });
    const gzip = createGzip({ level });
    gzip.pipe(response);
    gzip.end(body);
    return;
  }
  response.writeHead(reply.status, { ...headers, 'content-length': body.byteLength });
  response.end(body);
}

/** Reads a line only when the socket took the last one: a slow client needs no buffer. */
function sendStream(reply: StreamReply, response: ServerResponse, { maxBacklog, acceptsGzip }: Sending): void {
  const isCompressed = acceptsGzip && reply.isCompressible === true;
  response.writeHead(reply.status, {
    'cache-control': 'no-cache, private',
    ...reply.headers,
    ...(isCompressed && gzipHeaders),
  });
  response.flushHeaders();
  let blocked = false;
  let opened = false;
  const pump = (): void => {
    if (!opened || response.writableEnded || response.destroyed) return;
    if (blocked) {
      if (reader.backlog > maxBacklog) response.destroy();
      return;
    }
    response.cork();
    for (;;) {
      const piece = isCompressed ? nextMember(reader) : reader.read();
      if (piece === undefined) {
        if (reader.ended) response.end();
        break;
      }
      blocked = !response.write(piece);
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
  response.on('close', () => reader.close());
  pump();
}

/**
 * Returns everything that can be read now as one gzip member. The real server (1.37) also ends the
 * member whenever it flushes, so that an idle watch keeps no compressor in memory.
 */
function nextMember(reader: BodyReader): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < maxUncompressed;) {
    const piece = reader.read();
    if (piece === undefined) break;
    const bytes = typeof piece === 'string' ? bytesOf(piece) : piece;
    pieces.push(bytes);
    length += bytes.length;
  }
  return pieces.length === 0 ? undefined : gzipSync(concatBytes(pieces), { level });
}

/** A server certificate for the loopback interface, and the authority that signed it. */
export interface Certificates {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** Creates a new authority and a certificate, in PEM. No other program trusts this authority. */
export async function generateCertificates(authorityName = 'rx-informers-ca'): Promise<Certificates> {
  const { generate } = optionalPackage('selfsigned', 'createApiServer({ tls: true })');
  const authority = await generate([{ name: 'commonName', value: authorityName }], {
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
