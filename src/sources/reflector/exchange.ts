import { catchError, defer, of, type Observable } from 'rxjs';
import type { KubeClient, KubeRequest } from '../client/kube-client.js';
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

/** Sends a query and reads the answer; whatever goes wrong is a `failed` reading. */
export function exchange<T>(
  client: KubeClient,
  request: KubeRequest,
  verb: Query['verb'],
  decoder: ObjectDecoder<T>,
): Observable<Reading<T>> {
  const read = verb === 'list' ? readList : readWatch;
  return defer(() => read(client.exchange(request), requestLine(request), decoder)).pipe(
    catchError((error: unknown) => of<Reading<T>>({ type: 'failed', error: asSourceError(error) })),
  );
}

const known = [StatusError, ConnectionError, CredentialsError, ResponseError, DecodeError];

function asSourceError(error: unknown): SourceError {
  const isKnown = known.some((kind) => error instanceof kind);
  return isKnown ? (error as SourceError) : new UnexpectedSourceError(error);
}
