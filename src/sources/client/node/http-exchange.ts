import type { ClientRequest } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { clearImmediate, setImmediate } from 'node:timers';
import { createGunzip } from 'node:zlib';
import { Observable, Subscription } from 'rxjs';
import { ConnectionError, CredentialsError, type RequestLine } from '../../model/errors.js';
import type { ResponsePart } from '../kube-client.js';
import { rootCause } from '../status-error-response.js';

/** The time without data after which a connection sends TCP keep-alive probes, in milliseconds. */
const tcpKeepAliveDelay = 30_000;
const gunzipChunkSize = 64 * 1024;

/** A response whose head has arrived. */
interface IncomingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
  /**
   * Returns the reason why the body is incomplete although the stream has ended; `undefined` if the
   * body is complete.
   */
  readonly cutOff?: () => Error | undefined;
}

/**
 * The reason why a request has no response, or an incomplete response.
 *
 * | reason | what it means |
 * | --- | --- |
 * | `unusable` | nothing was sent, because Node refused a certificate or a header |
 * | `unprocessed` | the server has not processed the request, or it closed an idle connection while the request was sent |
 * | `broken` | the exchange failed for any other reason |
 */
export type FailureReason = 'unusable' | 'unprocessed' | 'broken';

/** Receives the response to a request, or its failure. */
export interface RequestListener {
  onResponse(response: IncomingResponse): void;
  onFailure(cause: unknown, reason: FailureReason): void;
}

/** Sends a request over HTTP/1.1 or HTTP/2. Unsubscribing `attempt` aborts it. */
export type SendRequest = (listener: RequestListener, attempt: Subscription) => void;

/** The largest number of times that an exchange repeats an unprocessed request. */
const mostRepeats = 3;

/**
 * Runs one HTTP exchange. `send` sends the request, over either protocol.
 *
 * In each turn of the event loop, the first bytes are emitted in the callback that reads them, and
 * all later bytes are emitted as one part (see `gatherChunks`). So the socket is not read faster
 * than its bytes are processed.
 *
 * @param canRepeat returns true if a request that was not processed may be sent again
 */
export function httpExchange(line: RequestLine, send: SendRequest, canRepeat: () => boolean): Observable<ResponsePart> {
  return new Observable<ResponsePart>((subscriber) => {
    let attempt = new Subscription();
    let hasResponse = false;
    let repeats = 0;
    const gatherer = gatherChunks((bytes) => {
      subscriber.next({ type: 'bytes', bytes });
    });

    /**
     * Emits the error after the data that arrived before it. A socket may break in the same turn of
     * the event loop in which data was read.
     */
    function fail(cause: unknown): void {
      gatherer.flush();
      if (!subscriber.closed) subscriber.error(new ConnectionError(line, rootCause(cause)));
    }

    const listener: RequestListener = {
      onResponse(response) {
        if (subscriber.closed) return;
        hasResponse = true;
        receive(response);
      },
      onFailure(cause, reason) {
        if (subscriber.closed) return;
        if (reason === 'unusable') {
          subscriber.error(new CredentialsError(line, cause));
          return;
        }
        if (reason === 'unprocessed' && !hasResponse && repeats < mostRepeats && canRepeat()) {
          repeats++;
          start();
          return;
        }
        fail(cause);
      },
    };

    function receive({ status, headers, body: encoded, cutOff }: IncomingResponse): void {
      const body = headers['content-encoding'] === 'gzip' ? gunzipped(encoded) : encoded;
      body.on('error', fail);
      body.on('data', (chunk: Uint8Array) => {
        gatherer.add(chunk);
      });
      body.on('end', () => {
        const problem = cutOff?.();
        if (problem !== undefined) {
          fail(problem);
          return;
        }
        gatherer.flush();
        subscriber.complete();
      });
      subscriber.next({ type: 'head', status, headers: plainHeaders(headers) });
    }

    function start(): void {
      attempt = new Subscription();
      send(listener, attempt);
    }

    subscriber.add(() => {
      gatherer.clear();
      attempt.unsubscribe();
    });
    start();
  });
}

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

