import {
  map,
  type MonoTypeOperatorFunction,
  Observable,
  type OperatorFunction,
  type SchedulerLike,
  Subscription,
} from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import { toBatch, type WatchEvent, type WatchEventBatch } from './watch-event.js';

/**
 * An Observable of watch events, one at a time or in batches, from which an informer gets its
 * objects. All other properties are optional, so every Observable of watch events is a source.
 *
 * `listWatch` creates a source for the API server, `mergeSources` merges several sources, and
 * `fromEvents` creates a source from an Observable, a promise or an iterable.
 */
export interface Source<T> extends Observable<WatchEvent<T> | readonly WatchEvent<T>[]> {
  /** The resource that the source reads; the default for informers over the source. */
  readonly resource?: Resource<unknown> | undefined;
  /** The client that sends the requests. Sources with the same client read the same cluster. */
  readonly client?: object | undefined;
  /** The clock of the source; the default for informers and operators that read the source. */
  readonly scheduler?: SchedulerLike | undefined;
  /** The random numbers: the default for informers and operators that read the source. */
  readonly random?: (() => number) | undefined;
  /**
   * Decides whether the source can deliver an object.
   *
   * @internal
   */
  readonly selection?: Selection | undefined;
  /**
   * Returns the same source for a subscriber that holds `known`, which is not parsed again.
   *
   * @internal
   */
  readonly withKnownObjects?: ((known: KnownObjects<unknown>) => Source<unknown>) | undefined;
  /**
   * Returns the client that reads a partition, because clusters have versions of their own.
   *
   * @internal
   */
  readonly clientOf?: ((partition: string) => object | undefined) | undefined;
  /**
   * The connection of the source, if it has one.
   *
   * @internal
   */
  readonly contact?: Contact | undefined;
}

/** A source that knows its resource and its connection, and keeps both when it is piped. */
export interface ResourceSource<T>
  extends Observable<WatchEventBatch<T>>, Omit<Source<unknown>, keyof Observable<unknown>> {
  /**
   * Pipes the source through an operator, as `pipe` does, and returns a source with the same
   * resource, client, clock, random numbers and connection.
   *
   * The operator gets each object once: unlike an informer directly over the source, an informer
   * over the result does not lend its objects to the source. So every relist is parsed completely.
   *
   * @param operator changes, drops or adds events. If it changes the kind of the objects, pass the
   *   option `resource` to the informer
   * @param options `selection` returns false for an object that the result never delivers. It is
   *   called with an object as the API server sent it. Default: the result can deliver all objects.
   *   So if the operator drops objects, pass `selection`, or `whenObserved` waits for them until
   *   the cache has reached their version
   * @returns a source of the batches that the operator emits
   * @example
   * import { informer, listWatch, pods, type KubeClient } from 'rx-informers';
   * import { bufferTime, map, pipe } from 'rxjs';
   *
   * declare const client: KubeClient;
   * const source = listWatch(client, pods);
   * const tenCommitsASecond = informer(
   *   source.through(
   *     pipe(
   *       bufferTime(100),
   *       map((batches) => batches.flat()),
   *     ),
   *   ),
   * );
   */
  through(
    operator: MonoTypeOperatorFunction<WatchEventBatch<T>>,
    options?: { readonly selection?: (object: unknown) => boolean },
  ): ResourceSource<T>;
  through<R>(
    operator: OperatorFunction<WatchEventBatch<T>, WatchEventBatch<R>>,
    options?: { readonly selection?: (object: unknown) => boolean },
  ): ResourceSource<R>;
}

/** The properties of a source that are not those of every Observable. */
export type SourceFacts = Omit<Source<unknown>, keyof Observable<unknown>>;

/**
 * Returns false if a source would never deliver the object. The argument is an object as the API
 * server sent it, before `transform`.
 */
export type Selection = (object: unknown) => boolean;

/**
 * The objects that the subscriber of a source holds: client-go's knownObjects. Each object was
 * delivered by this source, or has the same content as an object that this source delivered.
 */
