import type { Observable } from 'rxjs';

/** A request to the core of the server. Both transports, HTTP and the direct client, create it. */
export interface ApiRequest {
  readonly method: string;
  /** The absolute path without the query. Its segments are still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The headers; their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Skips authentication: the request comes from the test (`server.client`, `server.apply`). */
  readonly trusted?: boolean | undefined;
}

/** A response: a whole body, or a stream of lines that is read only as fast as the client reads. */
export type ApiReply = WholeReply | StreamReply;

export interface WholeReply {
  readonly type: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StreamReply {
  readonly type: 'stream';
  /** The HTTP status. It is always below 400, because failures are whole replies. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** True if the reply may be compressed for a client that accepts gzip. Default false. */
  readonly isCompressible?: boolean | undefined;
  /** Opens the stream. Must be called only once. */
  open(listener: LineListener): BodyReader;
}

export interface LineListener {
  /** Called when there may be something to read. Never called during `read`. */
  readable(): void;
}

/** A part of a body. It is bytes if a fault cuts a character in two. */
export type Piece = string | Uint8Array;

/** Reads a stream of lines. Nothing is buffered while the stream is not read. */
export interface BodyReader {
  /**
   * Returns the next line with its line break. If a fault cuts the line, returns only a piece of
   * it. Returns `undefined` if no line is available yet, or if no line will follow (`ended`,
   * `broken`).
   */
  read(): Piece | undefined;
  /** True if everything has been read and nothing will follow. */
  readonly ended: boolean;
  /** Set if the connection breaks at this point, after everything read so far. */
  readonly broken?: ConnectionFault | undefined;
  /** Unread events. The transport disconnects a client with too many of them. */
  readonly backlog: number;
  close(): void;
}

/**
 * Handles a request and emits one reply; an error (`ConnectionFault`) breaks the connection at
 * once, even after it. Faults are middleware that wraps a handler: they act before the core
 * (refuse, delay, respond with 429) or change the reply (cut off, stall or garble a stream).
 */
export type RequestHandler = (request: ApiRequest) => Observable<ApiReply>;

export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WholeReply {
  return {
    type: 'whole',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}

export function textReply(status: number, body: string): WholeReply {
  return { type: 'whole', status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** Streams a body of one piece, as text or as bytes, without announcing its length. */
export function streamReply(status: number, body: Piece, headers: Readonly<Record<string, string>>): StreamReply {
  return {
    type: 'stream',
    status,
    headers,
    open: () => {
      let rest: Piece | undefined = body.length === 0 ? undefined : body;
      return {
        read: () => {
          const piece = rest;
          rest = undefined;
          return piece;
        },
        get ended() {
          return rest === undefined;
        },
        backlog: 0,
        close: () => {
          rest = undefined;
        },
      };
    },
  };
}

/** Refused before any response, cut off after all sent bytes have arrived, or reset at once. */
export type ConnectionBreak = 'refused' | 'cut' | 'reset';

/** A fault that breaks a connection: the `cause` of the client's `RXI_CONNECTION`. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault';
  /** The code of the matching Node error. */
  readonly code: 'ECONNREFUSED' | 'ECONNRESET';

  constructor(readonly how: ConnectionBreak) {
    super(`the connection was ${how === 'cut' ? 'cut off' : how} by a fault`);
    this.code = how === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET';
  }
}

/** Parses a boolean as the real server does: everything except `false` and `0` is true. */
export function parseBoolean(text: string | null): boolean | undefined {
  return text === null ? undefined : text.toLowerCase() !== 'false' && text !== '0';
}
