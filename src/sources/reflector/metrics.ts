import type { SourceError } from '../model/errors.js';
import type { Paced, RequestQuery, State, Step } from './protocol.js';

/**
 * The hooks by which `listWatch` reports its lists and watches. Durations are in milliseconds of
 * the source's scheduler. The names in parentheses are the metrics of client-go.
 *
 * One object with these hooks may be passed to several list-watches, and to a list-watch of several
 * namespaces. If a method throws, the source emits an `ERROR` and continues.
 */
export interface ListWatchMetrics {
  /**
   * Called when a list began (`reflector_lists_total`). `cause` is the failure that made it
   * necessary; `undefined` for the first list, and to retry objects of a previous list (R12 ▲).
   */
  listStarted(cause: SourceError | undefined): void;
  /**
   * Called when a list is complete, not if it failed (`reflector_list_duration_seconds`,
   * `reflector_items_per_list`).
   */
  listFinished(took: number, items: number): void;
  /** Called when a watch has a response, or its list is complete (`reflector_watches_total`). */
  watchOpened(): void;
  /**
   * Called when a watch ended or was unsubscribed (`reflector_watch_duration_seconds`,
   * `reflector_items_per_watch`). `events` counts changes and bookmarks.
   */
  watchEnded(took: number, events: number): void;
  /** Called with a newer version to resume from (`reflector_last_resource_version`). */
  resourceVersion(resourceVersion: string): void;
}

/**
 * Returns a function to call after each step of a run. It calls the hooks of `metrics` when a list
 * or a watch begins or ends. It recognises this from the states before and after the step and from
 * the emitted events, so `step` itself needs no metrics. Each run needs its own function.
 */
export function stepMeter<T>(
  metrics: ListWatchMetrics,
): (before: State<T>, { state, effects }: Step<T>, at: number) => void {
  let listingSince = 0;
  let watchingSince: number | undefined;
  let events = 0;

  function open(at: number): void {
    watchingSince = at;
    metrics.watchOpened();
  }

  return (from, { state: to, effects }, at) => {
    const before = beyondPace(from);
    const state = beyondPace(to);
    let cause = before.name === 'waiting' ? before.cause : undefined;
    for (const effect of effects) {
      if (effect.type !== 'emit') continue;
      for (const event of effect.batch) {
        switch (event.type) {
          case 'LISTED':
            metrics.listFinished(at - listingSince, event.items.length);
            // `open` is called here, because later events of this read may end the watch.
            if (before.name === 'streaming') open(at);
            break;
          case 'ERROR':
            cause = event.error;
            break;
          case 'STATUS':
            break;
          default:
            events += 1;
        }
      }
    }
    const { resourceVersion } = state.memory;
    if (resourceVersion !== '' && resourceVersion !== before.memory.resourceVersion) {
      metrics.resourceVersion(resourceVersion);
    }
    const isSameRequest = requestOf(before) === requestOf(state);
    if (watchingSince !== undefined && !isSameRequest) {
      metrics.watchEnded(at - watchingSince, events);
      watchingSince = undefined;
      events = 0;
    }
    if (!isSameRequest && (state.name === 'listing' || state.name === 'streaming')) {
      listingSince = at;
      metrics.listStarted(cause);
    }
    if (watchingSince === undefined && state.name === 'watching' && state.headAt !== undefined) open(at);
  };
}

/** Returns the state to which a paced request leads. Returns any other state unchanged. */
function beyondPace<T>(state: State<T>): Exclude<State<T>, Paced<T>> {
  return state.name === 'paced' ? state.then : state;
}

/**
 * Returns the query that identifies the current list or watch. All pages of a list have the same
 * query, and so do a streaming list and its watch.
 */
function requestOf<T>(state: Exclude<State<T>, Paced<T>>): RequestQuery | undefined {
  switch (state.name) {
    case 'listing':
      return state.first;
    case 'streaming':
    case 'watching':
      return state.query;
    case 'idle':
    case 'waiting':
      return undefined;
  }
}

/** The names of all hooks. */
export const listWatchMetricNames = [
  'listStarted',
  'listFinished',
  'watchOpened',
  'watchEnded',
  'resourceVersion',
] as const satisfies readonly (keyof ListWatchMetrics)[];
