import { createContext, useContext } from 'react';
import type { Collection, Indexers, Informer, KubernetesObject, Resource } from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { collectionHistory, type CollectionHistory } from 'rx-informers/history';
import type { PastRequest } from 'rx-informers/shared-worker';
import { EMPTY, exhaustMap, ReplaySubject, tap, type Observable } from 'rxjs';
import { recorded } from '../cluster/reading.js';
import { shownTime } from './shown-time.js';
import { WorkerPast, type ReadPart } from './worker-past.js';

/** How many milliseconds back the page can go. */
export const reach = recorded.for;

/**
 * What a tab keeps while it is live. The worker has the rest, once for all tabs; the tab reads it
 * when the page shows an earlier time.
 */
export const keptLive = { for: 600_000, bytes: 2 ** 26 } as const;
const keptInThePast = { for: reach, bytes: 2 ** 28 } as const;

/** The recording of one collection: its versions, and the collection that the page shows. */
interface Recording<T, I extends string> {
  readonly live: Collection<T, I>;
  readonly history: CollectionHistory<T, I>;
  readonly view: DerivedCollection<T, I>;
  /** What the shared worker has recorded; `undefined` if the collection is not read from one. */
  past?: WorkerPast;
}

const recordings = new WeakMap<object, Recording<unknown, string>>();

/**
 * Returns the recording of a collection. Accepts the live collection and the shown one. The first
 * call starts the recording.
 */
function recordingOf<T, I extends string>(collection: Collection<T, I>): Recording<T, I> {
  const known = recordings.get(collection) as Recording<T, I> | undefined;
  if (known !== undefined) {
    addMissingIndexers(known);
    return known;
  }
  const history = collectionHistory(collection, keptLive);
  const made: Recording<T, I> = { live: collection, history, view: history.view(shownTime) };
  for (const either of [collection, made.view]) recordings.set(either, made);
  return made;
}

/**
 * Adds missing indexes of the live collection to the shown collection. Several parts of the page
 * share an informer, and each part can add its own indexes to it at any time.
 */
function addMissingIndexers({ live, view }: Recording<unknown, string>): void {
  const { indexers } = view.snapshot;
  const missing = Object.entries(live.snapshot.indexers as Indexers<unknown>).filter(
    ([name]) => !Object.hasOwn(indexers, name),
  );
  if (missing.length > 0) view.addIndexers(Object.fromEntries(missing));
}

/**
 * Connects the recording of a collection with what the shared worker has recorded. While the page
 * shows an earlier time, the recording reads back to it. Only the first call has an effect,
 * and returns the past.
 */
function connectPast<T extends KubernetesObject, I extends string>(
  collection: Collection<T, I>,
  readPart: ReadPart,
): WorkerPast | undefined {
  const recording = recordingOf(collection);
  if (recording.past !== undefined) return undefined;
  const history = recording.history as CollectionHistory<KubernetesObject>;
  const past = new WorkerPast(history, readPart);
  recording.past = past;
  shownTime.time$
    .pipe(
      tap((time) => {
        history.keep(time === undefined ? keptLive : keptInThePast);
      }),
      // A move meanwhile changes how far back it reads.
      exhaustMap((time) => (time === undefined ? EMPTY : past.readBack(() => shownTime.time ?? Infinity))),
    )
    .subscribe();
  return past;
}

/** Reads what the shared worker has recorded of the objects of a resource, in one namespace or in all. */
export type PastReader = (
  resource: Resource<unknown>,
  request: PastRequest & { readonly namespace?: string | undefined },
) => Observable<string>;

/** An informer that is connected with what the shared worker of a cluster has recorded. */
export interface ConnectedPast {
  readonly informer: Informer<KubernetesObject>;
  readonly resource: Resource<unknown>;
  /** The only namespace that the informer requests. */
  readonly namespace: string | undefined;
  readonly history: CollectionHistory<KubernetesObject>;
  readonly past: WorkerPast;
  /** The reader of the cluster. */
  readonly read: PastReader;
}

/** Emits all connected informers, also to a later subscriber. */
export const connectedPast$ = new ReplaySubject<ConnectedPast>(Infinity);

/** Provides the past that the worker of the page's cluster has recorded. */
export const PastContext = createContext<PastReader | undefined>(undefined);

/**
 * Connects an informer with what the shared worker has recorded of its objects.
 *
 * @param namespace the only namespace that the informer requests
 */
export function useRecorded<T extends KubernetesObject, I extends string>(
  informer: Informer<T, I>,
  namespace: string | undefined,
): Informer<T, I> {
  const read = useContext(PastContext);
  const { resource } = informer;
  if (read === undefined || resource === undefined) return informer;
  const past = connectPast(informer, (part) => read(resource, { ...part, namespace }));
  if (past !== undefined) {
    const history = historyOf(informer) as CollectionHistory<KubernetesObject>;
    connectedPast$.next({ informer, resource, namespace, history, past, read });
  }
  return informer;
}

/** Returns what the shared worker has recorded of a collection, if it is read from one. */
export function pastOf(collection: Collection<unknown>): WorkerPast | undefined {
  return recordingOf(collection).past;
}

/** Reads everything that the shared worker has recorded of a collection. */
export function keepAll(collection: Collection<unknown>): void {
  historyOf(collection).keep(keptInThePast);
  readBack(collection, 0).subscribe();
}

/** Completes when the recording reaches back to a time, or to the beginning of what is recorded. */
export function readBack(collection: Collection<unknown>, time: number): Observable<void> {
  return pastOf(collection)?.readBack(time) ?? EMPTY;
}

/** Returns the live collection, regardless of the time that the page shows. */
export function liveOf<T, I extends string>(collection: Collection<T, I>): Collection<T, I> {
  return recordingOf(collection).live;
}

/** Returns the recorded versions of a collection. */
export function historyOf<T, I extends string>(collection: Collection<T, I>): CollectionHistory<T, I> {
  return recordingOf(collection).history;
}

/**
 * Returns a collection as the page shows it: live, or at the shown time. The same collection always
 * returns the same result.
 */
export function atShownTime<T, I extends string>(collection: Collection<T, I>): DerivedCollection<T, I> {
  return recordingOf(collection).view;
}
