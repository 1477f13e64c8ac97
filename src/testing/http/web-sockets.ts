import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { defer } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import {
  ConnectionFault,
  textReply,
  type ApiRequest,
  type RequestHandler,
  type StreamReply,
  type WholeReply,
} from '../api-server/exchange/exchange.js';
import { optionalPackage, type ServedWebSocket, type WebSocketServer } from '../optional-packages.js';

/** A listener for the event 'upgrade' of an HTTP server. */
export type UpgradeListener = (message: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The number of bytes in the socket's buffer above which no further events are written. */
const highWaterMark = 64 * 1024;

/**
 * Serves watches over WebSockets as a real API server does: one text message for each event, and
 * close code 1000 at the end. A refusal is an HTTP response. A WebSocket without an origin is
 * refused with 403; any origin is accepted. Needs the package `ws`; without it, the answer is 501.
 */
export function serveWebSockets(handle: RequestHandler, maxBacklog: number): UpgradeListener {
  let server: WebSocketServer | undefined;

  function open(message: IncomingMessage, socket: Duplex, head: Buffer, reply: StreamReply): void {
    const { origin } = message.headers;
    const offered = protocolsOf(message).filter((name) => !name.startsWith(bearerProtocol));
    if (origin === undefined || origin === 'null') refuse(socket, textReply(403, ''));
    else if (offered.length > 1) refuse(socket, textReply(400, ''));
    else {
      const { WebSocketServer } = optionalPackage('ws', 'a watch over a WebSocket');
      server ??= new WebSocketServer({ noServer: true, handleProtocols: (names) => chosenProtocol(names) });
      server.handleUpgrade(message, socket, head, (webSocket) => sendEvents(reply, { webSocket, socket, maxBacklog }));
    }
  }

  return (message, socket, head) => {
    socket.on('error', () => undefined);
    // A request whose target is not a URL ends the connection, like any other error.
    const subscription = defer(() => handle(withBearer(apiRequestOf(message, '')))).subscribe({
      next: (reply) => {
        try {
          if (reply.type === 'whole') refuse(socket, reply);
          else open(message, socket, head, reply);
        } catch (error) {
          if (!isRxInformersError(error, 'RXI_MISSING_PACKAGE')) throw error;
          refuse(socket, textReply(501, error.message));
        }
      },
      error: (error: unknown) => breakSocket(socket, error),
    });
    socket.on('close', () => subscription.unsubscribe());
  };
}

interface Connection {
  readonly webSocket: ServedWebSocket;
  readonly socket: Duplex;
  readonly maxBacklog: number;
}

/** Reads an event only when the socket took the last one: a slow client needs no buffer. */
function sendEvents(reply: StreamReply, { webSocket, socket, maxBacklog }: Connection): void {
  let isOpened = false;
  const pump = (): void => {
    if (!isOpened || webSocket.readyState !== webSocket.OPEN) return;
    while (webSocket.bufferedAmount < highWaterMark) {
      const line = reader.read();
      if (line === undefined) {
        if (reader.broken !== undefined) breakSocket(socket, reader.broken);
        else if (reader.ended) webSocket.close(1000);
        return;
      }
      webSocket.send(line, pump);
    }
    if (reader.backlog > maxBacklog) webSocket.terminate();
  };
  const reader = reply.open({ readable: pump });
  isOpened = true;
  webSocket.on('error', () => undefined);
  webSocket.on('close', () => reader.close());
  pump();
}

function refuse(socket: Duplex, { status, headers, body }: WholeReply): void {
  const fields = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

function protocolsOf({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] {
  const names = headers['sec-websocket-protocol']?.split(',') ?? [];
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

function chosenProtocol(names: ReadonlySet<string>): string | false {
  return [...names].find((name) => !name.startsWith(bearerProtocol)) ?? false;
}

/** Takes the bearer token from a subprotocol; as in the real server, only besides another one. */
function withBearer(request: ApiRequest): ApiRequest {
  const protocols = protocolsOf(request);
  const encoded = protocols.find((name) => name.startsWith(bearerProtocol))?.slice(bearerProtocol.length);
  if (encoded === undefined || protocols.length < 2) return request;
  const authorization = `Bearer ${Buffer.from(encoded, 'base64url').toString()}`;
  return { ...request, headers: { authorization, ...request.headers } };
}

/** Returns the request that the core of the server answers. */
export function apiRequestOf(message: IncomingMessage, body: string): ApiRequest {
  const target = message.url ?? '/';
  // A path that begins with `//` would be read as a host.
  const url = target.startsWith('/') ? new URL(`http://localhost${target}`) : new URL(target, 'http://localhost');
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(message.headers)
        // In HTTP/2, method and path are pseudo-headers, which are left out.
        .filter(([name]) => !name.startsWith(':'))
        .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
    ),
    body,
  };
}

/** Breaks a connection as a fault describes; after any other error, destroys it. */
export function breakSocket(socket: Duplex, error: unknown): void {
  if (error instanceof ConnectionFault && socket instanceof Socket) {
    if (error.how === 'cut') {
      // Data written so far is still sent, but the end of the body is not sent.
      socket.destroySoon();
      return;
    }
    if (!(socket instanceof TLSSocket)) socket.resetAndDestroy();
  }
  socket.destroy();
}
