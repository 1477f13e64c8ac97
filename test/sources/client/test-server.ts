import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createSecureServer as createHttp2Server, type Http2ServerRequest } from 'node:http2';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The common name of the client certificate. */
  readonly clientName: string | undefined;
  /** The connection. With HTTP/2, other requests share it. */
  readonly socket: Socket;
  /**
   * Returns true if the client has aborted the request, by closing the connection or by resetting
   * the stream.
   */
  readonly hasGivenUp: () => boolean;
}

export interface TestServerOptions extends ServerOptions {
  /** True if the server offers HTTP/2 in addition to HTTP/1.1. HTTP/2 needs a certificate. */
  readonly http2?: boolean;
}

/** A real HTTP server on a free port of this machine. It records its requests. */
export interface TestServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The number of TCP connections accepted since the start. */
  readonly accepted: number;
  /** The number of TCP connections that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

export async function startServer(answer: Answer, secure?: TestServerOptions): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const secureSockets = new Map<number | undefined, Socket>();
  let accepted = 0;

  const listener: RequestListener = (request, response) => {
    // A request whose body breaks off does not count.
    void text(request).then(
      (body) => {
        const received = toReceived(request, body, secureSockets.get(request.socket.remotePort) ?? request.socket);
        requests.push(received);
        answer(received, response);
      },
      () => undefined,
    );
  };
  const server = serverOf(listener, secure);
  server.on('connection', (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  // Requests over HTTP/2 do not expose their socket, so the sockets are stored by port.
  server.on('secureConnection', (socket: Socket) => secureSockets.set(socket.remotePort, socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `${secure === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get accepted() {
      return accepted;
    },
    get open() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function serverOf(listener: RequestListener, secure: TestServerOptions | undefined): Server {
  if (secure === undefined) return createServer(listener);
  if (secure.http2 !== true) return createSecureServer(secure, listener);
  // For the purposes of these tests, requests and responses of HTTP/2 are like those of HTTP/1.1.
  return createHttp2Server({ ...secure, allowHTTP1: true }, listener as never);
}

function toReceived(request: IncomingMessage, body: string, socket: Socket): ReceivedRequest {
  const { stream } = request as unknown as Partial<Http2ServerRequest>;
  const certificate =
    'getPeerCertificate' in socket ? (socket.getPeerCertificate as () => PeerCertificate)() : undefined;
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body,
    clientName: certificate?.subject?.CN,
    socket,
    hasGivenUp: () => stream?.closed ?? socket.destroyed,
  };
}

interface PeerCertificate {
  readonly subject?: { readonly CN?: string };
}

/** Returns an answer with this value as JSON. */
export function json(value: unknown, code = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}
