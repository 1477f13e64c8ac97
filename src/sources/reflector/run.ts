import { Observable, Subscription, type SchedulerLike, catchError, of } from 'rxjs';
import { wallTimeAt } from '../../time/clock.js';
import { runProtocol } from '../../time/run-protocol.js';
import { type KubeClient, requestLine, type KubeRequest } from '../client/kube-client.js';
import { guardedBackoff, guardedRandom, type CallbackFailed } from '../model/backoff.js';
import type { SourceStatus, WatchEventBatch } from '../model/watch-event.js';
import { guardedMetrics, stepMeter, type ListWatchMetrics } from './metrics.js';
import type { Effect, Happening, Query, Reading, ReflectorConfig, State, Turn } from './protocol.js';
import { alarmOf, initialState, step } from './step.js';
import { errorEvent, failedTransforms } from './transitions.js';
import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
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
import { readList } from './read-list.js';
import { readWatch, type LineDedup } from './read-watch.js';

/** What `runReflector` acts on. */
export interface World<T> {
  /** Sends a request; the result must not error. */
  readonly request: (query: Query) => Observable<Reading<T> | Turn>;
  /** A `steady` one. */
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  readonly streams: StreamSupport;
  readonly metrics?: ListWatchMetrics | undefined;
}

/**
 * Runs one list-watch protocol for each subscription.
 *
 * What a request brings after it was ended is dropped, except for failures of `transform`.
 *
 * Teardown: the request and the alarm end with the subscription; metrics are told last.
 */
export function runReflector<T>(config: ReflectorConfig, world: World<T>): Observable<WatchEventBatch<T>> {
  return new Observable((subscriber) => {
    const { scheduler, streams } = world;
    let request: Subscription | undefined;
    const failed: CallbackFailed = (error) => {
      subscriber.next([errorEvent(error)]);
    };
    const measure = world.metrics && stepMeter<T>(guardedMetrics(world.metrics, failed));
    const random = guardedRandom(world.random, failed);
    const guardedConfig = { ...config, backoff: guardedBackoff('backoff', config.backoff, failed) };

    const protocol = runProtocol<State<T>, Received<T>, Effect<T>>({
      initial: streams.isRefused()
        ? { ...initialState, memory: { ...initialState.memory, isStreamRefused: true } }
        : initialState,
      step: (state, { happening, from }) => {
        if (from?.closed) return { state, effects: lateEffects(happening) };
        const at = scheduler.now();
        const next = step(guardedConfig, state, { ...happening, at, random: random() });
        measure?.(state, next, at);
        return next;
      },
      carryOut,
      alarm: (state) => ({ at: alarmOf(config, state), input: { happening: { type: 'alarm' } } }),
      scheduler,
      // What is left are the scheduler and defects: the subscriber receives the error, and may subscribe again.
      onError: (error) => {
        subscriber.error(error);
      },
    });

    function carryOut(effect: Effect<T>): void {
      switch (effect.type) {
        case 'abort':
          request?.unsubscribe();
          break;
        case 'emit':
          subscriber.next(withTimesOfDay(effect.batch, scheduler));
          break;
        case 'request':
          send(effect.query);
          break;
        case 'streams-refused':
          streams.refuse();
          break;
        default:
          effect satisfies never;
      }
    }

    function send(query: Query): void {
      // Known before subscribing, so that what comes synchronously can be told from what an ended request left behind.
      const from = new Subscription();
      request = from;
      from.add(
        world.request(query).subscribe((happening) => {
          protocol.feed({ happening, from });
        }),
      );
    }

    subscriber.add(() => {
      protocol.unsubscribe();
      request?.unsubscribe();
      measure?.(protocol.state, { state: initialState, effects: [] }, scheduler.now());
    });
    protocol.feed({ happening: { type: 'started' } });
  });
}

/** Something that happened, and the request that brought it. */
interface Received<T> {
  readonly happening: Happening<T> | Turn;
  readonly from?: Subscription;
}

/** The request was ended, but its objects are transformed already: a synchronous client answers before `abort`. */
function lateEffects<T>(happening: Happening<T> | Turn): readonly Effect<T>[] {
  const batch = failedTransformsIn<T>(happening);
  return batch.length > 0 ? [{ type: 'emit', batch }] : [];
}

function failedTransformsIn<T>(happening: Happening<T> | Turn): WatchEventBatch<T> {
  if (happening.type === 'items') return happening.failures.map(errorEvent);
  return happening.type === 'events' ? failedTransforms(happening.events) : [];
}

/** `step` counts elapsed time; a status is for display, and its times are times of day. */
function withTimesOfDay<T>(batch: WatchEventBatch<T>, scheduler: SchedulerLike): WatchEventBatch<T> {
  if (!batch.some(({ type }) => type === 'STATUS')) return batch;
  const displayed = (status: SourceStatus): SourceStatus => {
    if ('until' in status) return { ...status, until: wallTimeAt(scheduler, status.until) };
    return 'since' in status ? { ...status, since: wallTimeAt(scheduler, status.since) } : status;
  };
  return batch.map((event) => (event.type === 'STATUS' ? { ...event, status: displayed(event.status) } : event));
}

/** What the sources of one client know about streaming lists of one API group. */
export interface StreamSupport {
  isRefused(): boolean;
  /** Notes that the server of this group cannot do streaming lists. */
  refuse(): void;
}

const refusedGroups = new WeakMap<KubeClient, Set<string>>();

/**
 * Returns what is shared by the sources of `client` and `group`, for as long as the client exists. It is kept for each group,
 * because an aggregated API server may lack what the others can do (R26 ▲).
 */
export function streamSupport(client: KubeClient, group: string): StreamSupport {
  return {
    isRefused: () => refusedGroups.get(client)?.has(group) === true,
    refuse: () => {
      const groups = refusedGroups.get(client) ?? new Set();
      refusedGroups.set(client, groups.add(group));
    },
  };
}

/**
 * Sends a query, as this request, and reads the answer. An error is a `failed` reading. If the client keeps
 * the request waiting, that is emitted too.
 */
export function exchange<T>(
  client: KubeClient,
  request: KubeRequest,
  query: Query,
  decoder: ObjectDecoder<T>,
  dedup: LineDedup | undefined,
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

/** What is the same in every request of one reflector: LIST and WATCH see the same objects. */
export interface RequestTemplate {
  readonly resource: Resource<unknown>;
  /** `''`: all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Ignored by servers that do not know it, so a client that sends it filters as well. */
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
