import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { StatusError, type KubeClient } from 'rx-informers';
import { serveHub, type HubSocket } from 'rx-informers/hub';
import { kubeClient, type KubeConfigLike } from 'rx-informers/node';
import { latestOnly } from 'rx-informers/store';
import { tap, type SchedulerLike } from 'rxjs';
import { WebSocketServer, type WebSocket } from 'ws';
import { isHubUpgrade, type AdmissionOptions } from './admission.js';
import { answerWithFailure, type Failure } from './failure.js';
import { hubKinds } from './hub-kinds.js';
import type { TeamGate, Viewer } from './team-gate.js';
import { addressOf } from './viewer-token.js';
import { answerUpgrade } from './watch-sockets.js';

export interface HubSocketsOptions {
  /** The API server, and the account of the hub. */
  readonly kubeConfig: KubeConfigLike;
  readonly gate: Pick<TeamGate, 'admitSocket'>;
  readonly admission: Pick<AdmissionOptions, 'site'>;
  /** Receives the errors of the hub's own requests, with more detail than viewers receive. */
  readonly onError?: ((error: Error) => void) | undefined;
  readonly scheduler?: SchedulerLike | undefined;
}

export interface HubSockets {
  /**
   * Opens the socket of a viewer, or refuses it. Returns false for a request that is not for the
   * hub, and leaves it as it is.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Closes all sockets and all connections to the API server. */
  close(): void;
}

/** The sockets that one token or identity may have open. A browser has one, or one a tab. */
export const maxSocketsOfViewer = 20;

/**
 * The longest message of a viewer in bytes, also after decompression. A page sends less than 5 KB.
 */
const maxPayload = 16 * 1024;

/**
 * The pings of a viewer after which its socket is closed. A browser sends none, and a proxy on the
 * way only a few a minute.
 */
const maxPings = 10_000;

/** Milliseconds for which the server waits until a browser confirms that a socket is closed. */
const closeTimeout = 1_000;

/**
 * Serves the hub at `/hub`: one watch a kind for all viewers.
 *
 * | request | answer |
 * | --- | --- |
 * | an upgrade that `isHubUpgrade` accepts, from a viewer | a WebSocket to the hub, in which the viewer has its own rights |
 * | without a session, or an identity | 401 |
 * | more sockets of one token or identity than `maxSocketsOfViewer` | 429 |
 *
 * The hub reads its kinds with the account of the kubeconfig. The rights of a token are reviewed
 * with that token, by a client without other credentials. The rights of an identity are reviewed by
 * the account, as a SubjectAccessReview.
 *
 * **Guarantees**: The gate identifies a viewer before the upgrade. Its socket closes when the
 * session ends. If the API server answers 401 to a review, all sessions of that token end.
 * A compressed message that expands beyond `maxPayload` closes the socket, and is not expanded
 * further. After the hub has closed a socket, nothing more is read from it.
 */
export function hubSockets({ kubeConfig, gate, admission, onError, scheduler }: HubSocketsOptions): HubSockets {
  const account = kubeClient(kubeConfig, { http2: true, userAgent: 'rx-informers-dashboard-hub' });
  const reviews = kubeClient(addressOf(kubeConfig), { http2: true, userAgent: 'rx-informers-dashboard' });
  /** The viewers by their token, or by their whole identity. */
  const viewers = new Map<string, Set<Viewer>>();
  const hub = serveHub({
    client: account,
    kinds: hubKinds,
    clientOf: (token) =>
      clientWithToken(reviews, token, () => {
        for (const viewer of [...(viewers.get(token) ?? [])]) viewer.refused();
      }),
    reading: { dedup: latestOnly, watchTimeout: [60, 120] },
    onError,
    scheduler,
  });
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    closeTimeout,
    perMessageDeflate: {
      threshold: 1024,
      // Without these, each connection keeps its dictionaries.
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
      zlibDeflateOptions: { level: 3, memLevel: 7 },
    },
  });

  /** Counts a socket until it closes. Returns false if the viewer has too many. */
  function add(viewer: Viewer, socket: Duplex): boolean {
    const key = 'token' in viewer.identity ? viewer.identity.token : JSON.stringify(viewer.identity);
    const own = viewers.get(key) ?? new Set();
    if (own.size >= maxSocketsOfViewer) return false;
    viewers.set(key, own.add(viewer));
    socket.once('close', () => {
      own.delete(viewer);
      if (own.size === 0) viewers.delete(key);
    });
    return true;
  }

  return {
    upgrade(request, socket, head) {
      if (!isHubUpgrade(request, admission)) return false;
      socket.on('error', () => undefined);
      const refuse = (failure: Failure): true => {
        answerUpgrade(request, socket, (_, response) => {
          answerWithFailure(response, failure);
        });
        return true;
      };
      const viewer = gate.admitSocket(request, socket);
      if (viewer === undefined) return refuse({ code: 401, message: 'you are not signed in' });
      if (!add(viewer, socket)) return refuse({ code: 429, message: 'you have too many connections to the hub' });
      server.handleUpgrade(request, socket, head, (opened) => {
        limitPings(opened);
        hub.accept(hubSocketOf(opened), viewer.identity);
      });
      return true;
    },
    close() {
      hub.stop();
      account.close();
      reviews.close();
    },
  };
}

/** Closes a socket that sends too many pings. The hub does not see them. */
function limitPings(socket: WebSocket): void {
  let pings = 0;
  socket.on('ping', () => {
    pings++;
    if (pings > maxPings) socket.terminate();
  });
}

/** Returns the socket for the hub. Nothing is read any more once the hub has closed it. */
function hubSocketOf(socket: WebSocket): HubSocket {
  return {
    send: (text) => {
      socket.send(text);
    },
    close: (code, reason) => {
      socket.close(code, reason);
      socket.pause();
    },
    addEventListener: (type, listener) => {
      socket.addEventListener(type, listener);
    },
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
  };
}

/** Returns a client that sends a bearer token with each request of another client. */
function clientWithToken(client: KubeClient, token: string, onUnauthorized: () => void): KubeClient {
  const error = (failure: unknown): void => {
    if (failure instanceof StatusError && failure.statusCode === 401) onUnauthorized();
  };
  return {
    scheduler: client.scheduler,
    random: client.random,
    server: client.server,
    exchange: (request) => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      return client.exchange({ ...request, headers }).pipe(tap({ error }));
    },
  };
}
