import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { SchedulerLike } from 'rxjs';
import { steady } from '../../../scheduling/clock.js';
import { isReset, type SendRequest } from './http-exchange.js';

/** The time without data after which a connection sends TCP keep-alive probes, in milliseconds. */
const tcpKeepAliveDelay = 30_000;

/** The timeout for opening a connection, including a proxy and TLS, in milliseconds. */
const connectTimeout = 10_000;

/**
 * After this idle time in milliseconds, a connection is closed, because a load balancer may have
 * dropped it without notice.
 */
export const idleTimeout = 60_000;

/** Sends a request over HTTP/1.1. `open` sends it, or throws for bad certificates or headers. */
export function overHttp1(open: () => ClientRequest, scheduler?: SchedulerLike): SendRequest {
  return (listener, attempt) => {
    let request: ClientRequest;
    try {
      request = open();
    } catch (cause) {
      listener.onFailure(cause, 'unusable');
      return;
    }
    const limit = steady(scheduler).schedule(() => {
      const message = `no connection within ${connectTimeout} ms`;
      request.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
    }, connectTimeout);
    attempt.add(limit);
    // This does nothing if the response was read to its end, because the request has then returned
    // its socket to the pool.
    attempt.add(() => request.destroy());
    request.setSocketKeepAlive(true, tcpKeepAliveDelay);
    request.on('socket', (socket) => whenConnected(socket, () => limit.unsubscribe()));
    request.on('error', (error) => {
      limit.unsubscribe();
      listener.onFailure(error, request.reusedSocket && isReset(error) ? 'unprocessed' : 'broken');
    });
    request.on('response', (message) =>
      listener.onResponse({ status: message.statusCode ?? 0, headers: message.headers, body: message }),
    );
    // Without this listener, Node closes the connection, and reports nothing.
    request.on('upgrade', (message, socket) => {
      socket.destroy();
      listener.onResponse({ status: message.statusCode ?? 0, headers: message.headers, body: message });
    });
  };
}

/** Calls `callback` when the connection is open, TLS included: at once if it is open now. */
function whenConnected(socket: Socket, callback: () => void): void {
  const isSecure = socket instanceof TLSSocket;
  const isOpen = !socket.connecting && (!isSecure || socket.getFinished() !== undefined);
  if (isOpen) callback();
  else socket.once(isSecure ? 'secureConnect' : 'connect', callback);
}
