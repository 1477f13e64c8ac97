import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { steady } from '../scheduling/clock.js';
import { firstLists } from './client/first-lists.js';
import { type KubeClient, randomOf, requestLine, schedulerOf } from './client/kube-client.js';
import {
  listWatchDefaults,
  type ListWatchOptions,
  protocolOptions,
  type ReceivedObject,
  selectionFor,
  type WithoutTransform,
} from './list-watch-options.js';
import { checkClient, checkResource } from './model/checked-options.js';
import { Contacts, type KnownObjects, type ResourceSource, sourceWith } from './model/source.js';
import { objectDecoder } from './reflector/object-decoder.js';
import type { ReflectorConfig } from './reflector/protocol.js';
import { isFirstList, requestBuilder, streamSupport, versionProbe } from './reflector/request.js';
import { exchange, runReflector } from './reflector/run-reflector.js';

export type { ListWatchOptions, ReceivedObject as Received, WithoutTransform } from './list-watch-options.js';

/**
 * Creates a source that emits all objects of one resource, and then every change: client-go's
 * reflector as an Observable.
 *
 * | emitted | when |
 * | --- | --- |
 * | `LISTED` | the first list is complete, and again after every relist; one event for all pages |
 * | `ADDED` `MODIFIED` `DELETED` `BOOKMARK` | one batch for each network read |
 * | `ERROR` | something failed; the source continues by itself |
 * | `STATUS` | the state of the source changed, or a list made progress (reported at most once a second) |
 *
 * Objects are plain JSON as the server sent it (dates are strings), after `transform`. Objects of a
 * list have `apiVersion` and `kind` too. After a broken connection, or if the server is overloaded,
 * the source resumes the watch from the last version. After any other failure, it lists again. The
 * waits between retries grow, and are at least the server's `Retry-After`. After two minutes
 * without a failure, the next failure counts as the first.
 *
 * If `transform` fails for an object of a list, the source emits an `ERROR` and names the object in
 * `LISTED.missing`. It keeps watching the other objects, and lists again with backoff. If an event
 * of a watch cannot be decoded or transformed, the source emits an `ERROR` and lists again; the
 * version never moves past that event. A list without a resourceVersion cannot be watched. The
 * source delivers it, emits an `ERROR`, and lists again with backoff. The source does the same if
 * the resource does not support watch (405).
 *
 * After a connection was refused, reset or silent, the source asks for the version of the server,
 * with a list of one object that all sources of the client and the API group share. If the server
 * went back, because its etcd was restored, the source lists again (`RXI_SERVER_RESTORED`).
 *
 * **Guarantees**: cold, one LIST and WATCH per subscription, one list or watch at a time; at most
 * 70 requests in any minute, regardless of the server, and one more for each page that brings new
 * objects (G5); never completes and never errors, unless an Observable of namespaces in the options
 * does so; detects a dead connection (G6) after at most 60 seconds without a response,
 * `listSilence`, or the watch's timeout plus `grace`, and after two bookmarks of a watch, about a
 * minute apart, within 150 seconds; unsubscribing aborts the request and clears the timer (G8).
 * **Does not guarantee**: that every state of an object is emitted (only the last state is certain
 * to be emitted); that a silent watch without regular bookmarks is detected before its timeout
 * (bookmarks are requested, but servers do not promise them). Shorten `watchTimeout` to detect a
 * silent watch earlier. Behind a proxy that sends empty lines as a heartbeat, a watch counts as
 * dead after 12 s of silence (`watchSilence`).
 *
 * Rules: R1–R30 of client-go's reflector, with these differences: every failure is an ERROR (R16);
 * no event is lost to a failing transform (R12); connection failures and 408/502/503/504 on opening
 * a watch are retried without a list (R8); watches that end early five times in a row without
 * anything new lead to a list (R14); streaming lists have a deadline (R27); a transform runs once
 * for each object (R28); if a server refuses streaming, all sources of the client remember it
 * (R26); two minutes without a failure reset the backoff (R18); a restored etcd is noticed (R30).
 *
 * @param client the connection; also the default of `scheduler` and `random`
 * @param resource what to read, such as `pods`
 * @param options which objects, and how to read them; see {@link ListWatchOptions}
 * @returns a source for {@link informer}
 * @throws `RXI_RESOURCE_PATH` if namespace and resource do not fit
 * @throws `RXI_INVALID_OPTION` for an option with an invalid value
 * @throws `RXI_INVALID_SELECTOR` for a label selector that the server would refuse
 * @example
 * import { listWatch, fetchClient, pods } from 'rx-informers';
 *
 * listWatch(fetchClient({ baseUrl: 'http://127.0.0.1:8001' }), pods, {
 *   namespace: 'web',
 * }).subscribe((batch) => {
 *   for (const event of batch)
 *     if (event.type === 'DELETED') console.log(event.object.metadata.name, 'is gone');
 * });
 */
