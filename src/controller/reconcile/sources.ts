import { identity, isObservable, type Observable } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { type ResourceClient, resourceClient, type ResourceClientOptions } from '../api/resource-client.js';
import type { RunHandOver } from '../lease/hand-over.js';
import type { Logger } from '../logger.js';
import { checkArray, checkFunction, checkOption } from '../option-checks.js';
import { Skipped } from '../workqueue/outcome.js';
import type { RunContext } from '../workqueue/run.js';
import type {
  ChangeFilter,
  FilteredCollection,
  OwnedSource,
  PrimarySource,
  ReconcileRequest,
  WatchedSource,
} from './controller-options.js';
import { reasonsOfRun, type ReasonText } from './reconcile-event.js';

/** A collection of a controller as a cache, with its place in the options. */
export interface CachedSource {
  readonly trigger: string;
  readonly collection: Collection<unknown>;
}

export interface CollectionSource<T = unknown> extends CachedSource {
  readonly collection: Collection<T>;
  readonly through: ChangeFilter<T>;
}

interface OwnedCollectionSource extends CollectionSource<KubernetesObject> {
  readonly everyOwner: boolean;
}

interface WatchedCollectionSource extends CollectionSource {
  readonly map: (object: unknown) => unknown;
}

export interface WatchedValues {
  readonly trigger: string;
  readonly values$: Observable<unknown>;
  readonly map: (value: unknown) => unknown;
}

/** All sources that the options of a controller name. */
export interface Sources<T> {
  readonly primary: CollectionSource<T>;
  readonly owned: readonly OwnedCollectionSource[];
  readonly watched: readonly WatchedCollectionSource[];
  readonly external: readonly WatchedValues[];
  /** Without duplicates; `trigger` is the first place of a collection in the options. */
  readonly collections: readonly CachedSource[];
}

/** The options of sources, without the types that only the caller needs. */
export interface SourceOptions<T> {
  readonly for: PrimarySource<T>;
  readonly owns?: readonly unknown[] | undefined;
  readonly watches?: readonly unknown[] | undefined;
}

/** Returns the named sources. Throws a `TypeError` for a value that cannot be one. */
export function sourcesOf<T>(options: SourceOptions<T>): Sources<T> {
  checkArray('owns', options.owns, ', such as [deployments]');
  checkArray('watches', options.watches, ', such as [{ source, map }]');
  const primary = collectionSource<T>('for', options.for);
  const owned = ((options.owns ?? []) as readonly OwnedSource<KubernetesObject>[]).map((entry, index) => ({
    ...collectionSource(`owns[${index}]`, entry),
    everyOwner: 'everyOwner' in entry && entry.everyOwner === true,
  }));
  const watched: WatchedCollectionSource[] = [];
  const external: WatchedValues[] = [];
  for (const [index, entry] of ((options.watches ?? []) as readonly WatchedSource<unknown>[]).entries()) {
    const trigger = `watches[${index}]`;
    checkOption(isRecord(entry), trigger, 'an object { source, map }', entry);
    const { source, through, map } = entry;
    const isSource = isObservable(source) || isCollection(source);
    checkOption(isSource, `${trigger}.source`, 'a collection, such as an informer, or an Observable', source);
    checkFunction(`${trigger}.map`, map, ' that returns keys, such as (object) => [key]');
    if (isObservable(source)) external.push({ trigger, values$: source, map });
    else watched.push({ ...collectionSource<unknown>(trigger, { source, through }), map });
  }
  return { primary, owned, watched, external, collections: eachOnce([primary, ...owned, ...watched]) };
}

function eachOnce(sources: readonly CachedSource[]): readonly CachedSource[] {
  return sources.filter(
    ({ collection }, index) => sources.findIndex((source) => source.collection === collection) === index,
  );
}

function collectionSource<T>(trigger: string, source: Collection<T> | FilteredCollection<T>): CollectionSource<T> {
  const collection: unknown = isRecord(source) && 'source' in source ? source.source : source;
  const expected = 'a collection, such as an informer, or { source: collection }';
  checkOption(isCollection(collection), trigger, expected, collection);
  if (!('source' in source)) return { trigger, collection: source, through: identity };
  return { trigger, collection: source.source, through: source.through ?? identity };
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isCollection(value: unknown): boolean {
  return isRecord(value) && isObservable((value as { readonly changes$?: unknown }).changes$);
}

/**
 * A key was not reconciled, because one of the controller's collections had stopped. The cache of a
 * stopped collection is empty, even if the cluster has objects.
 *
 * **What to do**: Stop the controller before its informers.
 *
 * **Expected**: during shutdown, if informers stop first.
 */
export class CollectionEndedError extends RxInformersError {
  static override readonly code = 'RXI_COLLECTION_ENDED';
  override readonly name = 'CollectionEndedError';
  constructor(
    readonly key: string,
    /** The place of the collection in the options: `for`, `owns[0]`, `watches[2]`. */
    readonly trigger: string,
  ) {
    super(
      `${key} was not reconciled, because the collection of ${trigger} was stopped; stop the controller before its informers`,
    );
  }
}

/** Provides the parts of a request that do not come from the caches. */
export interface RunReconcileContext<Client> {
  readonly loggerOf: (key: string) => Logger;
  readonly clientOf: (key: string) => Client;
  /** Returns the hand-over of a run, or the result of a run that has to wait for its caches. */
  readonly handOverOf: (key: string, context: RunContext<ReasonText>) => RunHandOver | Skipped | undefined;
}

/** Calls `reconcile` with the content of the caches at the start of the run. */
export function runReconcile<T, Client extends KubeClient | undefined, Output>(
  reconcile: (request: ReconcileRequest<T, Client>) => Output,
  { primary, collections }: Sources<T>,
  { loggerOf, clientOf, handOverOf }: RunReconcileContext<Client>,
): (key: string, context: RunContext<ReasonText>) => Output | Skipped {
  return (key, context) => {
    const { signal, attempt, reasons: texts } = context;
    const ended = collections.find(({ collection }) => !collection.hasSynced);
    if (ended) throw new CollectionEndedError(key, ended.trigger);
    const handOver = handOverOf(key, context);
    if (handOver instanceof Skipped) return handOver;
    const object = primary.collection.snapshot.get(key);
    const reasons = reasonsOfRun(texts, attempt);
    const { resource } = primary.collection;
    const client = clientOf(key);
    const ofRun = (client && clientOfRun(client)) as ReconcileRequest<T, Client>['clientOf'];
    const clients = { client, clientOf: ofRun };
    return reconcile({ key, object, resource, ...clients, reasons, attempt, signal, logger: loggerOf(key), handOver });
  };
}

function clientOfRun(client: KubeClient) {
  return (of: Resource<unknown> | ResourceClient<unknown>, options?: ResourceClientOptions): ResourceClient<unknown> =>
    'via' in of ? of.via(client) : resourceClient(client, of, options);
}
