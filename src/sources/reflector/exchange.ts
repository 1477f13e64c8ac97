import { catchError, Observable, of } from 'rxjs';
import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { requestLine, type KubeClient, type KubeRequest } from '../client/kube-client.js';
import {
  ConnectionError,
  CredentialsError,
  DecodeError,
  ResponseError,
  StatusError,
  UnexpectedSourceError,
  type SourceError,
} from '../model/errors.js';
import type { ObjectDecoder } from './object-decoder.js';
import type { Query, Reading, Turn } from './protocol.js';
import { readList } from './read-list.js';
import { readWatch } from './read-watch.js';

/**
 * Sends a query, as this request, and reads the answer. An error is a `failed` reading. If the client keeps
 * the request waiting, that is emitted too.
 */
export function exchange<T>(
  client: KubeClient,
  request: KubeRequest,
  query: Query,
  decoder: ObjectDecoder<T>,
  skipSuperseded: boolean,
): Observable<Reading<T> | Turn> {
  const readings$ = new Observable<Reading<T> | Turn>((subscriber) => {
    const onQueued = (isQueued: boolean): void => subscriber.next({ type: isQueued ? 'queued' : 'sent' });
    const parts = client.exchange({ ...request, onQueued });
    const readings =
      query.verb === 'list'
        ? readList(parts, requestLine(request), decoder)
        : readWatch(parts, requestLine(request), decoder, { skipSuperseded, isStreamingList: query.sendInitialEvents });
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

/** What is the same in every request of one reflector: LIST and WATCH see the same objects. */
export interface RequestTemplate {
  readonly resource: Resource<unknown>;
  /** `''`: all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Ignored by servers that do not know it, so whoever sends it filters as well. */
  readonly shardSelector: string | undefined;
  readonly metadataOnly: boolean;
}

/** Makes the HTTP request for a query; throws `ResourcePathError`, before there is any, where namespace and resource do not fit. */
export function requestBuilder(template: RequestTemplate): (query: Query) => KubeRequest {
  const { resource, namespace, labelSelector, fieldSelector, shardSelector, metadataOnly } = template;
  const path = resourcePath(resource, { namespace });
  return (query) => ({
    method: 'GET',
    path,
    query: { labelSelector, fieldSelector, shardSelector, ...parameters(query) },
    headers: { accept: acceptedType(query, metadataOnly) },
  });
}

function parameters(query: Query): Exclude<KubeRequest['query'], undefined> {
  if (query.verb === 'list') {
    const { limit, resourceVersion } = query;
    if (query.continue !== undefined) return { limit, continue: query.continue };
    // With a limit and without a match, the server lists exactly this version instead of one that is not older.
    const isLimitedAtVersion = limit !== undefined && resourceVersion !== '' && resourceVersion !== '0';
    return {
      limit,
      resourceVersion: resourceVersion || undefined,
      ...(isLimitedAtVersion && { resourceVersionMatch: 'NotOlderThan' }),
    };
  }
  return {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds: query.timeoutSeconds,
    resourceVersion: query.resourceVersion || undefined,
    ...(query.sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
  };
}

function acceptedType(query: Query, metadataOnly: boolean): string {
  if (!metadataOnly) return 'application/json';
  const kind = query.verb === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}