export interface KnownObjects<T> {
  /**
   * Returns the object under a key of `metaNamespaceKey`, in one of its latest versions.
   * `partition` is that of the object's events; none if the source is not merged.
   */
  get(key: string, partition?: string): T | undefined;
  /** The number of objects in all partitions. */
  readonly size: number;
}

/** The connection of a source, or the connections of its members. */
export interface Contact {
  /**
   * Reconnects now, as `Informer.recheck` describes, if the source is subscribed to. With a
   * `version`, it instead lists at that version or later if the source has not reached it, and
   * otherwise does nothing.
   */
  readonly recheck: (version?: string) => void;
  /** Returns the time of day at which bytes last arrived; `undefined` if no bytes have arrived. */
  readonly lastHeardAt: () => number | undefined;
}

/** Combines the contacts of all subscriptions of a source, or of all members of a merged one. */
export class Contacts implements Contact {
  readonly #since = new Map<Contact, number>();

  /** Adds a contact until the result is unsubscribed. `since` counts until something arrives. */
  add(contact: Contact, since: number): Subscription {
    this.#since.set(contact, since);
    return new Subscription(() => {
      this.#since.delete(contact);
    });
  }

  readonly recheck = (version?: string): void => {
    for (const contact of [...this.#since.keys()]) contact.recheck(version);
  };

  /** Returns the time of the contact that has been silent for the longest. */
  readonly lastHeardAt = (): number | undefined => {
    const contacts = [...this.#since].map(([contact, since]) => ({ at: contact.lastHeardAt(), since }));
    if (contacts.every(({ at }) => at === undefined)) return undefined;
    return contacts.reduce((earliest, { at, since }) => Math.min(earliest, at ?? since), Infinity);
  };
}

/** An Observable whose emissions are batches of watch events. They need no check by `toBatch`. */
class Batches<T> extends Observable<WatchEventBatch<T>> {}

/** Returns the batches of a source. An emission that is no watch event becomes an `ERROR`. */
export function batchesOf<T>(source: Source<T>): Observable<WatchEventBatch<T>> {
  return source instanceof Batches ? (source as Batches<T>) : source.pipe(map(toBatch));
}

/**
 * Creates a source that emits the batches of `batches$` and has these properties. The caller has
 * made the batches or checked them with `toBatch`.
 */
export function sourceWith<T>(batches$: Observable<WatchEventBatch<T>>, facts: SourceFacts): ResourceSource<T> {
  // A new Observable, because `batches$` may belong to the caller.
  const source = new Batches<T>((subscriber) => batches$.subscribe(subscriber));
  return Object.assign(source, facts, {
    through: <R>(
      operator: OperatorFunction<WatchEventBatch<T>, WatchEventBatch<R>>,
      { selection }: { readonly selection?: Selection } = {},
    ) => sourceWith(source.pipe(operator, map(toBatch)), { ...facts, withKnownObjects: undefined, selection }),
  });
}

/** Returns the source for a subscriber that holds `known`, if it can use that. */
export function sourceWithKnownObjects<T>(source: Source<T>, known: KnownObjects<T>): Source<T> {
  return (source.withKnownObjects?.(known) as Source<T> | undefined) ?? source;
}

/**
 * Returns the facts that are the same for all these sources: resource, client, scheduler and
 * random. Never returns `selection`, `withKnownObjects` or `contact`.
 */
export function commonFacts(sources: readonly Source<unknown>[]): SourceFacts {
  const [first, ...others] = sources;
  if (first === undefined) return {};
  const { resource, client, scheduler, random } = first;
  return {
    resource: resource && others.every((other) => isSameResource(resource, other.resource)) ? resource : undefined,
    client: others.every((other) => other.client === client) ? client : undefined,
    scheduler: others.every((other) => other.scheduler === scheduler) ? scheduler : undefined,
    random: others.every((other) => other.random === random) ? random : undefined,
  };
}

function isSameResource(a: Resource<unknown>, b: Resource<unknown> | undefined): boolean {
  return a.group === b?.group && a.version === b.version && a.plural === b.plural;
}
