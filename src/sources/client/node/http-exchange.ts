import type { ClientRequest, IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import { Observable, type Subscriber } from 'rxjs';
import { ConnectionError, CredentialsError, type RequestLine } from '../../source-error.js';
import type { ResponsePart } from '../kube-client.js';
import { rootCause } from '../root-cause.js';

/** How often the operating system asks a silent peer whether it is still there. */
const tcpKeepAliveDelay = 30_000;
const gunzipChunkSize = 64 * 1024;

/**
 * One HTTP exchange on a request that `open` sends.
 *
 * A chunk is handed over in the callback that reads it, so that the socket is read no faster than its bytes are used.
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
    let gunzip: Readable | undefined;
    let isComplete = false;

    function fail(cause: unknown): void {
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
      const body = isGzipped ? response.pipe(createGunzip({ chunkSize: gunzipChunkSize })) : response;
      gunzip = isGzipped ? body : undefined;
      response.on('error', fail);
      body.on('error', fail);
      body.on('data', (bytes: Uint8Array) => subscriber.next({ type: 'bytes', bytes }));
      body.on('end', () => {
        isComplete = true;
        subscriber.complete();
      });
      subscriber.next({ type: 'head', status: response.statusCode ?? 0, headers: plainHeaders(response) });
    }

    // A request whose body was read to its end is left alone: its socket is on the way back into the pool.
    subscriber.add(() => {
      gunzip?.destroy();
      if (!isComplete) request?.destroy();
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

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
