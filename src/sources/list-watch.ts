import type { Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { steady } from '../time/clock.js';
import { randomOf, requestLine, schedulerOf, type KubeClient } from './client/kube-client.js';
import {
  listWatchDefaults,
  selectionFor,
  type ListWatchOptions,
  type Received,
  type WithoutTransform,
} from './list-watch-options.js';
import { exponentialBackoff } from './model/backoff.js';
import { InvalidOptionError } from './model/errors.js';
import { withFacts } from './model/source.js';
import type { WatchEventBatch } from './model/watch-event.js';
import { exchange, requestBuilder, runReflector, streamSupport } from './reflector/run.js';
import { objectDecoder } from './reflector/object-decoder.js';
import type { ReflectorConfig } from './reflector/protocol.js';

export type { ListWatchOptions, Received, WithoutTransform } from './list-watch-options.js';

/**
 * Creates a source that emits all objects of one resource, and then every change: client-go's reflector as an Observable.
 *
 * | emitted | when |
 * | --- | --- |
 * | `LISTED` | the first list is complete, and again after every relist; one event, however many pages |
 * | `ADDED` `MODIFIED` `DELETED` `BOOKMARK` | one batch for each network read |
 * | `ERROR` | something failed; the source continues by itself |
 * | `STATUS` | the state of the source changed; while listing at most once a second |
 *
 * Objects are plain JSON as the server sent it (dates are strings), with `apiVersion` and `kind` also on those that came in a
 * list, after `transform`. After a failure it resumes from the last version where that is enough, and lists again otherwise; it
 * waits in between, longer each time, and at least as long as the server's `Retry-After`. Two minutes without a failure, and
 * the next one counts as the first.
 *
 * An object whose `transform` fails in a list is reported and named in `LISTED.missing`, and the others are followed as always
 * while the source lists again with backoff. In a watch, an event that cannot be decoded or transformed is reported, and a list
 * follows; the version never moves past it. A list without a resourceVersion cannot be watched: it is delivered, reported,
 * and read again and again with backoff, as is one whose resource does not support watch (405).
 *
 * **Guarantees**: cold, one LIST and WATCH per subscription, one request at a time; at most 70 requests in any minute, whatever the
 * server does, and one more for each page that brings new objects (G5); never completes, never errors (except where
 * a given Observable of namespaces does); a dead connection is noticed (G6) at the latest `openTimeout`, `listSilence` or the
 * watch's timeout plus `grace` after its death; unsubscribing aborts the request and clears the timer (G8).
 * **Does not guarantee**: that every state of an object is seen, only that the last one is; that a silent watch is found
 * out sooner than its timeout (bookmarks are asked for, but servers do not promise them): shorten `watchTimeout` for that.
 * Rules: R1–R29 of client-go's reflector, with these differences: every failure is an ERROR (R16); no event is lost to a failing
 * transform (R12); connection failures and 408/502/503/504 on opening a watch are retried without a list (R8); watches that end
 * early five times in a row without anything new lead to a list (R14); streaming lists have a deadline (R27), a transform runs once
 * (R28), and refusals of streaming are remembered by all sources of a client (R26); the backoff is reset by health (R18).
 *
 * @param client the connection; also the default of `scheduler` and `random`
 * @param resource what to read, such as `pods`
 * @param options which objects, and how to read them
 * @throws ResourcePathError if namespace and resource do not fit
 * @throws InvalidOptionError for an option whose value makes no sense
 * @throws InvalidSelectorError for a label selector object that the server would refuse
 * @example
 * import { listWatch, fetchClient, pods } from 'rx-informers';
 *
 * listWatch(fetchClient({ baseUrl: 'http://127.0.0.1:8001' }), pods, { namespace: 'web' }).subscribe((batch) => {
 *   for (const event of batch) if (event.type === 'DELETED') console.log(event.object.metadata.name, 'is gone');
 * });
 */
export function listWatch<T, MetadataOnly extends boolean = false>(
  client: KubeClient,
  resource: Resource<T>,
  options?: ListWatchOptions<T, MetadataOnly> & WithoutTransform,
): Observable<WatchEventBatch<Received<T, MetadataOnly>>>;
export function listWatch<T, MetadataOnly extends boolean = false, R = Received<T, MetadataOnly>>(
  client: KubeClient,
  resource: Resource<T>,
  options: ListWatchOptions<T, MetadataOnly, R> | undefined,
): Observable<WatchEventBatch<R>>;
export function listWatch<T, MetadataOnly extends boolean, R>(
  client: KubeClient,
  resource: Resource<T>,
  options: ListWatchOptions<T, MetadataOnly, R> = {},
): Observable<WatchEventBatch<R>> {
  const { namespace = listWatchDefaults.namespace } = options;
  const clock = { scheduler: schedulerOf(client, options), random: randomOf(client, options) };
  const ofNamespace = (name: string): Observable<WatchEventBatch<R>> => listWatchOne(client, resource, name, options);
  const source$ =
    typeof namespace === 'string' ? ofNamespace(namespace) : namespace.merge(namespace, ofNamespace, clock.scheduler);
  return withFacts(source$, { resource, selection: selectionFor(resource, options), ...clock });
}

function listWatchOne<T, MetadataOnly extends boolean, R>(
  client: KubeClient,
  resource: Resource<T>,
  namespace: string,
  options: ListWatchOptions<T, MetadataOnly, R>,
): Observable<WatchEventBatch<R>> {
  const {
    labelSelector,
    fieldSelector,
    metadataOnly = listWatchDefaults.metadataOnly,
    transform = listWatchDefaults.transform,
    shareAcrossObjects = listWatchDefaults.shareAcrossObjects,
    shard,
    dedup,
  } = options;
  const requestFor = requestBuilder({
    resource,
    namespace,
    // Text goes to the server as it is: it says best what is wrong with it.
    labelSelector: typeof labelSelector === 'object' ? formatLabelSelector(labelSelector) : labelSelector,
    fieldSelector,
    shardSelector: shard?.selector,
    metadataOnly,
  });
  const decoder = objectDecoder<R>(resource, {
    metadataOnly,
    // R is what the default returns, where there is no other transform.
    transform,
    shareAcrossObjects,
    shard: shard?.filter,
  });
  const config: ReflectorConfig = {
    ...protocol(options),
    requestLine: (query) => requestLine(requestFor(query)),
  };
  return runReflector<R>(config, {
    request: (query) =>
      exchange(client, requestFor(query), query, decoder, typeof dedup === 'object' ? dedup : undefined),
    scheduler: steady(schedulerOf(client, options)),
    random: randomOf(client, options),
    streams: streamSupport(client, resource.group),
    metrics: options.metrics,
  });
}

function protocol(options: ListWatchOptions<never, boolean, unknown>): Omit<ReflectorConfig, 'requestLine'> {
  const { watchTimeout = listWatchDefaults.watchTimeout, pageSize } = options;
  const [shortest, longest] = watchTimeout;
  if (!(shortest >= 1 && longest >= shortest && longest < Infinity)) {
    throw new InvalidOptionError('watchTimeout', watchTimeout, 'seconds, [shortest, longest] of at least 1,');
  }
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0)) {
    throw new InvalidOptionError('pageSize', pageSize, 'a positive integer');
  }
  return {
    initialList: options.initialList ?? listWatchDefaults.initialList,
    listConsistency: options.listConsistency ?? listWatchDefaults.listConsistency,
    pageSize,
    watchTimeout,
    grace: milliseconds('grace', options.grace ?? listWatchDefaults.grace),
    openTimeout: milliseconds('openTimeout', options.openTimeout ?? listWatchDefaults.openTimeout),
    listSilence: milliseconds('listSilence', options.listSilence ?? listWatchDefaults.listSilence),
    maxRetryAfter: milliseconds('maxRetryAfter', options.maxRetryAfter ?? listWatchDefaults.maxRetryAfter),
    bookmarkDeadline: milliseconds('bookmarkDeadline', options.bookmarkDeadline ?? listWatchDefaults.bookmarkDeadline),
    backoff: options.backoff ?? exponentialBackoff(),
  };
}

function milliseconds(option: string, value: number): number {
  if (value > 0) return value;
  throw new InvalidOptionError(option, value, 'more than 0 milliseconds');
}
