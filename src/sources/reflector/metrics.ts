import { guarded, type CallbackFailed } from '../model/backoff.js';
import type { SourceError } from '../model/errors.js';
import type { Paced, Query, State, Step } from './protocol.js';

/**
 * What `listWatch` tells whoever measures it. Durations are in milliseconds of its scheduler; the names beside are those of
 * client-go's metrics.
 *
 * One object may be passed to several list-watches, or to one of several namespaces. If a method throws, the source emits an
 * `ERROR` and goes on.
 */
export interface ListWatchMetrics {
  /**
   * A list began, as a stream or in pages (`reflector_lists_total`). `cause` is the failure that made it necessary: `undefined` for the
   * first list of a subscription, and for one that looks for objects which the list before could not deliver (R12 ▲).
   */
  listStarted(cause: SourceError | undefined): void;
  /** The list is complete (`reflector_list_duration_seconds`, `reflector_items_per_list`). One that fails is followed by a `listStarted`. */
  listFinished(took: number, items: number): void;
  /** A watch is open: the server has answered, or a streaming list is complete (`reflector_watches_total`). */
  watchOpened(): void;
  /**
   * It is over, be it unsubscribed from (`reflector_watch_duration_seconds`, `reflector_items_per_watch`). `events` counts bookmarks, and not
   * the changes that belong to another shard.
   */
  watchEnded(took: number, events: number): void;
  /** There is a newer version from which to go on (`reflector_last_resource_version`). */
  resourceVersion(resourceVersion: string): void;
}

/**
 * Tells `metrics` what a step means: lists and watches are read off the states on both sides of it and off what it emits, so that
 * `step` itself knows nothing of being measured. One meter is for one run of the protocol.
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
            // Here, and not below: what the same read brings behind the list may end the watch at once.
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
    const goesOn = requestOf(before) === requestOf(state);
    if (watchingSince !== undefined && !goesOn) {
      metrics.watchEnded(at - watchingSince, events);
      watchingSince = undefined;
      events = 0;
    }
    if (!goesOn && (state.name === 'listing' || state.name === 'streaming')) {
      listingSince = at;
      metrics.listStarted(cause);
    }
    if (watchingSince === undefined && state.name === 'watching' && state.headAt !== undefined) open(at);
  };
}

/** A request that waits for its turn belongs to the list or watch that it is for. */
function beyondPace<T>(state: State<T>): Exclude<State<T>, Paced<T>> {
  return state.name === 'paced' ? state.then : state;
}

/** What tells one list or watch from the next: all pages of a list are one, and so are a streaming list and its watch. */
function requestOf<T>(state: Exclude<State<T>, Paced<T>>): Query | undefined {
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

/** Returns hooks of which none throws: one that does is reported, and the others are still called. */
export function guardedMetrics(metrics: ListWatchMetrics, failed: CallbackFailed): ListWatchMetrics {
  const guard = <Args extends readonly unknown[]>(
    name: keyof ListWatchMetrics,
    hook: (...args: Args) => void,
  ): ((...args: Args) => void) => guarded(`metrics.${name}`, hook, () => undefined, failed);
  return {
    listStarted: guard('listStarted', (cause) => metrics.listStarted(cause)),
    listFinished: guard('listFinished', (took, items) => metrics.listFinished(took, items)),
    watchOpened: guard('watchOpened', () => metrics.watchOpened()),
    watchEnded: guard('watchEnded', (took, events) => metrics.watchEnded(took, events)),
    resourceVersion: guard('resourceVersion', (resourceVersion) => metrics.resourceVersion(resourceVersion)),
  };
}
