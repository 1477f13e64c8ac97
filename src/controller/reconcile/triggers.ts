import { catchError, defer, EMPTY, merge, retry, timer, type Observable, type SchedulerLike } from 'rxjs';
import { internalChanges, knownInternals } from '../../collections/log-collection.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import { partitionPrefix } from '../../kubernetes/keys.js';
import type { AnyKubernetesObject, KubernetesObject, OwnerReference } from '../../kubernetes/object.js';
import { kindOf, groupOf, type Resource } from '../../kubernetes/resource.js';
import type { Change, ChangeReason, ChangeSet } from '../../store/change.js';
import { defaultPriority, lowPriority, type KeyRequest } from '../queue/queue-item.js';
import { mapInSlices } from '../workqueue/time-slices.js';
import { changedVersion, type ChangedVersion } from './own-writes.js';
import { type ReconcileEventOf, reasonText, type ReasonText, type ReconcileReason } from './reconcile-event.js';
import type { CollectionSource, Sources, WatchedValues } from './sources.js';

/** A key to reconcile, and the reason. */
export interface Trigger extends KeyRequest<string, ReasonText> {
  /** The step of the object; undefined for a list or a resync, which may be several changes. */
  readonly version?: ChangedVersion | undefined;
}

/** The dependencies of `triggers`. */
export interface TriggersContext {
  readonly report: (failed: ReconcileEventOf<'trigger-failed'>) => void;
  readonly scheduler: SchedulerLike;
}

/** The wait before subscribing again to a collection whose `through` failed. */
const waitAfterFailure = 1_000;

/** Emits the triggers of all sources. A failure is reported, and everything else continues. */
export function triggers<T>(
  { primary, owned, watched, external }: Sources<T>,
  context: TriggersContext,
): Observable<Trigger> {
  const owners: Owners = {
    resource: primary.collection.resource,
    get: (key) => primary.collection.snapshot.get(key) as KubernetesObject | undefined,
  };
  return merge(
    ofCollection(primary, context, {
      keysOf: ({ key }) => ({ keys: [key], errors: [] }),
      reasonOf: ({ type }, setReason) => ({ type: 'primary', change: type, because: setReason }),
    }),
    ...owned.map((source) =>
      ofCollection(source, context, {
        keysOf: (change) =>
          mappedKeys(versionsOf(change), (object) =>
            ownerKeys(object, owners, { ...source, prefix: prefixOf(change.key, source) }),
          ),
        reasonOf: ({ type, key, object }, setReason) => {
          const { kind } = kindOf(object, source.collection.resource);
          return { type: 'owned', kind, key, change: type, because: setReason };
        },
      }),
    ),
    ...watched.map((source) =>
      ofCollection(source, context, {
        keysOf: (change) => mappedKeys(versionsOf(change), source.map),
        reasonOf: ({ type, key, object }, setReason) => {
          const { kind } = kindOf(object as KubernetesObject, source.collection.resource);
          return { type: 'watched', kind, key, change: type, because: setReason };
        },
      }),
    ),
    ...external.map((source) => ofValues(source, context)),
  );
}

/** Returns the partition of an owned object, because its owner is in the same cluster. */
function prefixOf(key: string, { collection }: CollectionSource<KubernetesObject>): string {
  return knownInternals(collection)?.isPartitioned === true ? partitionPrefix(key) : '';
}

interface Mapping<T> {
  readonly keysOf: (change: Change<T>) => FoundKeys;
  readonly reasonOf: (change: Change<T>, setReason: ChangeReason) => ReconcileReason;
}

function ofCollection<T>(
  { trigger, collection, through }: CollectionSource<T>,
  { report, scheduler }: TriggersContext,
  { keysOf, reasonOf }: Mapping<T>,
): Observable<Trigger> {
  function* requestsOf({ reason: setReason, changes }: ChangeSet<T>): Iterable<Trigger | undefined> {
    const priority = setReason === 'initial' || setReason === 'resync' ? lowPriority : defaultPriority;
    for (const change of changes) {
      const { keys, errors } = keysOf(change);
      for (const error of errors)
        report({ type: 'trigger-failed', trigger, key: change.key, error, outcome: 'skipped' });
      // Mapping a value costs time even if it has no keys, so it counts for the slice.
      if (keys.length === 0) yield undefined;
      else {
        const reason = reasonText(reasonOf(change, setReason));
        const version = setReason === 'watch' ? changedVersion(change) : undefined;
        for (const key of keys) yield { key, priority, reason, version };
      }
    }
  }
  return defer(() => internalChanges(collection).pipe(through)).pipe(
    mapInSlices(requestsOf, scheduler),
    retry({
      delay: (error: unknown) => {
        report({ type: 'trigger-failed', trigger, key: undefined, error, outcome: 'resubscribing' });
        return timer(waitAfterFailure, scheduler);
      },
    }),
  );
}

