import { Observable, Subscription, type SchedulerLike } from 'rxjs';
import { wallTimeAt } from '../../time/steady.js';
import { exponentialBackoff } from '../backoff.js';
import { UnexpectedSourceError } from '../source-error.js';
import { errorEvent } from './transitions.js';
import type { SourceStatus } from '../source-status.js';
import type { WatchEventBatch } from '../watch-event.js';
import type { ReflectorConfig } from './config.js';
import type { Effect } from './effect.js';
import type { Happening, Reading } from './input.js';
import type { ListWatchMetrics } from './list-watch-metrics.js';
import type { Query } from './query.js';
import { initialState, step } from './step.js';
import { stepMeter } from './step-meter.js';
import type { State } from './state.js';
import type { StreamSupport } from './stream-support.js';

/** The world that `runReflector` acts in. */
export interface World<T> {
  /** One exchange; it must not error. */
  readonly request: (query: Query) => Observable<Reading<T>>;
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
 * what happens then waits for its turn. What a request says after it was ended is dropped.
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
    const waitingForTurn: { readonly happening: Happening<T>; readonly of: Subscription | undefined }[] = [];
    let isBusy = false;
    const meter = world.metrics && stepMeter<T>(world.metrics);
    const measure: typeof meter = meter && ((...args) => guarded(() => meter(...args), nothing));
    const safeConfig: ReflectorConfig = {
      ...config,
      backoff: (attempt, random) =>
        guarded(
          () => config.backoff(attempt, random),
          () => defaultBackoff(attempt, random),
        ),
    };

    /** A callback of the user that throws is reported, and something else is used: it must not end the protocol (G5). */
    function guarded<R>(call: () => R, instead: () => R): R {
      try {
        return call();
      } catch (error) {
        subscriber.next([errorEvent(new UnexpectedSourceError(error))]);
        return instead();
      }
    }

    function happen(happening: Happening<T>, of?: Subscription): void {
      waitingForTurn.push({ happening, of });
      if (isBusy) return;
      isBusy = true;
      try {
        takeTurns();
      } finally {
        isBusy = false;
      }
    }

    function takeTurns(): void {
      for (let next = waitingForTurn.shift(); next !== undefined && !subscriber.closed; next = waitingForTurn.shift()) {
        if (next.of?.closed) continue;
        const at = world.scheduler.now();
        const random = guarded(world.random, middle);
        const following = step(safeConfig, state, { ...next.happening, at, random });
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

const defaultBackoff = exponentialBackoff();
const nothing = (): void => undefined;
const middle = (): number => 0.5;

/** `step` counts elapsed time; a status is for display, and its times are times of day. */
function withTimesOfDay<T>(batch: WatchEventBatch<T>, scheduler: SchedulerLike): WatchEventBatch<T> {
  if (!batch.some(({ type }) => type === 'STATUS')) return batch;
  const displayed = (status: SourceStatus): SourceStatus => {
    if ('until' in status) return { ...status, until: wallTimeAt(scheduler, status.until) };
    return 'since' in status ? { ...status, since: wallTimeAt(scheduler, status.since) } : status;
  };
  return batch.map((event) => (event.type === 'STATUS' ? { ...event, status: displayed(event.status) } : event));
}
