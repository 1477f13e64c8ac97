import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Observable, type Subscriber } from 'rxjs';
import { ConnectionError, CredentialsError, type RequestLine } from '../../source-error.js';
import type { ResponsePart } from '../kube-client.js';
import { rootCause } from '../root-cause.js';
import { gatherChunks } from './gather-chunks.js';

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