export function listWatch<T, MetadataOnly extends boolean = false>(
  client: KubeClient,
  resource: Resource<T>,
  options?: ListWatchOptions<T, MetadataOnly> & WithoutTransform,
): ResourceSource<ReceivedObject<T, MetadataOnly>>;
export function listWatch<T, MetadataOnly extends boolean = false, R = ReceivedObject<T, MetadataOnly>>(
  client: KubeClient,
  resource: Resource<T>,
  options: ListWatchOptions<T, MetadataOnly, R> | undefined,
): ResourceSource<R>;
export function listWatch<T, MetadataOnly extends boolean, R>(
  client: KubeClient,
  resource: Resource<T>,
  options: ListWatchOptions<T, MetadataOnly, R> = {},
): ResourceSource<R> {
  checkClient(client);
  checkResource(resource);
  const { namespace = listWatchDefaults.namespace } = options;
  // Options are checked now; the sources of a set of namespaces are created later.
  protocolOptions(options);
  const clock = { scheduler: schedulerOf(client, options), random: randomOf(client, options) };
  const ofNamespace = (name: string): ResourceSource<R> => listWatchOne(client, resource, name, options);
  const source$ =
    typeof namespace === 'string' ? ofNamespace(namespace) : namespace.merge(namespace, ofNamespace, clock.scheduler);
  const { withKnownObjects, contact } = source$;
  const selection = selectionFor(resource, options);
  return sourceWith(source$, {
    resource,
    client,
    selection,
    clientOf: () => client,
    withKnownObjects,
    contact,
    ...clock,
  });
}

function listWatchOne<T, MetadataOnly extends boolean, R>(
  client: KubeClient,
  resource: Resource<T>,
  namespace: string,
  options: ListWatchOptions<T, MetadataOnly, R>,
  known?: KnownObjects<R>,
): ResourceSource<R> {
  const {
    labelSelector,
    fieldSelector,
    metadataOnly = listWatchDefaults.metadataOnly,
    transform = listWatchDefaults.transform,
    shareAcrossObjects = listWatchDefaults.shareAcrossObjects,
    dedup,
  } = options;
  const requestFor = requestBuilder({
    resource,
    namespace,
    labelSelector: formatLabelSelector(labelSelector ?? '') || undefined,
    fieldSelector,
    metadataOnly,
    omitsManagedFields: transform === listWatchDefaults.transform,
  });
  const decoder = objectDecoder<R>(resource, {
    metadataOnly,
    // Without a transform of the caller, R is the type that the default returns.
    transform,
    shareAcrossObjects,
    known,
  });
  const config: ReflectorConfig = {
    ...protocolOptions(options),
    requestLine: (query) => requestLine(requestFor(query)),
  };
  const contact = new Contacts();
  const scheduler = steady(schedulerOf(client, options));
  const lists = firstLists(client, scheduler);
  const source$ = runReflector<R>(config, {
    request: (query) =>
      exchange(
        isFirstList(query) ? lists : client,
        requestFor(query),
        query,
        decoder,
        typeof dedup === 'object' ? dedup : undefined,
      ),
    scheduler,
    random: randomOf(client, options),
    streams: streamSupport(client, resource.group),
    probe: versionProbe(client, resource, namespace, scheduler),
    metrics: options.metrics,
    contacts: contact,
  });
  // A held object can replace a parsed one only if neither a transform nor the program changed it.
  const canKnow = transform === listWatchDefaults.transform && shareAcrossObjects;
  const withKnownObjects = (known: KnownObjects<unknown>): ResourceSource<R> =>
    listWatchOne(client, resource, namespace, options, known as KnownObjects<R>);
  return sourceWith(source$, { withKnownObjects: canKnow ? withKnownObjects : undefined, contact });
}
