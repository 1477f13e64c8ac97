import type { WatchEventBatch } from '../watch-event.js';
import type { Query } from './query.js';
import type { State } from './state.js';

/** Something to do in the world, in the order given. */
export type Effect<T> =
  /** End the request in flight, if there is one. Comes before every `request`, so there are never two. */
  | { readonly type: 'abort' }
  | { readonly type: 'emit'; readonly batch: WatchEventBatch<T> }
  /** `isFree`: it does not count towards the bound on requests. */
  | { readonly type: 'request'; readonly query: Query; readonly isFree?: boolean }
  /** Let the other sources of the client know that streaming lists do not work here. */
  | { readonly type: 'streams-refused' };

/** What follows from an input: the next state, and what to do. */
export interface Step<T> {
  readonly state: State<T>;
  readonly effects: readonly Effect<T>[];
}

/** Nothing is to be done. */
export function stay<T>(state: State<T>): Step<T> {
  return { state, effects: [] };
}
