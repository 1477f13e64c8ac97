import { from, map, type Observable, type ObservableInput, type SchedulerLike } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import { toBatch, type WatchEvent } from './watch-event.js';

/**
 * Where an informer gets its objects from: watch events, one at a time or in batches.
 *
 * `listWatch` is one, `mergeSources` makes one of several, `fromEvents` one of anything iterable.
 */
export type Source<T> = Observable<WatchEvent<T> | readonly WatchEvent<T>[]>;

/** Returns false for an object, as the API server sends it, that a source would never deliver. */
export type Selection = (object: unknown) => boolean;

/** What is known about a source besides its events. */
export interface SourceFacts {
  /** The resource that the source reads. */
  readonly resource?: Resource<unknown> | undefined;
  /** The objects that the source delivers. */
  readonly selection?: Selection | undefined;
  /** The clock of the source, which is the default for what reads it. */
  readonly scheduler?: SchedulerLike | undefined;
  /** The random numbers of the source, which are the default for what reads it. */
  readonly random?: (() => number) | undefined;
}

const factsBySource = new WeakMap<object, SourceFacts>();
const nothingKnown: SourceFacts = {};

/** Remembers facts about a source, and returns the source. Operators piped onto it do not keep them. */
export function withFacts<S extends Source<unknown>>(source: S, facts: SourceFacts): S {
  factsBySource.set(source, facts);
  return source;
}

/** Returns what is known about a source. */
export function factsOf(source: Source<unknown>): SourceFacts {
  return factsBySource.get(source) ?? nothingKnown;
}

/** Returns the facts that hold for all these sources together. A selection is none of them. */
export function commonFacts(sources: readonly Source<unknown>[]): SourceFacts {
  const [first, ...others] = sources.map(factsOf);
  if (first === undefined) return nothingKnown;
  const { resource, scheduler, random } = first;
  return {
    resource: resource && others.every((other) => isSameResource(resource, other.resource)) ? resource : undefined,
    scheduler: others.every((other) => other.scheduler === scheduler) ? scheduler : undefined,
    random: others.every((other) => other.random === random) ? random : undefined,
  };
}

function isSameResource(a: Resource<unknown>, b: Resource<unknown> | undefined): boolean {
  return a.group === b?.group && a.version === b.version && a.plural === b.plural;
}

/**
 * A source made of events that come from elsewhere: an Observable, a promise, an iterable or async iterable, of events or of batches.
 *
 * Each event is a batch of one; a batch is passed on as it is, so `[[listed([a, b]), added(c)]]` is one commit and
 * `[listed([a, b]), added(c)]` two. An empty batch is passed on too: it changes nothing.
 *
 * **Guarantees**: as cold, as asynchronous and as long-lived as its input; errors and completion are passed on.
 * **Does not guarantee**: that a second subscriber sees anything where the input can be read only once (a generator).
 *
 * @example
 * import { fromEvents, watchEvent } from 'rx-informers';
 *
 * const pods = fromEvents([watchEvent.listed([{ metadata: { name: 'a' } }]), watchEvent.added({ metadata: { name: 'b' } })]);
 */
export function fromEvents<T>(
  input: ObservableInput<WatchEvent<T> | readonly WatchEvent<T>[]>,
): Observable<readonly WatchEvent<T>[]> {
  return from(input).pipe(map(toBatch));
}
