/** The part of the package `ws` that is used here. The package comes without types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { ClientRequest, IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export interface ServerOptions {
    readonly noServer: true;
    /** The longest message of a client, in bytes. */
    readonly maxPayload: number;
    /** Milliseconds for which a closing handshake may take; default: 30,000. */
    readonly closeTimeout?: number;
    /** Whether the server keeps a list of its sockets; default: true. */
    readonly clientTracking?: boolean;
    readonly perMessageDeflate: {
      readonly threshold: number;
      readonly serverNoContextTakeover?: boolean;
      readonly clientNoContextTakeover?: boolean;
      readonly zlibDeflateOptions?: { readonly level: number; readonly memLevel: number };
    };
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
    close: [code: number];
    error: [error: Error];
    message: [message: Buffer];
    open: [];
    ping: [];
    'unexpected-response': [request: ClientRequest, response: IncomingMessage];
  }> {
    readonly protocol: string;
    readonly bufferedAmount: number;
    constructor(url: string, protocols: readonly string[] | SocketOptions | undefined, options?: SocketOptions);
    addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
    send(text: string | Buffer): void;
    close(code?: number, reason?: string): void;
    /** Stops reading from the connection. */
    pause(): void;
    resume(): void;
    terminate(): void;
  }

  export function createWebSocketStream(socket: WebSocket): Duplex;
}
