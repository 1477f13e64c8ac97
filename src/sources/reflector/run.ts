import { Observable, Subscription, type SchedulerLike } from 'rxjs';
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
import type { State } from './state.js';
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
 * Carries out what `step` says, one protocol for each subscription.
 *
 * A request may answer, and an alarm ring, while effects are being carried out (a scripted client answers synchronously);
 * what happens then waits for its turn. What a request says after it was ended is dropped, except for failures of `transform`.
 *
 * Teardown: the request and the alarm end with the subscription, and nothing is fed to `step` after that.
 */
export function runReflector<T>(config: ReflectorConfig, world: World<T>): Observable<WatchEventBatch<T>> {
  return new Observable((subscriber) => {
    let state: State<T> = world.streams.isRefused()
      ? { ...initialState, memory: { ...initialState.memory, isStreamRefused: true } }
      : initialState;
    let request: Subscription | undefined;
    let alarm: Subscription | undefined;
    const waitingForTurn: { readonly happening: Happening<T> | Turn; readonly of: Subscription | undefined }[] = [];
    let isBusy = false;
    const failed: CallbackFailed = (error) => {
      subscriber.next([errorEvent(error)]);
    };
    const measure = world.metrics && stepMeter<T>(guardedMetrics(world.metrics, failed));
    const random = guardedRandom(world.random, failed);
    const guardedConfig = { ...config, backoff: guardedBackoff('backoff', config.backoff, failed) };

    function happen(happening: Happening<T> | Turn, of?: Subscription): void {
      waitingForTurn.push({ happening, of });
      if (isBusy) return;
      isBusy = true;
      try {
        takeTurns();
      } catch (error) {
        // What is left are the scheduler and defects: an error is heard, and the source can be subscribed to again.
        subscriber.error(error);
      } finally {
        isBusy = false;
      }
    }

    function takeTurns(): void {
      for (let next = waitingForTurn.shift(); next !== undefined && !subscriber.closed; next = waitingForTurn.shift()) {
        if (next.of?.closed) {
          // Its transforms have been called: a synchronous client answered before the request was ended.
          const batch = failedTransformsIn<T>(next.happening);
          if (batch.length > 0) subscriber.next(batch);
          continue;
        }
        const at = world.scheduler.now();
        const following = step(guardedConfig, state, { ...next.happening, at, random: random() });
        const before = state;
        state = following.state;
        measure?.(before, following, at);
        following.effects.forEach(carryOut);
      }
    }

    function carryOut(effect: Effect<T>): void {
      if (subscriber.closed) return;
      switch (effect.type) {
        case 'abort':
          request?.unsubscribe();
          break;
        case 'emit':
          subscriber.next(withTimesOfDay(effect.batch, world.scheduler));
          break;
        case 'request':
          send(effect.query);
          break;
        case 'streams-refused':
          world.streams.refuse();
          break;
        case 'wake':
          alarm?.unsubscribe();
          alarm = world.scheduler.schedule(
            () => happen({ type: 'alarm' }),
            Math.max(0, effect.at - world.scheduler.now()),
          );
          break;
        default:
          effect satisfies never;
      }
    }

    function send(query: Query): void {
      // Known before subscribing, so that what comes synchronously can be told from what an ended request left behind.
      const inFlight = new Subscription();
      request = inFlight;
      inFlight.add(world.request(query).subscribe((reading) => happen(reading, inFlight)));
    }

    subscriber.add(() => {
      request?.unsubscribe();
      alarm?.unsubscribe();
      measure?.(state, { state: initialState, effects: [] }, world.scheduler.now());
    });
    happen({ type: 'started' });
  });
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
