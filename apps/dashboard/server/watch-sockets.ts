import {
  request as httpRequest,
  ServerResponse,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform, type Duplex, type TransformCallback } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';

/** Answers a request to upgrade a connection. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Returns a listener that serves watches over WebSockets as well. With HTTP/1.1, a browser opens at
 * most six connections to a host, and each watch needs one of them. The page of one cluster watches
 * more than six kinds. WebSockets do not count towards this limit.
 *
 * A WebSocket becomes a request to this server itself, so the listener checks its origin, key and
 * path as for any request. If the request is not answered with 200, the WebSocket is not opened,
 * and the browser repeats the request with `fetch` to learn the reason.
 *
 * A WebSocket of a browser cannot send `Accept`. The subprotocol {@link tableProtocol} asks for
 * tables.
 *
 * **Guarantees**: Only a GET of a watch, from a page that sends its origin, becomes a WebSocket.
 * The listener refuses any other upgrade. Messages from the browser are ignored. Nothing is read
 * faster than the browser accepts it.
 *
 * @param identifying the headers by which a proxy identifies viewers. The listener receives them
 */
export function watchSockets(
  server: Server,
  listener: RequestListener,
  identifying: readonly string[] = [],
): UpgradeListener {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: { threshold: 1024 } });
  return (request, socket, head) => {
    if (!isWatch(request)) {
      answerUpgrade(request, socket, listener);
      return;
    }
    socket.on('error', () => undefined);
    const { address, port } = server.address() as AddressInfo;
    const { host, origin, cookie, 'sec-fetch-site': site, 'sec-websocket-protocol': protocols } = request.headers;
    const headers = {
      host,
      origin,
      accept: protocols?.split(/,\s*/).includes(tableProtocol) === true ? acceptTables : 'application/json',
      ...(cookie && { cookie }),
      ...(site && { 'sec-fetch-site': site }),
      // A repeated header stays repeated, because it is refused.
      ...Object.fromEntries(identifying.map((name) => [name, request.headersDistinct[name] ?? []])),
    };
    const upstream = httpRequest({ host: ownAddress(address), port, path: request.url, headers, agent: false });
    socket.once('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    upstream.once('response', (answer) => {
      if (answer.statusCode !== 200) {
        socket.end(`HTTP/1.1 ${answer.statusCode ?? 502} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
        answer.destroy();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (opened) => {
        const stream = createWebSocketStream(opened);
        stream.on('error', () => answer.destroy());
        stream.resume();
        // Does not use `pipe`, which would end a broken answer as if it were complete.
        answer.once('error', () => {
          opened.terminate();
        });
        answer.pipe(new Gathering()).pipe(stream);
      });
    });
    upstream.end();
  };
}

/** The subprotocol of a watch of tables. `page/cluster/reading.ts` has the same name. */
const tableProtocol = 'table.rx-informers';
const acceptTables = 'application/json;as=Table;v=v1;g=meta.k8s.io;drop=metadata.managedFields,application/json';

/** Returns an address of this machine at which a server listens. */
function ownAddress(listening: string): string {
  if (listening === '0.0.0.0') return '127.0.0.1';
  return listening === '::' ? '::1' : listening;
}

/** The number of bytes after which a message is sent without waiting for more. */
const largestMessage = 64 * 1024;

/**
 * Joins the chunks that arrive in one turn of the event loop. Each chunk becomes a message, and one
 * message with many events compresses better than many messages. No event waits for a later one.
 */
class Gathering extends Transform {
  #chunks: Buffer[] = [];
  #size = 0;
  #turn: NodeJS.Immediate | undefined;

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= largestMessage) this.#send();
    else this.#turn ??= setImmediate(() => this.#send());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#send();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearImmediate(this.#turn);
    done(error);
  }

  #send(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#size = 0;
    if (chunks.length > 0) this.push(Buffer.concat(chunks));
  }
}

function isWatch({ method, url = '', headers, rawHeaders }: IncomingMessage): boolean {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers.origin !== undefined &&
    rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length === 1 &&
    new URLSearchParams(query).get('watch') === 'true'
  );
}

/**
 * Answers an upgrade with a listener, as if it were a plain request. The listener refuses the
 * upgrade.
 */
export function answerUpgrade(request: IncomingMessage, socket: Duplex, listener: RequestListener): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => socket.end());
  listener(request, response);
}
