import { catchError, Observable, of } from 'rxjs';
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
import type { Reading, Turn } from './input.js';
import type { ObjectDecoder } from './object-decoder.js';
import type { Query } from './query.js';
import { readList } from './read-list.js';
import { readWatch } from './read-watch.js';
import { requestLine } from '../client/request-line.js';

/**
 * Sends a query, as this request, and reads the answer. An error is a `failed` reading. If the client keeps
 * the request waiting, that is emitted too.
 */
export function exchange<T>(
  client: KubeClient,
  request: KubeRequest,
  query: Query,
  decoder: ObjectDecoder<T>,
  dedup: DedupMode,
): Observable<Reading<T> | Turn> {
  const readings$ = new Observable<Reading<T> | Turn>((subscriber) => {
    const onQueued = (isQueued: boolean): void => subscriber.next({ type: isQueued ? 'queued' : 'sent' });
    const parts = client.exchange({ ...request, onQueued });
    const readings =
      query.verb === 'list'
        ? readList(parts, requestLine(request), decoder)
        : readWatch(parts, requestLine(request), decoder, { dedup, isStreamingList: query.sendInitialEvents });
    return readings.subscribe(subscriber);
  });
  return readings$.pipe(
    catchError((error: unknown) => of<Reading<T>>({ type: 'failed', error: asSourceError(error) })),
  );
}

const known = [StatusError, ConnectionError, CredentialsError, ResponseError, DecodeError];

function asSourceError(error: unknown): SourceError {
  const isKnown = known.some((kind) => error instanceof kind);
  return isKnown ? (error as SourceError) : new UnexpectedSourceError(error);
}
