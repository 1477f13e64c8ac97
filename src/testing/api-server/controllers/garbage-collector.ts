import type { Subscription } from 'rxjs';
import { removeStoredFinalizer, servedResource, type StorageAddress } from '../storage/finalizers.js';
import type { ServerContext } from '../storage/server-context.js';
import type { StorageCommit, StorageEvent } from '../storage/storage.js';
import type { StoredObject } from '../storage/stored-object.js';
import { deleteObject } from '../write/delete.js';
import { deleteParameters, type PropagationPolicy } from '../write/write-options.js';

/**
 * Deletes dependents of deleted owners, as a real cluster does, but at once; also objects created
 * after their owner was deleted, as by controllers with a stale cache. Objects whose owner never
 * existed are kept: tests usually create them on purpose.
 */
export function startGarbageCollector(context: ServerContext): Subscription {
  const index = new OwnerIndex();
  return context.storage.commits$.subscribe((commit) => {
    index.follow(commit.resource, commit.event);
    collect(context, index, commit);
  });
}

function collect(context: ServerContext, index: OwnerIndex, { resource, event }: StorageCommit): void {
  const { type, key, object } = event;
  if (type === 'DELETED') {
    releaseDependents(context, index, object.metadata.uid);
    for (const owner of ownersOf(object)) endForeground(context, index, owner);
    return;
  }
  if (object.metadata.deletionTimestamp === undefined) {
    const gone = ownersOf(object).find((owner) => index.isGone(owner));
    if (gone !== undefined) releaseFromOwner(context, index, { resource, key }, gone);
    return;
  }
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes('orphan')) orphan(context, index, { resource, key }, object.metadata.uid);
  else if (finalizers.includes('foregroundDeletion')) deleteInForeground(context, index, object.metadata.uid);
}

/**
 * Releases the dependents of an owner. The workers of the real collector look at all of them before
 * one is deleted. So a dependent with another owner first loses its reference to this one, also if
 * the other owner is deleted in the same step.
 */
function releaseDependents(context: ServerContext, index: OwnerIndex, owner: string): void {
  const dependents = index.dependentsOf(owner);
  for (const dependent of dependents) releaseFromOwner(context, index, dependent, owner, 'kept');
  for (const dependent of dependents) releaseFromOwner(context, index, dependent, owner);
}

/**
 * Deletes a dependent of a deleted owner, or of one that waits for its dependents. If another owner
 * keeps the dependent, only removes the references to owners that do not. A dependent that is being
 * deleted is left alone; with `only`, each that no other owner keeps.
 */
function releaseFromOwner(
  context: ServerContext,
  index: OwnerIndex,
  address: StorageAddress,
  owner: string,
  only?: 'kept',
): void {
  const object = dependentAt(context, address, owner);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
  const others = new Map(
    ownersOf(object)
      .filter((uid) => uid !== owner)
      .map((uid) => [uid, ownerState(context, index, uid)]),
  );
  if ([...others.values()].includes('kept')) {
    forget(context, address, object, (uid) => others.get(uid) !== 'kept');
    return;
  }
  if (only === 'kept') return;
  const isWaitedFor = index.addressOf(owner) !== undefined || [...others.values()].includes('waiting');
  remove(context, address, object, isWaitedFor ? 'Foreground' : 'Background');
}

/** Returns `waiting` for an owner that is being deleted in the foreground. */
function ownerState({ storage }: ServerContext, index: OwnerIndex, uid: string): 'gone' | 'waiting' | 'kept' {
  const address = index.addressOf(uid);
  const owner = address === undefined ? undefined : storage.resource(address.resource).get(address.key);
  if (owner === undefined) return 'gone';
  const { deletionTimestamp, finalizers = [] } = owner.metadata;
  return deletionTimestamp !== undefined && finalizers.includes('foregroundDeletion') ? 'waiting' : 'kept';
}

/**
 * Returns the object at this address if it has this owner. The index may be behind: if a subscriber
 * of a watch writes in the callback of an event, the commit of its write is emitted first.
 */
