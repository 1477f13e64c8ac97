import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Observable, Subscription } from 'rxjs';
import { type RequestLine, connectionError, credentialsError } from '../../model/errors.js';
import type { ResponsePart } from '../kube-client.js';
import { rootCause } from '../status-error-response.js';
import { gatherChunks } from './gather-chunks.js';

const gunzipChunkSize = 64 * 1024;

/** A response whose head has arrived. */
interface IncomingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
  /** Returns why the body is incomplete although the stream has ended, or `undefined`. */
  readonly cutOff?: () => Error | undefined;
}

/**
 * The reason why a request has no response, or an incomplete response.
 *
 * | reason | what it means |
 * | --- | --- |
 * | `unusable` | nothing was sent, because Node refused a certificate or a header |
 * | `unprocessed` | the server has not processed the request, or it closed an idle connection while
 * the request was sent |
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
const maxRepeats = 3;

/**
 * Runs one HTTP exchange. `send` sends the request, over either protocol. Bytes are gathered by
 * `gatherChunks`, so the socket is not read faster than its bytes are processed.
 *
 * @param canRepeat returns true if a request that was not processed may be sent again
 */
export function httpExchange(line: RequestLine, send: SendRequest, canRepeat: () => boolean): Observable<ResponsePart> {
  return new Observable<ResponsePart>((subscriber) => {
    let attempt = new Subscription();
    let hasResponse = false;
    let repeats = 0;
    const gatherer = gatherChunks((bytes) => subscriber.next({ type: 'bytes', bytes }));

    /**
     * Emits the error after the data that arrived before it. A socket may break in the same turn of
     * the event loop in which data was read.
     */
    function fail(cause: unknown): void {
      gatherer.flush();
      if (!subscriber.closed)
        subscriber.error(connectionError(line, rootCause(cause), undefined, tlsAdvice(rootCause(cause))));
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
          subscriber.error(credentialsError(line, cause));
          return;
        }
        if (reason === 'unprocessed' && !hasResponse && repeats < maxRepeats && canRepeat()) {
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
      body.on('data', gatherer.add);
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
 * Decompresses a response, and emits all that can be decoded, so an event is emitted once the
 * server has flushed it. Kubernetes 1.37 begins a new gzip member after each flush of a watch. A
 * member that is cut off is an error. `pipeline` passes on an error of the response.
 */
function gunzipped(response: Readable): Readable {
  return pipeline(response, createGunzip({ chunkSize: gunzipChunkSize }), () => undefined);
}

function tlsAdvice(cause: unknown): string | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'EPROTO') return 'the server does not speak TLS: check scheme and port of `server` in the kubeconfig';
  return /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)
    ? 'set certificate-authority of the cluster in the kubeconfig; if a proxy has signed the certificate, start Node with NODE_EXTRA_CA_CERTS'
    : undefined;
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
