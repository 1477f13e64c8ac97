import type { OutgoingHttpHeaders } from 'node:http';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type Settings,
} from 'node:http2';
import { setImmediate } from 'node:timers';
import type { TLSSocket } from 'node:tls';
import type { SchedulerLike, Subscription } from 'rxjs';
import { isReset, type RequestListener } from './http-exchange.js';
import { Http2Liveness, type CheckedConnection } from './http2-liveness.js';

/** A request as HTTP/2 sends it, with its pseudo-headers. */
export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | undefined;
}

/** The flow-control windows, in bytes: of one stream, and of a whole connection. */
const streamWindow = 1024 * 1024;
const sessionWindow = 8 * 1024 * 1024;

/**
 * One HTTP/2 connection for all exchanges of a TLS identity. Only streams keep the process alive.
 * Without streams it is closed after `idleTimeout`, or at once if it is retired.
 */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #liveness: Http2Liveness;
  #streams = 0;
  #maxStreams = 1;
  #hasAnswered = false;
  #isRetired = false;
  /** The stream id in GOAWAY. The server has not processed streams above it. */
  #lastStreamId = Infinity;

  /** @param socket a connected socket on which HTTP/2 was negotiated */
  constructor(
    url: URL,
    socket: TLSSocket,
    private readonly idleTimeout: number,
    scheduler: SchedulerLike,
    events: { readonly onReady: () => void; readonly onEnd: (error: Error | undefined) => void },
  ) {
    const session = connect(url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    this.#session = session;
    this.#liveness = new Http2Liveness(checkedConnection(session, socket), scheduler);
    let failure: Error | undefined;
    session.once('connect', () => {
      if (!session.destroyed) session.setLocalWindowSize(sessionWindow);
    });
    session.on('remoteSettings', ({ maxConcurrentStreams = Infinity }: Settings) => {
      this.#maxStreams = Math.max(1, maxConcurrentStreams);
    });
    session.once('remoteSettings', () => {
      this.#rest();
      events.onReady();
    });
    session.on('timeout', () => {
      if (this.#streams === 0) session.destroy();
    });
    session.on('goaway', (_code: number, lastStreamId: number) => {
      this.#lastStreamId = lastStreamId;
    });
    session.on('error', (error: Error) => (failure = error));
    session.on('close', () => {
      this.#liveness.end();
      events.onEnd(failure);
    });
  }

  /** True if another request can be sent now. */
  get hasRoom(): boolean {
    const { closed, destroyed } = this.#session;
    return !closed && !destroyed && !this.#isRetired && this.#streams < this.#maxStreams;
  }

  /** Sends a request. Call it only if `hasRoom` is true. */
  request({ headers, body }: Http2Request, listener: RequestListener, attempt: Subscription): void {
    const mayBeStale = this.#hasAnswered;
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(headers, { endStream: body === undefined });
    } catch (cause) {
      listener.onFailure(cause, 'unusable');
      return;
    }
    const hasWholeBody = watchEnd(stream);
    const isComplete = (): boolean => stream.readableEnded && hasWholeBody();
    let error: Error | undefined;
    this.#streamOpened();
    attempt.add(() => {
      if (isComplete()) return;
      if (stream.closed) stream.destroy();
      else stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on('response', (response) => {
      this.#hasAnswered = true;
      listener.onResponse({
        status: response[':status'] ?? 0,
        headers: withoutPseudoHeaders(response),
        body: stream,
        cutOff: () => (hasWholeBody() ? undefined : (error ?? closedError(stream))),
      });
    });
    stream.on('error', (cause: Error) => (error = cause));
    stream.on('close', () => {
      this.#streamClosed();
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) this.retire();
      if (isComplete()) return;
      const reason = this.#isUnprocessed(stream, mayBeStale, error) ? 'unprocessed' : 'broken';
      listener.onFailure(error ?? closedError(stream), reason);
    });
    if (body !== undefined) stream.end(body);
  }

  /** Accepts no more requests, and closes the connection after its last stream has ended. */
  retire(): void {
    this.#isRetired = true;
    if (this.#streams === 0) this.#session.destroy();
  }

  /** Closes the connection. All its exchanges fail. */
  destroy(error: Error): void {
    this.#session.destroy(error);
  }

  #streamOpened(): void {
    this.#streams++;
    this.#liveness.streamOpened();
    if (this.#streams > 1) return;
    this.#session.ref();
    this.#session.setTimeout(0);
  }

  #streamClosed(): void {
    this.#streams--;
    if (this.#streams > 0 || this.#session.destroyed) return;
    this.#liveness.lastStreamClosed();
    this.#rest();
  }

  #rest(): void {
    if (this.#isRetired) {
      this.#session.destroy();
      return;
    }
    this.#session.unref();
    this.#session.setTimeout(this.idleTimeout);
  }

  #isUnprocessed(stream: ClientHttp2Stream, mayBeStale: boolean, error: Error | undefined): boolean {
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? 0) > this.#lastStreamId) return true;
    return mayBeStale && this.#session.destroyed && (error === undefined || isReset(error));
  }
}

/** Returns what the checks of a connection need. */
function checkedConnection(session: ClientHttp2Session, socket: TLSSocket): CheckedConnection {
  return {
    get bytesRead() {
      return socket.bytesRead;
    },
    ping(onAnswer) {
      if (session.destroyed) return;
      session.ping((error: Error | null) => {
        if (error === null) onAnswer();
      });
    },
    afterReading: (work) => void setImmediate(work),
    giveUp(silence) {
      const message = `the HTTP/2 connection is dead: no answer to PING for ${silence} ms`;
      session.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
      // Node waits for the peer if the session was already closing. So the socket is destroyed.
      socket.destroy();
    },
  };
}

/**
 * Returns a function that returns true once the server has ended the body. Node emits the same end
 * for a stream that was reset without an error code, or whose connection broke, but marks such a
 * stream as closed before that end, and a complete stream only after it.
 */
function watchEnd(stream: ClientHttp2Stream): () => boolean {
  const push = stream.push.bind(stream);
  let hasEnded = false;
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null && !stream.closed) hasEnded = true;
    return push(chunk, encoding);
  };
  return () => hasEnded;
}

function withoutPseudoHeaders(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}

/** Returns an error for a stream that was cancelled, or whose connection was closed. */
function closedError(stream: ClientHttp2Stream): Error {
  const message =
    stream.rstCode === constants.NGHTTP2_CANCEL || stream.rstCode === constants.NGHTTP2_NO_ERROR
      ? 'the server closed the HTTP/2 stream or its connection before the response was complete'
      : `the server reset the HTTP/2 stream with code ${stream.rstCode}`;
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}