function dependentAt({ storage }: ServerContext, { resource, key }: StorageAddress, owner: string) {
  const object = storage.resource(resource).get(key);
  return object !== undefined && ownersOf(object).includes(owner) ? object : undefined;
}

function orphan(context: ServerContext, index: OwnerIndex, address: StorageAddress, uid: string): void {
  for (const dependent of index.dependentsOf(uid)) {
    const object = dependentAt(context, dependent, uid);
    if (object !== undefined) forget(context, dependent, object, (owner) => owner === uid);
  }
  removeStoredFinalizer(context, address, 'orphan');
}

function deleteInForeground(context: ServerContext, index: OwnerIndex, uid: string): void {
  releaseDependents(context, index, uid);
  endForeground(context, index, uid);
}

/** Removes the finalizer of a foreground deletion once no dependent blocks it any more. */
function endForeground(context: ServerContext, index: OwnerIndex, uid: string): void {
  const address = index.addressOf(uid);
  if (address === undefined) return;
  const owner = context.storage.resource(address.resource).get(address.key);
  if (owner?.metadata.deletionTimestamp === undefined) return;
  if (!index.dependentsOf(uid).some((dependent) => blocks(context, dependent, uid)))
    removeStoredFinalizer(context, address, 'foregroundDeletion');
}

function blocks({ storage }: ServerContext, { resource, key }: StorageAddress, owner: string): boolean {
  const references = storage.resource(resource).get(key)?.metadata.ownerReferences ?? [];
  return references.some(
    (reference) =>
      reference.uid === owner && (reference as { blockOwnerDeletion?: boolean }).blockOwnerDeletion === true,
  );
}

function forget(
  { storage }: ServerContext,
  { resource, key }: StorageAddress,
  object: StoredObject,
  isForgotten: (owner: string) => boolean,
): void {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const kept = ownerReferences.filter(({ uid }) => !isForgotten(uid));
  storage
    .resource(resource)
    .put(key, { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept } });
}

function remove(
  context: ServerContext,
  address: StorageAddress,
  object: StoredObject,
  propagationPolicy: PropagationPolicy,
): void {
  const resource = servedResource(context.catalog, address.resource);
  if (resource === undefined) return;
  const { namespace = '', name } = object.metadata;
  deleteObject(context, resource, namespace, name, deleteParameters(propagationPolicy));
}

/** The number of deleted uids that are remembered. */
const memory = 10_000;

/** Holds the dependents of each owner by uid, and the place of each object in the storage. */
class OwnerIndex {
  readonly #addresses = new Map<string, StorageAddress>();
  readonly #dependents = new Map<string, Set<string>>();
  /** The uids of the objects that were deleted last, oldest first. */
  readonly #gone = new Set<string>();

  follow(resource: string, { type, key, object, previous }: StorageEvent): void {
    if (previous !== undefined) this.#unlink(previous);
    const { uid } = object.metadata;
    if (type === 'DELETED') {
      this.#addresses.delete(uid);
      this.#remember(uid);
      return;
    }
    this.#addresses.set(uid, { resource, key });
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner) ?? new Set();
      this.#dependents.set(owner, dependents.add(uid));
    }
  }

  addressOf(uid: string): StorageAddress | undefined {
    return this.#addresses.get(uid);
  }

  /** Returns true if an object with this uid existed and was deleted. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  dependentsOf(uid: string): readonly StorageAddress[] {
    return [...(this.#dependents.get(uid) ?? [])]
      .map((dependent) => this.#addresses.get(dependent))
      .filter((address) => address !== undefined);
  }

  #remember(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size <= memory) return;
    for (const oldest of this.#gone) {
      this.#gone.delete(oldest);
      return;
    }
  }

  #unlink(object: StoredObject): void {
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner);
      dependents?.delete(object.metadata.uid);
      if (dependents?.size === 0) this.#dependents.delete(owner);
    }
  }
}

function ownersOf({ metadata }: StoredObject): readonly string[] {
  return (metadata.ownerReferences ?? []).map(({ uid }) => uid);
}
