import { Observable, type Subscriber } from 'rxjs';
import { type RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesStatus } from '../../kubernetes/object.js';
import type { ClientClock, KubeClient, KubeRequest, ResponsePart } from '../../sources/client/kube-client.js';
import { StatusError, connectionError } from '../../sources/model/errors.js';
import {
  type ApiReply,
  type ApiRequest,
  type BodyReader,
  type RequestHandler,
  type StreamReply,
  type WholeReply,
  ConnectionFault,
} from './exchange/exchange.js';
import { bytesOf, concatBytes } from './faults/body-faults.js';

/** Characters or bytes after which a chunk of a stream ends. The last line may exceed it. */
const chunkSize = 64 * 1024;

/**
 * Creates a client without a socket. It is synchronous: a response arrives during the call of
 * `subscribe`, and a watch event arrives during the write that causes the event.
 */
export function directClient(
  handle: RequestHandler,
  { token, ...clock }: ClientClock & { readonly token?: string } = {},
): KubeClient {
  return {
    ...clock,
    exchange: (request) =>
      new Observable<ResponsePart>((subscriber) => {
        const apiRequest = toApiRequest(request, token);
        subscriber.add(
          handle(apiRequest).subscribe({
            next: (reply) => deliver(reply, request, subscriber),
            error: (error: unknown) =>
              subscriber.error(error instanceof ConnectionFault ? brokenBy(error, request) : error),
          }),
        );
      }),
  };
}

function toApiRequest(
  { method, path, query = {}, headers = {}, body = '' }: KubeRequest,
  token: string | undefined,
): ApiRequest {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return {
    method,
    path,
    query: parameters,
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
    body,
    trusted: token === undefined && headers['authorization'] === undefined,
  };
}

function deliver(reply: ApiReply, request: KubeRequest, subscriber: Subscriber<ResponsePart>): void {
  if (reply.type === 'whole' && reply.status >= 400) {
    subscriber.error(failure(reply, request));
    return;
  }
  subscriber.next({ type: 'head', status: reply.status, headers: reply.headers });
  if (reply.type === 'stream') {
    deliverStream(reply, request, subscriber);
    return;
  }
  if (reply.body !== '') subscriber.next({ type: 'bytes', bytes: new TextEncoder().encode(reply.body) });
  subscriber.complete();
}

function deliverStream(reply: StreamReply, request: KubeRequest, subscriber: Subscriber<ResponsePart>): void {
  let opened = false;
  let reading = false;
  const deliverAll = (): void => {
    // If a subscriber writes during an emission, the loop below reads the next event.
    if (!opened || reading) return;
    reading = true;
    for (let bytes = readChunk(reader); bytes !== undefined && !subscriber.closed; bytes = readChunk(reader)) {
      subscriber.next({ type: 'bytes', bytes });
    }
    reading = false;
    if (reader.broken !== undefined) subscriber.error(brokenBy(reader.broken, request));
    else if (reader.ended) subscriber.complete();
  };
  const reader = reply.open({ readable: deliverAll });
  opened = true;
  subscriber.add(() => reader.close());
  deliverAll();
}

/** Returns whole lines up to the size of a chunk; `undefined` if nothing is available. */
function readChunk(reader: BodyReader): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  let text = '';
  let length = 0;
  while (length < chunkSize) {
    const piece = reader.read();
    if (piece === undefined) break;
    length += piece.length;
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    pieces.push(bytesOf(text), piece);
    text = '';
  }
  if (length === 0) return undefined;
  return pieces.length === 0 ? bytesOf(text) : concatBytes([...pieces, bytesOf(text)]);
}

function brokenBy(fault: ConnectionFault, request: KubeRequest): RxInformersError<'RXI_CONNECTION'> {
  return connectionError({ method: request.method, url: urlOf(request) }, fault);
}

function failure({ status: code, body, headers }: WholeReply, request: KubeRequest): StatusError {
  const retryAfter = headers['retry-after'];
  return new StatusError({ method: request.method, url: urlOf(request) }, statusOf(code, body), {
    code,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter) * 1000,
  });
}

function statusOf(code: number, body: string): KubernetesStatus {
  try {
    const value = JSON.parse(body) as KubernetesStatus;
    if (value.kind === 'Status') return value;
  } catch {
    // The body is not JSON. A status is created below, as the contract of the client requires.
  }
  return { kind: 'Status', status: 'Failure', code, message: body.trim() };
}

function urlOf({ path, query = {} }: KubeRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
