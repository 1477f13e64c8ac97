import { catchError, defer, of, type Observable } from 'rxjs';
import type { KubeClient, KubeRequest } from '../client/kube-client.js';
import type { DedupMode } from '../dedup-mode.js';
import {
  ConnectionError,
  CredentialsError,
  DecodeError,
  ResponseError,
  StatusError,
  UnexpectedSourceError,
  type SourceError,
} from '../source-error.js';
import type { Reading } from './input.js';
import type { ObjectDecoder } from './object-decoder.js';
import type { Query } from './query.js';
import { readList } from './read-list.js';
import { readWatch } from './read-watch.js';
import { requestLine } from '../client/request-line.js';

/** Sends a query, as this request, and reads the answer; whatever goes wrong is a `failed` reading. */
export function exchange<T>(
  client: KubeClient,
  request: KubeRequest,
  query: Query,
  decoder: ObjectDecoder<T>,
  dedup: DedupMode,
): Observable<Reading<T>> {
  return defer(() => {
    const parts = client.exchange(request);
    if (query.verb === 'list') return readList(parts, requestLine(request), decoder);
    return readWatch(parts, requestLine(request), decoder, { dedup, isStreamingList: query.sendInitialEvents });
  }).pipe(catchError((error: unknown) => of<Reading<T>>({ type: 'failed', error: asSourceError(error) })));
}

const known = [StatusError, ConnectionError, CredentialsError, ResponseError, DecodeError];

function asSourceError(error: unknown): SourceError {
  const isKnown = known.some((kind) => error instanceof kind);
  return isKnown ? (error as SourceError) : new UnexpectedSourceError(error);
}
