import type { Agent, RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { Subscription, type SchedulerLike } from 'rxjs';
import { steady } from '../../../scheduling/clock.js';
import type { FailureReason, SendRequest } from './http-exchange.js';
import { Http2Connection, type Http2Request } from './http2-session.js';
import { TunnelAgent } from './proxy.js';

/** A request for a server that may speak HTTP/2. */
export interface PooledRequest extends Http2Request {
  readonly url: URL;
  /** Certificates and other options of TLS. */
  readonly tls: RequestOptions;
}

/** The HTTP/2 connections of a client. */
export interface Http2Pool {
  /**
   * Sends a request over HTTP/2, or by `fallback` if the server does not support HTTP/2.
   *
   * @param prepare returns the request; throws for headers that cannot be used
   */
  send(prepare: () => PooledRequest, fallback: SendRequest): SendRequest;
  /** Closes all connections. Their exchanges fail. */
  close(): void;
}

/** Receives the connection for one request; `undefined` if the server supports only HTTP/1.1. */
interface Waiter {
  onConnection(connection: Http2Connection | undefined): void;
  onFailure(cause: unknown, reason: FailureReason): void;
}

/** The connections of one TLS identity: server, authority, client certificate, server name. */
interface Endpoint {
  readonly host: string;
  readonly connections: Set<Http2Connection>;
  /** Requests without a connection. At most one connection is being opened for them. */
  readonly waiters: Set<Waiter>;
  opening: Subscription | undefined;
  /** True if a later request had another identity, such as a rotated client certificate. */
  isSuperseded: boolean;
}

/** Milliseconds to open a connection, with TLS and the first frame of the server. */
const openTimeout = 10_000;

/**
 * Creates a pool that opens one connection for each TLS identity, and another one only if the
 * server allows no more streams. Requests that start meanwhile wait for an opening connection.
 * Until it is closed, the pool remembers servers without HTTP/2: each attempt costs a TLS
 * handshake.
 *
 * @param agent determines which TLS options are part of the identity
 */
export function http2Pool(agent: Agent, idleTimeout: number, scheduler?: SchedulerLike): Http2Pool {
  const clock = steady(scheduler);
  const endpoints = new Map<string, Endpoint>();
  const http1Hosts = new Set<string>();

  function endpointOf({ url, tls }: PooledRequest): Endpoint {
    const identity = agent.getName({ ...tls, host: url.hostname, port: url.port });
    const endpoint = endpoints.get(identity) ?? {
      host: url.host,
      connections: new Set(),
      waiters: new Set(),
      opening: undefined,
      isSuperseded: false,
    };
    endpoint.isSuperseded = false;
    for (const other of endpoints.values()) if (other !== endpoint && other.host === url.host) supersede(other);
    endpoints.set(identity, endpoint);
    return endpoint;
  }

  function supersede(endpoint: Endpoint): void {
    endpoint.isSuperseded = true;
    for (const connection of endpoint.connections) connection.retire();
  }

  function forgetUnused(endpoint: Endpoint): void {
    if (endpoint.connections.size + endpoint.waiters.size > 0) return;
    for (const [identity, known] of endpoints) if (known === endpoint) endpoints.delete(identity);
  }

  function acquire(request: PooledRequest, waiter: Waiter, attempt: Subscription): void {
    if (http1Hosts.has(request.url.host)) {
      waiter.onConnection(undefined);
      return;
    }
    const endpoint = endpointOf(request);
    for (const connection of endpoint.connections) {
      if (!connection.hasRoom) continue;
      waiter.onConnection(connection);
      return;
    }
    endpoint.waiters.add(waiter);
    attempt.add(() => {
      if (!endpoint.waiters.delete(waiter) || endpoint.waiters.size > 0) return;
      endpoint.opening?.unsubscribe();
      endpoint.opening = undefined;
      forgetUnused(endpoint);
    });
    if (endpoint.opening === undefined) open(request, endpoint);
  }

  /** Opens a connection for waiting requests, and further connections while requests are left. */
  function open(request: PooledRequest, endpoint: Endpoint): void {
    const opening = new Subscription();
    endpoint.opening = opening;

    function settle(each: (waiter: Waiter) => void, isOver = (): boolean => false): void {
      opening.unsubscribe();
      if (endpoint.opening === opening) endpoint.opening = undefined;
      for (const waiter of [...endpoint.waiters]) {
        if (isOver()) break;
        if (endpoint.waiters.delete(waiter)) each(waiter);
      }
      if (endpoint.waiters.size > 0 && endpoint.opening === undefined) open(request, endpoint);
    }

    openConnection(request, opening, {
      onConnection(connection) {
        if (connection === undefined) {
          http1Hosts.add(endpoint.host);
        } else {
          endpoint.connections.add(connection);
        }
        settle(
          (waiter) => waiter.onConnection(connection),
          () => connection !== undefined && !connection.hasRoom,
        );
        if (endpoint.isSuperseded) connection?.retire();
        forgetUnused(endpoint);
      },
      onEnd(connection) {
        endpoint.connections.delete(connection);
        forgetUnused(endpoint);
      },
      onFailure(cause, reason) {
        settle((waiter) => waiter.onFailure(cause, reason));
        forgetUnused(endpoint);
      },
    });
  }

  /** Connects, and reports the connection after the server has sent its limit of streams. */
  function openConnection(
    { url, tls }: PooledRequest,
    opening: Subscription,
    events: Waiter & { onEnd(connection: Http2Connection): void },
  ): void {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    let isOpen = false;
    const fail = (cause: Error): void => {
      if (!opening.closed) events.onFailure(cause, 'broken');
    };
    opening.add(
      clock.schedule(() => {
        const message = `no HTTP/2 connection within ${openTimeout} ms`;
        fail(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
      }, openTimeout),
    );

    function use(socket: TLSSocket): void {
      let connection: Http2Connection | undefined;
      opening.add(() => {
        if (!isOpen) socket.destroy();
      });
      socket.on('error', fail);
      socket.on('close', () => fail(new Error('the server closed the connection while it was opened')));
      socket.once('secureConnect', () => {
        if (socket.alpnProtocol !== 'h2') {
          events.onConnection(undefined);
          return;
        }
        try {
          const opened = new Http2Connection(url, socket, idleTimeout, clock, {
            onReady: () => {
              isOpen = true;
              connection = opened;
              if (!opening.closed) events.onConnection(opened);
            },
            onEnd: (error) => {
              if (connection !== undefined) events.onEnd(connection);
              else fail(error ?? new Error('the server closed the connection before its first HTTP/2 frame'));
            },
          });
        } catch {
          // Deno cannot use a server with an IP address.
          events.onConnection(undefined);
        }
      });
    }

    const options = {
      ...tls,
      path: undefined,
      host,
      port: Number(url.port || 443),
      servername: tls.servername ?? (isIP(host) ? '' : host),
      ALPNProtocols: ['h2', 'http/1.1'],
    };
    try {
      if (tls.agent instanceof TunnelAgent) {
        const abort = tls.agent.openTunnel(options, (error, socket) => {
          if (socket === undefined) fail(error as Error);
          else use(socket);
        });
        opening.add(abort);
      } else use(connect(options));
    } catch (cause) {
      events.onFailure(cause, 'unusable');
    }
  }

  return {
    send: (prepare, fallback) => (listener, attempt) => {
      let request: PooledRequest;
      try {
        request = prepare();
      } catch (cause) {
        listener.onFailure(cause, 'unusable');
        return;
      }
      const waiter: Waiter = {
        onConnection: (connection) => {
          if (connection === undefined) fallback(listener, attempt);
          else connection.request(request, listener, attempt);
        },
        onFailure: (cause, reason) => listener.onFailure(cause, reason),
      };
      acquire(request, waiter, attempt);
    },
    close() {
      const closed = new Error('the client was closed');
      const open = [...endpoints.values()];
      http1Hosts.clear();
      endpoints.clear();
      for (const { opening, waiters, connections } of open) {
        opening?.unsubscribe();
        for (const waiter of [...waiters]) if (waiters.delete(waiter)) waiter.onFailure(closed, 'broken');
        for (const connection of connections) connection.destroy(closed);
      }
    },
  };
}
