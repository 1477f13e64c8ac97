import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Common name of the client certificate. */
  readonly clientName: string | undefined;
  readonly socket: Socket;
}

/** A real HTTP server on a free port of this machine, which remembers what it saw. */
export interface TestServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** TCP connections accepted since the beginning. */
  readonly accepted: number;
  /** TCP connections that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

export async function startServer(answer: Answer, secure?: ServerOptions): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;

  const listener: RequestListener = (request, response) => {
    // A body that breaks off is no request.
    void text(request).then(
      (body) => {
        const received = toReceived(request, body);
        requests.push(received);
        answer(received, response);
      },
      () => undefined,
    );
  };
  const server: Server = secure === undefined ? createServer(listener) : createSecureServer(secure, listener);
  server.on('connection', (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
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

function toReceived(request: IncomingMessage, body: string): ReceivedRequest {
  const { socket } = request;
  const certificate =
    'getPeerCertificate' in socket ? (socket.getPeerCertificate as () => PeerCertificate)() : undefined;
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body,
    clientName: certificate?.subject?.CN,
    socket,
  };
}

interface PeerCertificate {
  readonly subject?: { readonly CN?: string };
}

/** Answers with JSON. */
export function json(value: unknown, code = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}
