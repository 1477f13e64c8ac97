import { Observable, tap, type SchedulerLike } from 'rxjs';
import { steady } from '../../scheduling/clock.js';
import { type RequestLine, connectionError } from '../model/errors.js';
import type { ResponsePart } from './kube-client.js';

/** The part of the browser's `WebSocket` that watches use. */
export interface WatchSocket {
  binaryType: 'arraybuffer' | 'blob';
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: WatchSocketClose) => void): void;
  close(code?: number): void;
}

/** The way in which a WebSocket was closed. */
export interface WatchSocketClose {
  readonly code: number;
  readonly reason: string;
  /** True if both sides sent a close frame. */
  readonly wasClean: boolean;
}

/**
 * The timeout for opening a WebSocket, in milliseconds. After this time, the watch is sent by
 * `fetch`. Below the timeout of `listWatch` for a response.
 */
const upgradeTimeout = 10_000;

/** Options of `webSocketWatches`. */
export interface WebSocketWatchesOptions {
  /**
   * Opens a WebSocket. Default: `new WebSocket(url, protocols)` of the browser. API servers refuse
   * a WebSocket without an `Origin` header, which browsers always send and Node's own `WebSocket`
   * does not; in Node, use the package `ws` with its option `origin`.
   */
  readonly open?: ((url: string, protocols: string[]) => WatchSocket) | undefined;
}

/** One watch as `fetchClient` would send it: credentials are already read. */
export interface WatchMessage {
  readonly line: RequestLine;
  /** The URL of the watch; it may be relative to the page. */
  readonly url: string;
  readonly headers: Headers;
}

/** Sends the watches of a `fetchClient` without `fetch`. `webSocketWatches` creates it. */
export interface WatchTransport {
  /** The only transport besides `fetch`. */
  readonly name: 'web-socket';
  /**
   * Returns the function that sends the watches of one client. The function is part of this value,
   * so that bundles of programs without WebSockets do not contain it.
   *
   * @internal
   */
  readonly forClient: (
    scheduler: SchedulerLike | undefined,
  ) => (message: WatchMessage, byFetch: Observable<ResponsePart>) => Observable<ResponsePart>;
}

/**
 * Sends the watches of a `fetchClient` over WebSockets. With HTTP/1.1, a browser opens at most six
 * connections to one host, for all tabs together, and each watch by `fetch` takes one of them.
 * WebSockets do not count among the six (Chromium allows 255 per host). Lists and writes still use
 * `fetch`. With HTTP/2, which browsers use only over TLS, this limit does not exist, and WebSockets
 * are not needed.
 *
 * | the WebSocket | the watch |
 * | --- | --- |
 * | opens | emits a head with status 200, then the bytes of each message |
 * | is closed with 1000, 1001 or no code | completes |
 * | breaks, or is closed with a code other than 1000 and 1001 | fails with an `RXI_CONNECTION` |
 * | does not open, and `fetch` is refused too | fails with the error of `fetch`, because a browser reports no reason for a refused upgrade |
 * | does not open, but `fetch` succeeds | continues by `fetch`; if no WebSocket has opened so far, all later watches use `fetch` |
 *
 * A WebSocket of a browser cannot send headers. `Authorization: Bearer` is sent as the subprotocol
 * `base64url.bearer.authorization.k8s.io.…`, and cookies are sent by the browser. A watch that
 * needs another header (`metadataOnly`, impersonation, basic authentication) is sent by `fetch`.
 *
 * The behaviour of API servers, observed with Kubernetes 1.36 and 1.20, directly and through
 * `kubectl proxy`:
 * - Each event is one text message that ends with a line break, also with the subprotocols
 *   `binary.k8s.io` and `base64.binary.k8s.io`. A message of 700 KB is not split. Only protobuf
 *   events, which a browser cannot request, are binary messages.
 * - A watch ends with close code 1000 after `timeoutSeconds`. An idle watch from a future version
 *   ends with the same code.
 * - 401, 403, 404, 406 and 422 are sent before the upgrade. An expired version is an ERROR event
 *   with code 410 within the watch, as without a WebSocket.
 * - `sendInitialEvents` works (1.36); 1.20 answers 422 before the upgrade.
 * - Without `Origin`, or with the origin `null`, the answer is a 403 without a body. Any other
 *   origin is accepted. With two subprotocols, the answer is a 400. The subprotocol with the token
 *   does not count, and another subprotocol must follow it.
 * - The server answers a ping with a pong, and sends no pings itself. Compression is not
 *   negotiated.
 *
 * **Guarantees**: the guarantees of `KubeClient`. Unsubscribing closes the WebSocket. **Does not
 * guarantee**: back-pressure; the browser buffers messages that the page has not yet handled. A
 * half-open connection is detected when the watch exceeds its timeout, as with `fetch`.
 *
 * @param options how WebSockets are opened
 * @returns a value for the option `watches` of {@link fetchClient}
 * @example
 * import { fetchClient } from 'rx-informers';
 * import { webSocketWatches } from 'rx-informers/client';
 *
 * const client = fetchClient({ baseUrl: '/k8s', watches: webSocketWatches() });
 */
