import type { Observable } from 'rxjs';

/** One request, as both shells (HTTP and the direct client) hand it to the core. */
export interface ApiRequest {
  readonly method: string;
  /** Absolute, decoded by segment later; without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Authentication is passed over: the request comes from the test itself (`server.client`, `server.apply`). */
  readonly trusted?: boolean | undefined;
}

/** One answer: a whole body, or a stream of lines that is pulled as fast as the other side reads. */
export type ApiReply = WholeReply | StreamReply;

export interface WholeReply {
  readonly type: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StreamReply {
  readonly type: 'stream';
  /** Below 400: failures are whole replies. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the stream; to be called once. */
  open(listener: LineListener): LineReader;
}

export interface LineListener {
  /** There may be something to read. Never called from within `read`. */
  readable(): void;
}

/** A part of a body; bytes where a fault cuts through a character. */
export type Piece = string | Uint8Array;

/** A stream of lines that buffers nothing for a reader that does not read. */
export interface LineReader {
  /**
   * The next line with its line break, or whatever piece of one a fault lets through; undefined where there is none, for
   * now or (`ended`, `broken`) for good.
   */
  read(): Piece | undefined;
  /** Everything has been read, and nothing will follow. */
  readonly ended: boolean;
  /** The connection breaks here, after everything that was read. */
  readonly broken?: ConnectionFault | undefined;
  /**
   * The number of events that wait to be read. The shell disconnects a client that falls too far
   * behind.
   */
  readonly behind: number;
  close(): void;
}

/**
 * Answers requests: emits one reply; an error, also after the reply, breaks the connection at once (`ConnectionFault`).
 *
 * Middleware has this type on both sides, which is where faults are put in: before the core (refuse, delay, answer 429)
 * or around the reply (cut off, stall, garble a stream).
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

/** A body of one piece as a stream: its length is not announced, and it may be bytes. */
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
        behind: 0,
        close: () => {
          rest = undefined;
        },
      };
    },
  };
}

/**
 * The way in which a connection breaks: refused before any response, cut off after what was sent,
 * or reset at once.
 */
export type ConnectionBreak = 'refused' | 'cut' | 'reset';

/**
 * The effect of a fault on a connection: the cause of the `ConnectionError` that a client of the
 * embedded server receives.
 */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault';
  /** Node's word for it. */
  readonly code: 'ECONNREFUSED' | 'ECONNRESET';

  constructor(readonly how: ConnectionBreak) {
    super(`the connection was ${how === 'cut' ? 'cut off' : how} by a fault`);
    this.code = how === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET';
  }
}
