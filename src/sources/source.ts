import type { Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { WatchEvent } from './watch-event.js';

/**
 * Where an informer gets its objects from: watch events, one at a time or in batches.
 *
 * `listWatch` is one, `mergeSources` makes one of several, `fromEvents` one of anything iterable.
 */
export type Source<T> = Observable<WatchEvent<T> | readonly WatchEvent<T>[]>;

const resources = new WeakMap<object, Resource<unknown>>();

/**
 * Remembers which resource a source reads, and returns the source. Operators piped onto it do not
 * keep the resource. Does nothing for `undefined`.
 */
export function withResource<S extends Source<unknown>>(source: S, resource: Resource<unknown> | undefined): S {
  if (resource !== undefined) resources.set(source, resource);
  return source;
}

/** Returns the resource that a source reads, `undefined` if it is not known. */
export function resourceOf(source: Source<unknown>): Resource<unknown> | undefined {
  return resources.get(source);
}

const selections = new WeakMap<object, Selection>();

/** Returns false for an object, as the API server sends it, that a source would never deliver. */
export type Selection = (object: unknown) => boolean;

/** Remembers which objects a source delivers, and returns the source. Operators piped onto it do not keep it. */
export function withSelection<S extends Source<unknown>>(source: S, selection: Selection | undefined): S {
  if (selection !== undefined) selections.set(source, selection);
  return source;
}

/** Returns which objects a source delivers, `undefined` if it is not known. */
export function selectionOf(source: Source<unknown>): Selection | undefined {
  return selections.get(source);
}

/** Returns the resource that all these sources read, `undefined` if they read several or it is not known. */
export function commonResource(sources: readonly Source<unknown>[]): Resource<unknown> | undefined {
  const [first, ...others] = sources.map(resourceOf);
  return first !== undefined && others.every((other) => other !== undefined && isSameResource(first, other))
    ? first
    : undefined;
}

function isSameResource(a: Resource<unknown>, b: Resource<unknown>): boolean {
  return a.group === b.group && a.version === b.version && a.plural === b.plural;
}