export function webSocketWatches(options: WebSocketWatchesOptions = {}): WatchTransport {
  const { open = (url, protocols) => new WebSocket(url, protocols) } = options;
  return {
    name: 'web-socket',
    forClient: (scheduler) => {
      let upgrades: 'unknown' | 'work' | 'fail' = 'unknown';
      const noteOutcome = tap<ResponsePart>((part) => {
        if (part.type === 'head' && part.status < 300 && upgrades === 'unknown') upgrades = 'fail';
      });
      return (message, byFetch) =>
        new Observable((subscriber) => {
          const protocols = upgrades === 'fail' ? undefined : protocolsFor(message.headers);
          if (protocols === undefined) {
            byFetch.subscribe(subscriber);
            return;
          }
          let state: 'opening' | 'open' | 'done' = 'opening';
          const useFetch = (): void => {
            state = 'done';
            byFetch.pipe(noteOutcome).subscribe(subscriber);
          };
          let socket: WatchSocket;
          try {
            socket = open(socketUrl(message.url), protocols);
          } catch {
            // `open` throws, for example, for an http server on an https page, or because of a
            // content security policy.
            useFetch();
            return;
          }
          const alarm = steady(scheduler).schedule(() => {
            useFetch();
            socket.close(1000);
          }, upgradeTimeout);
          // Later events of the socket are ignored: some sockets emit more while they close.
          subscriber.add(() => {
            alarm.unsubscribe();
            if (state === 'done') return;
            state = 'done';
            socket.close(1000);
          });
          socket.binaryType = 'arraybuffer';
          socket.addEventListener('open', () => {
            if (state !== 'opening') return;
            state = 'open';
            upgrades = 'work';
            alarm.unsubscribe();
            subscriber.next({ type: 'head', status: 200, headers: { 'content-type': 'application/json' } });
          });
          socket.addEventListener('message', ({ data }) => {
            const bytes = bytesOf(data);
            if (state === 'open' && bytes.length > 0) subscriber.next({ type: 'bytes', bytes });
          });
          // A 'close' with the code follows. Without a listener, the package `ws` would throw.
          socket.addEventListener('error', () => undefined);
          socket.addEventListener('close', ({ code, reason, wasClean }) => {
            const stateBefore = state;
            state = 'done';
            alarm.unsubscribe();
            if (stateBefore === 'opening') useFetch();
            else if (stateBefore === 'done') return;
            else if (wasClean && cleanCodes.includes(code)) subscriber.complete();
            else subscriber.error(connectionError(message.line, closeError(code, reason)));
          });
        });
    },
  };
}

/** Normal closure, going away, and a close frame without a code. */
const cleanCodes: readonly number[] = [1000, 1001, 1005];

function closeError(code: number, reason: string): Error {
  return new Error(`the WebSocket was closed with code ${code}${reason && `: ${reason}`}`);
}

function bytesOf(data: unknown): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer);
}

function socketUrl(url: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const absolute = new URL(url, location?.href);
  absolute.protocol = absolute.protocol.replace('http', 'ws');
  return absolute.href;
}

/**
 * An `Accept` header that may be omitted. Without the header, servers also respond with JSON of
 * whole objects. Parameters that only shorten the response are not essential.
 */
const plainJson = /^application\/json(?!.*;\s*as=)/;
const bearer = /^bearer\s+(\S+)$/i;

/** Returns the subprotocols that replace the headers; `undefined` if that is not possible. */
function protocolsFor(headers: Headers): string[] | undefined {
  const protocols: string[] = [];
  for (const [name, value] of headers) {
    if (name === 'accept' && plainJson.test(value)) continue;
    const token = name === 'authorization' ? bearer.exec(value)?.[1] : undefined;
    if (token === undefined) return undefined;
    // The server removes the first subprotocol, and requires a second subprotocol.
    protocols.push(`base64url.bearer.authorization.k8s.io.${base64Url(token)}`, 'binary.k8s.io');
  }
  return protocols;
}

function base64Url(text: string): string {
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
