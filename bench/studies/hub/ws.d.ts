/** The parts of `ws` that the study uses. The package has no types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, Server } from 'node:http';

  export class WebSocket extends EventEmitter {
    static readonly OPEN: number;
    constructor(url: string, options?: { readonly perMessageDeflate?: boolean });
    readonly readyState: number;
    /** Sends a text frame. Throws while the socket is connecting. */
    send(text: string): void;
    /** Closes the connection without a closing handshake. */
    terminate(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      readonly server: Server;
      /** The longest frame of a client, in bytes. */
      readonly maxPayload?: number;
      readonly perMessageDeflate?: boolean;
    });
    on(type: 'connection', listener: (socket: WebSocket, request: IncomingMessage) => void): this;
  }
}
