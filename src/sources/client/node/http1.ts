import type { ClientRequest } from 'node:http';
import { isReset, type SendRequest } from './http-exchange.js';

/** The time without data after which a connection sends TCP keep-alive probes, in milliseconds. */
const tcpKeepAliveDelay = 30_000;

/**
 * Sends a request over HTTP/1.1. `open` creates and sends it, and throws if certificates or headers
 * cannot be used.
 */
export function overHttp1(open: () => ClientRequest): SendRequest {
  return (listener, attempt) => {
    let request: ClientRequest;
    try {
      request = open();
    } catch (cause) {
      listener.onFailure(cause, 'unusable');
      return;
    }
    // This does nothing if the response was read to its end, because the request has then returned
    // its socket to the pool.
    attempt.add(() => request.destroy());
    request.setSocketKeepAlive(true, tcpKeepAliveDelay);
    request.on('error', (error) => {
      listener.onFailure(error, request.reusedSocket && isReset(error) ? 'unprocessed' : 'broken');
    });
    request.on('response', (message) => {
      listener.onResponse({ status: message.statusCode ?? 0, headers: message.headers, body: message });
    });
  };
}
