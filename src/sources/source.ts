import type { Observable } from 'rxjs';
import type { WatchEvent } from './watch-event.js';

/**
 * Where an informer gets its objects from: watch events, one at a time or in batches.
 *
 * `listWatch` is one, `mergeSources` makes one of several, `fromEvents` one of anything iterable.
 */
export type Source<T> = Observable<WatchEvent<T> | readonly WatchEvent<T>[]>;

const names = new WeakMap<object, string>();

/** Remembers what a source reads, for the messages of what reads it. Operators piped onto it do not keep the name. */
export function nameSource<S extends Source<unknown>>(source: S, name: string): S {
  names.set(source, name);
  return source;
}

/** Returns the name that `nameSource` gave, `undefined` where there is none. */
export function nameOfSource(source: Source<unknown>): string | undefined {
  return names.get(source);
}
