import { Observable, Subscription, type SchedulerLike } from 'rxjs';
import { runProtocol } from '../../time/run-protocol.js';
import { wallTimeAt } from '../../time/steady.js';
import { guardedBackoff, guardedRandom, type CallbackFailed } from '../guarded.js';
import type { SourceStatus } from '../source-status.js';
import type { WatchEventBatch } from '../watch-event.js';
import type { ReflectorConfig } from './config.js';
import type { Effect } from './effect.js';
import type { Happening, Reading, Turn } from './input.js';
import type { ListWatchMetrics } from './list-watch-metrics.js';
import type { Query } from './query.js';
import { initialState, step } from './step.js';
import { guardedMetrics, stepMeter } from './step-meter.js';
import { alarmOf, type State } from './state.js';
import type { StreamSupport } from './stream-support.js';
import { errorEvent, failedTransforms } from './transitions.js';

/** The world that `runReflector` acts in. */
export interface World<T> {
  /** One exchange; it must not error. */
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
