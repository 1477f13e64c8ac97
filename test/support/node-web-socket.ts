import { createRequire } from 'node:module';
import type { WatchSocket } from 'rx-informers/client';

export interface NodeWebSocket extends WatchSocket {
  readonly readyState: number;
  /** The subprotocol that the server chose. */
  readonly protocol: string;
}

export interface NodeWebSocketOptions {
  readonly origin?: string;
  /** The certificate of the authority that signed the server's certificate. */
  readonly ca?: string | Buffer | undefined;
}

const { WebSocket } = createRequire(import.meta.url)('ws') as {
  readonly WebSocket: new (url: string, protocols: string[], options: NodeWebSocketOptions) => NodeWebSocket;
};

/** Opens a WebSocket of the package `ws`. It sends the `Origin` header that API servers require. */
export function openNodeWebSocket(url: string, protocols: string[], options: NodeWebSocketOptions = {}): NodeWebSocket {
  return new WebSocket(url, protocols, { origin: 'http://localhost', ...options });
}

/** The `readyState` of an open WebSocket. */
export const openState = 1;