/**
 * Decompresses a response. Everything that can be decoded is emitted without waiting for more
 * bytes, so an event is emitted when the server has flushed it. The body may have several gzip
 * members: Kubernetes 1.37 begins a new member after each flush of a watch.
 *
 * If the response fails, `pipeline` destroys the returned stream with the same error. A member that
 * is cut off is an error too.
 */
function gunzipped(response: Readable): Readable {
  return pipeline(response, createGunzip({ chunkSize: gunzipChunkSize }), () => undefined);
}

/** Returns true if the peer closed the connection. */
export function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function plainHeaders(headers: IncomingResponse['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (value ?? []).join(', '),
    ]),
  );
}

/**
 * Held bytes are delivered when their number reaches this limit. That is about fifty events of a
 * watch, and a few milliseconds of work.
 */
const mostAtOnce = 256 * 1024;

/**
 * A chunk of at least this size, in bytes, is delivered alone, because joining it with other chunks
 * would only cost a copy.
 */
const largeEnough = 32 * 1024;

/**
 * Delivers the chunks of an idle connection at once, and joins chunks that arrive faster than they
 * are processed.
 */
export interface ChunkGatherer {
  add(chunk: Uint8Array): void;
  /** Delivers the held chunks now. */
  flush(): void;
  /** Drops the held chunks. */
  clear(): void;
}

/**
 * Delivers the first chunk of a turn of the event loop at once, and holds further chunks of the
 * same turn until the event loop has read all available data. At most `mostAtOnce` bytes are held.
 *
 * The API server sends each watch event as a separate chunk, and Node emits each chunk separately.
 * Without gathering, a thousand events that arrive together would be a thousand batches, each
 * committed and announced separately. After a turn in which chunks were held, the process is
 * behind. So in the next turn even the first chunk is held. This ends with the first turn that has
 * no chunk, or a single chunk.
 */
export function gatherChunks(deliver: (bytes: Uint8Array) => void): ChunkGatherer {
  let chunks: Uint8Array[] = [];
  let length = 0;
  /**
   * A callback at the end of the turn. While it is set, chunks are held. The first delivery of a
   * turn sets it. If a turn ends with held chunks, the callback stays set for the next turn.
   */
  let turn: NodeJS.Immediate | undefined;

  function drop(): void {
    chunks = [];
    length = 0;
  }

  function clear(): void {
    if (turn !== undefined) clearImmediate(turn);
    turn = undefined;
    drop();
  }

  function flush(): void {
    const held = chunks;
    const heldLength = length;
    drop();
    if (held.length > 0) lendJoined(held, heldLength, deliver);
  }

  function endTurn(): void {
    turn = chunks.length > 0 ? setImmediate(endTurn) : undefined;
    flush();
  }

  return {
    add(chunk) {
      if (turn === undefined) {
        turn = setImmediate(endTurn);
        deliver(chunk);
        return;
      }
      if (chunk.length >= largeEnough && chunks.length === 0) {
        deliver(chunk);
        return;
      }
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostAtOnce) flush();
    },
    flush,
    clear,
  };
}

/**
 * The buffer for one delivery. All exchanges share it, because the bytes are valid only until the
 * callback returns.
 */
let room: Uint8Array | undefined = new Uint8Array(mostAtOnce + largeEnough);

function lendJoined(chunks: readonly Uint8Array[], length: number, deliver: (bytes: Uint8Array) => void): void {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) {
    deliver(only);
    return;
  }
  const lent = room !== undefined && room.length >= length ? room : new Uint8Array(length);
  // A nested delivery must not reuse the buffer.
  if (lent === room) room = undefined;
  let at = 0;
  for (const chunk of chunks) {
    lent.set(chunk, at);
    at += chunk.length;
  }
  try {
    deliver(lent.subarray(0, length));
  } finally {
    room = lent;
  }
}