function ofValues(
  { trigger, values$, map: toKeys }: WatchedValues,
  { report, scheduler }: TriggersContext,
): Observable<Trigger> {
  const failed = (error: unknown, outcome: ReconcileEventOf<'trigger-failed'>['outcome']): void =>
    report({ type: 'trigger-failed', trigger, key: undefined, error, outcome });
  const reason = reasonText({ type: 'external', trigger });
  return values$.pipe(
    mapInSlices(function* (value): Iterable<Trigger> {
      const { keys, errors } = mappedKeys([value], toKeys);
      for (const error of errors) failed(error, 'skipped');
      for (const key of keys) yield { key, priority: defaultPriority, reason };
    }, scheduler),
    catchError((error: unknown) => {
      failed(error, 'ended');
      return EMPTY;
    }),
  );
}

/** The keys that `map` returned for some values, each once, and the errors of other values. */
export interface FoundKeys {
  readonly keys: readonly string[];
  readonly errors: readonly unknown[];
}

/** Returns the keys of each value, also if `map` throws or returns no key for another one. */
export function mappedKeys<V>(values: readonly V[], map: (value: V) => unknown): FoundKeys {
  const keys = new Set<string>();
  const errors: unknown[] = [];
  for (const value of values) {
    try {
      for (const key of listOf(map(value))) {
        if (typeof key === 'string' && key !== '') keys.add(key);
        else errors.push(mappedKeyError(key));
      }
    } catch (error) {
      errors.push(error);
    }
  }
  return { keys: [...keys], errors };
}

function listOf(output: unknown): Iterable<unknown> {
  if (output === undefined || output === null) return [];
  const isList = typeof output === 'object' && Symbol.iterator in output;
  return isList ? (output as Iterable<unknown>) : [output];
}

export function mappedKeyError(output: unknown): RxInformersError<'RXI_MAPPED_KEY'> {
  const message = `the map function returned ${describeOutput(output)}, which is not a key; return a key, several keys or nothing`;
  return new RxInformersError('RXI_MAPPED_KEY', message, { output });
}

function describeOutput(output: unknown): string {
  if (output === '') return 'an empty string';
  return output === null ? 'null' : `a value of type ${typeof output}`;
}

/** Options of `ownerKeys`. */
export interface OwnerKeysOptions {
  /** The beginning of the keys in the partition of the object. */
  readonly prefix?: string | undefined;
  /** If false, selects only the owner that manages the object (`controller: true`). */
  readonly everyOwner: boolean;
}

/** The collection in which owners are searched. */
export interface Owners {
  /** The resource of the primary collection, if it is known. */
  readonly resource?: Resource<unknown> | undefined;
  /** Returns a primary object by its key. */
  get(key: string): AnyKubernetesObject | undefined;
}

/**
 * Returns the keys of the primary objects that own `object`. Owners are in the namespace of the
 * object, or cluster-scoped.
 *
 * A primary object is an owner if an owner reference has its uid, or its API group, kind and name.
 * Group and kind are taken from the collection's resource, or else from the primary object. If
 * neither is known, the name alone decides, because an unnecessary reconcile costs less than a
 * missing reconcile.
 *
 * An owner that is not in the collection is ignored: there is nothing to reconcile, and its
 * addition and deletion are triggers themselves. API versions are not compared, because an owner is
 * the same object in all versions. If group, kind and name match, another uid does not matter: the
 * dependents of a deleted object concern the new object of that name.
 */
export function ownerKeys(
  object: AnyKubernetesObject,
  owners: Owners,
  { everyOwner, prefix = '' }: OwnerKeysOptions,
): readonly string[] {
  const { namespace = '', ownerReferences = [] } = object.metadata ?? {};
  return ownerReferences.flatMap((reference) => {
    if (!everyOwner && reference.controller !== true) return [];
    const key = candidateKeys(namespace, reference.name)
      .map((candidate) => prefix + candidate)
      .find((candidate) => isReferredTo(owners.get(candidate), reference, owners.resource));
    return key === undefined ? [] : [key];
  });
}

/** Returns the possible keys: an owner is in the same namespace, or cluster-scoped. */
function candidateKeys(namespace: string, name: string): readonly string[] {
  return namespace === '' ? [name] : [`${namespace}/${name}`, name];
}

function isReferredTo(
  owner: AnyKubernetesObject | undefined,
  reference: OwnerReference,
  resource: Resource<unknown> | undefined,
): boolean {
  if (owner === undefined) return false;
  if (owner.metadata?.uid === reference.uid) return true;
  const { apiVersion, kind } = kindOf(owner, resource);
  const isSameKind = kind === undefined || kind === reference.kind;
  return isSameKind && (apiVersion === undefined || groupOf(apiVersion) === groupOf(reference.apiVersion));
}

/** Returns both versions of an update: keys that only the old one maps to must also run. */
function versionsOf<T>(change: Change<T>): readonly T[] {
  if (change.type !== 'updated' || change.previous === change.object) return [change.object];
  return [change.previous, change.object];
}
