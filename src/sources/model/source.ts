import { type Observable, type SchedulerLike, Subscription } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import { type WatchEvent } from './watch-event.js';

/**
 * An Observable of watch events, one at a time or in batches, from which an informer gets its
 * objects.
 *
 * `listWatch` creates a source for the API server, `mergeSources` merges several sources, and
 * `fromEvents` creates a source from an Observable, a promise or an iterable.
 */
export type Source<T> = Observable<WatchEvent<T> | readonly WatchEvent<T>[]>;

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
   *
   * @param partition the partition of the object's events; none if the source is not merged
   */
  get(key: string, partition?: string): T | undefined;
  /** The number of objects in all partitions. */
  readonly size: number;
}

/** Facts about a source that are not in its events. */
export interface SourceFacts {
  /** The resource that the source reads. */
  readonly resource?: Resource<unknown> | undefined;
  /**
   * The client that sends the requests of the source. Sources with the same client read from the
   * same cluster.
   */
  readonly client?: object | undefined;
  /** Decides whether the source can deliver an object. */
  readonly selection?: Selection | undefined;
  /**
   * The clock of the source. It is the default for informers and operators that read the source.
   */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * The random numbers of the source. They are the default for informers and operators that read
   * the source.
   */
  readonly random?: (() => number) | undefined;
  /**
   * Returns the same source for a subscriber that already holds the objects `known`. The source
   * does not parse these objects again.
   */
  readonly knowing?: ((known: KnownObjects<unknown>) => Source<unknown>) | undefined;
  /** Returns the client that reads a partition, because clusters have versions of their own. */
  readonly clientOf?: ((partition: string) => object | undefined) | undefined;
  /** The connection of the source, if it has one. */
  readonly contact?: Contact | undefined;
}

/** The connection of a source, or the connections of its members. */
export interface Contact {
  /**
   * Reconnects now, as `Informer.recheck` describes. Does nothing while the source is not
   * subscribed to.
   *
   * @param version a version to reach: if the source has not reached it, the source lists again, at
   *   this version or a later one; otherwise it does nothing
   */
  readonly recheck: (version?: string) => void;
  /** Returns the time of day at which bytes last arrived; `undefined` if no bytes have arrived. */
  readonly lastHeardAt: () => number | undefined;
}

/**
 * Combines several contacts: those of all subscriptions of one source, or of all members of a
 * merged source.
 */
export class Contacts implements Contact {
  readonly #since = new Map<Contact, number>();

  /**
   * @param since the time of day to use while nothing has arrived from this contact
   * @returns a subscription that removes the contact
   */
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
    const heard = [...this.#since].map(([contact, since]) => ({ at: contact.lastHeardAt(), since }));
    if (heard.every(({ at }) => at === undefined)) return undefined;
    return heard.reduce((earliest, { at, since }) => Math.min(earliest, at ?? since), Infinity);
  };
}

const factsBySource = new WeakMap<object, SourceFacts>();

const nothingKnown: SourceFacts = {};

/**
 * Stores facts about a source, and returns the source. An Observable that is piped from the source
 * does not have these facts.
 */
export function withFacts<S extends Source<unknown>>(source: S, facts: SourceFacts): S {
  factsBySource.set(source, facts);
  return source;
}

/** Returns the facts of a source; an empty object if there are none. */
export function factsOf(source: Source<unknown>): SourceFacts {
  return factsBySource.get(source) ?? nothingKnown;
}

/**
 * Returns the source for a subscriber that holds `known`. If the source cannot use `known`, returns
 * the source unchanged.
 */
export function sourceKnowing<T>(source: Source<T>, known: KnownObjects<T>): Source<T> {
  return (factsOf(source).knowing?.(known) as Source<T> | undefined) ?? source;
}

/**
 * Returns the facts that are the same for all these sources: resource, client, scheduler and random. Never
 * returns `selection`, `knowing` or `contact`.
 */
export function commonFacts(sources: readonly Source<unknown>[]): SourceFacts {
  const [first, ...others] = sources.map(factsOf);
  if (first === undefined) return nothingKnown;
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
