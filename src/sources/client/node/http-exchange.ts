import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { clearImmediate, setImmediate } from 'node:timers';
import { createGunzip } from 'node:zlib';
import { Observable, type Subscriber } from 'rxjs';
import { ConnectionError, CredentialsError, type RequestLine } from '../../model/errors.js';
import type { ResponsePart } from '../kube-client.js';
import { rootCause } from '../status-error-response.js';

/** How often the operating system asks a silent peer whether it is still there. */
const tcpKeepAliveDelay = 30_000;
const gunzipChunkSize = 64 * 1024;

/**
 * One HTTP exchange on a request that `open` sends.
 *
 * What arrives together is handed over together (see `gatherChunks`), within the turn of the event loop that reads it, so that the socket
 * is read no faster than its bytes are used.
 *
 * @param open makes and sends the request; what it throws is a `CredentialsError`, because Node throws for certificates and
 * headers that cannot be used, and has sent nothing then
 * @param canRepeat whether the request may be sent again where the server closed an idle connection just when it was used
 */
export function httpExchange(
  line: RequestLine,
  open: () => ClientRequest,
  canRepeat: () => boolean,
): Observable<ResponsePart> {
  return new Observable<ResponsePart>((subscriber) => {
    let request: ClientRequest | undefined;
    const gatherer = gatherChunks((bytes) => {
      subscriber.next({ type: 'bytes', bytes });
    });

    /** What arrived before is handed over first: a socket may break in the turn that read it. */
    function fail(cause: unknown): void {
      gatherer.flush();
      if (!subscriber.closed) subscriber.error(new ConnectionError(line, rootCause(cause)));
    }

    function send(): void {
      let response: IncomingMessage | undefined;
      const sent = tryOpen(line, open, subscriber);
      if (sent === undefined) return;
      request = sent;
      sent.setSocketKeepAlive(true, tcpKeepAliveDelay);
      sent.on('error', (error) => {
        if (subscriber.closed) return;
        const isStale = sent.reusedSocket && response === undefined && isReset(error) && canRepeat();
        if (isStale) return send();
        fail(error);
      });
      sent.on('response', (message) => {
        response = message;
        receive(message);
      });
    }

    function receive(response: IncomingMessage): void {
      const isGzipped = response.headers['content-encoding'] === 'gzip';
      const body = isGzipped ? gunzipped(response) : response;
      body.on('error', fail);
      body.on('data', (chunk: Uint8Array) => {
        gatherer.add(chunk);
      });
      body.on('end', () => {
        gatherer.flush();
        subscriber.complete();
      });
      subscriber.next({ type: 'head', status: response.statusCode ?? 0, headers: plainHeaders(response) });
    }

    // To a request whose answer was read to its end this does nothing: it has given its socket back to the pool.
    subscriber.add(() => {
      gatherer.clear();
      request?.destroy();
    });
    send();
  });
}

function tryOpen(
  line: RequestLine,
  open: () => ClientRequest,
  subscriber: Subscriber<ResponsePart>,
): ClientRequest | undefined {
  try {
    return open();
  } catch (cause) {
    subscriber.error(new CredentialsError(line, cause));
    return undefined;
  }
}

/** Where the response fails, `pipeline` destroys this stream with the same error; whoever listens to it hears of both. */
function gunzipped(response: IncomingMessage): Readable {
  return pipeline(response, createGunzip({ chunkSize: gunzipChunkSize }), () => undefined);
}

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** So much is handed over at the latest, in bytes: some fifty events of a watch, a few milliseconds of work. */
const mostAtOnce = 256 * 1024;

/** A chunk of this size is a read by itself, in bytes: there is nothing to gain by copying it. */
const largeEnough = 32 * 1024;

/** Takes chunks, and hands over what came together as one. */
export interface ChunkGatherer {
  add(chunk: Uint8Array): void;
  /** Hands over what is held back, now. */
  flush(): void;
  /** Forgets what is held back. */
  clear(): void;
}

/**
 * Holds chunks back until the event loop has read what is there, at most `mostAtOnce`.
 *
 * Node hands over each chunk of a chunked answer by itself, and the API server makes a chunk of each watch event, so that a thousand events
 * that arrive together would be a thousand batches, each committed and announced by itself. A chunk that comes alone is handed over in the
 * same turn of the loop, and a large one that follows nothing at once.
 */
export function gatherChunks(deliver: (bytes: Uint8Array) => void): ChunkGatherer {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let turn: NodeJS.Immediate | undefined;

  function clear(): void {
    if (turn !== undefined) clearImmediate(turn);
    turn = undefined;
    chunks = [];
    length = 0;
  }

  function flush(): void {
    const held = chunks;
    const heldLength = length;
    clear();
    if (held.length > 0) lendJoined(held, heldLength, deliver);
  }

  return {
    add(chunk) {
      if (chunk.length >= largeEnough && chunks.length === 0) {
        deliver(chunk);
        return;
      }
      chunks.push(chunk);
      length += chunk.length;
      if (length >= mostAtOnce) flush();
      else turn ??= setImmediate(flush);
    },
    flush,
    clear,
  };
}

/** Room for one delivery, of whichever exchange: what is handed over is valid until the callback returns, and nothing is delivered meanwhile. */
let room: Uint8Array | undefined = new Uint8Array(mostAtOnce + largeEnough);

function lendJoined(chunks: readonly Uint8Array[], length: number, deliver: (bytes: Uint8Array) => void): void {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) {
    deliver(only);
    return;
  }
  const lent = room !== undefined && room.length >= length ? room : new Uint8Array(length);
  // A delivery inside this one must not reuse the buffer.
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
