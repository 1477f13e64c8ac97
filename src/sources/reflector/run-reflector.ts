import { catchError, Observable, of, type SchedulerLike, Subscription } from 'rxjs';
import { wallTime, wallTimeAt } from '../../scheduling/clock.js';
import { runProtocol } from '../../scheduling/run-protocol.js';
import { safely, safeMethods, safeRandom } from '../../scheduling/safely.js';
import { type KubeClient, type KubeRequest, requestLine } from '../client/kube-client.js';
import { type Backoff, defaultBackoff } from '../model/backoff.js';
import { isSourceError, optionThrew, unexpectedSourceError } from '../model/errors.js';
import type { Contacts } from '../model/source.js';
import { errorEvent, type SourceStatus, type WatchEventBatch } from '../model/watch-event.js';
import { reflectorAlarm } from './alarm.js';
import { listWatchMetricNames, type ListWatchMetrics, stepMeter } from './metrics.js';
import type { ObjectDecoder } from './object-decoder.js';
import type { Effect, Input, RequestQuery, Reading, ReflectorConfig, State, Turn } from './protocol.js';
import { readList } from './read-list.js';
import { type Dedup, readWatch } from './read-watch.js';
import { type StreamSupport, type VersionProbe } from './request.js';
import { initialState, step } from './step.js';

/** The dependencies of `runReflector`. */
export interface World<T> {
  /** Sends a request. The result must not error. */
  readonly request: (query: RequestQuery) => Observable<Reading<T> | Turn>;
  /** A scheduler that `steady` has returned. */
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  readonly streams: StreamSupport;
  /** Requests the version of the server. The result must not error. */
  readonly probe: VersionProbe;
  readonly metrics?: ListWatchMetrics | undefined;
  /** Contains the contact of each running subscription. */
  readonly contacts: Contacts;
}

/**
 * Runs one list-watch protocol for each subscription. Inputs of an ended request are dropped,
 * except failures of `transform`. Teardown: the request and the alarm end, metrics are called last.
 */
export function runReflector<T>(config: ReflectorConfig, world: World<T>): Observable<WatchEventBatch<T>> {
  return new Observable((subscriber) => {
    const { scheduler, streams } = world;
    let request: Subscription | undefined;
    let probing: Subscription | undefined;
    let contactAt: number | undefined;
    const call = safely((option, cause) => subscriber.next([errorEvent(optionThrew(option, cause))]));
    const measure = world.metrics && stepMeter<T>(safeMethods('metrics', world.metrics, listWatchMetricNames, call));
    const random = safeRandom(world.random, call);
    const backoff: Backoff = (...args) => call('backoff', () => config.backoff(...args), defaultBackoff(...args));
    const safeConfig = { ...config, backoff };

    const protocol = runProtocol<State<T>, Received<T>, Effect<T>>({
      initial: streams.isRefused()
        ? { ...initialState, memory: { ...initialState.memory, isStreamRefused: true } }
        : initialState,
      step: (state, { reflectorEvent, from }) => {
        if (from?.closed) return { state, effects: lateEffects(reflectorEvent) };
        if (hasBytes(reflectorEvent)) contactAt = wallTime(scheduler);
        const at = scheduler.now();
        const next = step({ config: safeConfig, at, random: random() }, state, reflectorEvent);
        measure?.(state, next, at);
        return next;
      },
      carryOut,
      alarm: (state) => ({ at: reflectorAlarm(config, state), input: { reflectorEvent: { type: 'alarm' } } }),
      scheduler,
      // Only the scheduler or a bug can throw here. The subscriber may subscribe again.
      onError: (error) => subscriber.error(error),
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
        case 'probe':
          probing?.unsubscribe();
          probing = world
            .probe(effect.since)
            .subscribe((resourceVersion) => protocol.feed({ reflectorEvent: { type: 'probed', resourceVersion } }));
          break;
        case 'streams-refused':
          streams.refuse();
          break;
        default:
          effect satisfies never;
      }
    }

    function send(query: RequestQuery): void {
      // This is set before subscribing, so that synchronous emissions are not dropped.
      const from = new Subscription();
      request = from;
      from.add(world.request(query).subscribe((reflectorEvent) => protocol.feed({ reflectorEvent, from })));
    }

    subscriber.add(() => {
      protocol.unsubscribe();
      request?.unsubscribe();
      probing?.unsubscribe();
      measure?.(protocol.state, { state: initialState, effects: [] }, scheduler.now());
    });
    const contact = {
      recheck: (version?: string) => protocol.feed({ reflectorEvent: { type: 'recheck', version } }),
      lastHeardAt: () => contactAt,
    };
    subscriber.add(world.contacts.add(contact, wallTime(scheduler)));
    protocol.feed({ reflectorEvent: { type: 'started' } });
  });
}

/** An input, and the request that it came from. */
interface Received<T> {
  readonly reflectorEvent: Input<T>;
  readonly from?: Subscription;
}

/**
 * Returns true if the input reports that bytes of a successful response arrived. An empty line
 * counts, too, and so does the end of a response that the server ended in order.
 */
function hasBytes(reflectorEvent: Input<unknown>): boolean {
  const { type } = reflectorEvent;
  if (type === 'closed') return reflectorEvent.cut === undefined;
  return type === 'events' || type === 'head' || type === 'items' || type === 'page-end';
}

/**
 * Returns the effects of an input of an ended request: failed transforms are still reported. Such
 * an input occurs if a client responds synchronously, before the request is ended.
 */
function lateEffects<T>(input: Input<T>): readonly Effect<T>[] {
  const failures =
    input.type === 'items'
      ? input.failures
      : input.type === 'events'
        ? input.events.flatMap((event) => (event.type === 'untransformed' ? [event.error] : []))
        : [];
  return failures.length > 0 ? [{ type: 'emit', batch: failures.map(errorEvent) }] : [];
}

/** Replaces elapsed times, which `step` counts, by times of day for display. */
function withTimesOfDay<T>(batch: WatchEventBatch<T>, scheduler: SchedulerLike): WatchEventBatch<T> {
  let displayed = batch;
  for (const [position, event] of batch.entries()) {
    if (event.type !== 'STATUS') continue;
    displayed = displayed.with(position, { ...event, status: withTimeOfDay(event.status, scheduler) });
  }
  return displayed;
}

function withTimeOfDay(status: SourceStatus, scheduler: SchedulerLike): SourceStatus {
  if ('until' in status) return { ...status, until: wallTimeAt(scheduler, status.until) };
  return 'since' in status ? { ...status, since: wallTimeAt(scheduler, status.since) } : status;
}

/**
 * Sends `request` for a query and reads the response. An error is emitted as a `failed` reading. If
 * the request waits in the client's queue, a `Turn` is emitted too.
 */
export function exchange<T>(
  client: Pick<KubeClient, 'exchange'>,
  request: KubeRequest,
  query: RequestQuery,
  decoder: ObjectDecoder<T>,
  dedup: Dedup | undefined,
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
    catchError((error: unknown) =>
      of<Reading<T>>({ type: 'failed', error: isSourceError(error) ? error : unexpectedSourceError(error) }),
    ),
  );
}
