/** The part of the package `ws` that is used here. The package comes without types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { ClientRequest, IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export interface ServerOptions {
    readonly noServer: true;
    /** The longest message of a client, in bytes. */
    readonly maxPayload: number;
    readonly perMessageDeflate: { readonly threshold: number };
  }

  export class WebSocketServer {
    constructor(options: ServerOptions);
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, opened: (socket: WebSocket) => void): void;
  }

  export interface SocketOptions {
    readonly headers?: Readonly<Record<string, string>>;
    readonly origin?: string;
  }

  export class WebSocket extends EventEmitter<{
    error: [error: Error];
    message: [message: Buffer];
    open: [];
    'unexpected-response': [request: ClientRequest, response: IncomingMessage];
  }> {
    readonly protocol: string;
    constructor(url: string, protocols: readonly string[] | SocketOptions | undefined, options?: SocketOptions);
    terminate(): void;
  }

  export function createWebSocketStream(socket: WebSocket): Duplex;
}
