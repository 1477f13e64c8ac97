import { identity, isObservable, type Observable } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { checkArray, checkFunction, checkOption } from '../option-checks.js';
import type {
  ChangeFilter,
  FilteredCollection,
  OwnedSource,
  PrimarySource,
  WatchedSource,
} from './controller-options.js';

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

export function collectionEndedError(key: string, trigger: string): RxInformersError<'RXI_COLLECTION_ENDED'> {
  const message = `${key} was not reconciled, because the collection of ${trigger} was stopped; stop the controller before its informers`;
  return new RxInformersError('RXI_COLLECTION_ENDED', message, { key, trigger });
}
