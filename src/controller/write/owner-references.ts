import { groupOf, kindOf, unknownKind, type Resource } from '../../kubernetes/resource.js';
import { metaNamespaceKey, type KubernetesObject, type OwnerReference } from '../../kubernetes/object.js';
import { RxInformersError } from '../../kubernetes/errors.js';

/** Options of `ownerReferenceTo`. */
export interface OwnerReferenceOptions {
  /** Whether the owner manages the object (default false); an object has at most one such owner. */
  readonly controller?: boolean | undefined;
  /** Whether a foreground deletion of the owner waits for the object (default: as `controller`). */
  readonly blockOwnerDeletion?: boolean | undefined;
  /**
   * Says apiVersion and kind of the owner, whatever the owner itself says. Default: what it says. Give it
   * where the owner comes from a cache that may not keep them; a run has it in `ReconcileRequest.resource`.
   */
  readonly resource?: Resource<unknown> | undefined;
}

/** One entry of `metadata.ownerReferences`, in full; a field that is there has a value. */
export interface OwnerReferenceEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What may be owned: an object that is there, or one that is to be created. */
export interface Ownable {
  readonly metadata?: KubernetesObject['metadata'];
}

/** An object that says who owns it. */
export type Owned<O> = O & {
  readonly metadata: { readonly ownerReferences: readonly OwnerReferenceEntry[] };
};

/**
 * Returns the reference that makes an object a dependent of `owner`: it is garbage-collected after it. Pure.
 *
 * **Errors**: `OwnerReferenceError` (`no-uid`, `no-name`, `no-kind`) for an owner that the server would not find.
 * Metadata of an unknown kind (`PartialObjectMetadata` of `meta.k8s.io`) is such an owner, unless `resource` says its kind.
 *
 * @example
 * import type { Deployment } from 'rx-informers';
 * import { ownerReferenceTo } from 'rx-informers/controller';
 *
 * declare const shop: Deployment;
 *
 * const reference = ownerReferenceTo(shop, { controller: true });
 */
export function ownerReferenceTo(owner: KubernetesObject, options: OwnerReferenceOptions = {}): OwnerReferenceEntry {
  const { controller = false, blockOwnerDeletion = controller, resource } = options;
  const { name, uid } = owner.metadata ?? {};
  const { apiVersion, kind } = kindOf(owner, resource);
  if (!name) throw new OwnerReferenceError('no-name', 'the owner has no metadata.name');
  if (!uid) throw new OwnerReferenceError('no-uid', `the owner ${name} has no metadata.uid; create it first`);
  if (apiVersion === undefined || kind === undefined) {
    throw new OwnerReferenceError('no-kind', `the owner ${metaNamespaceKey(owner)} ${unknownKind(owner)}`);
  }
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller ? { controller } : {}),
    ...(blockOwnerDeletion ? { blockOwnerDeletion } : {}),
  };
}

/**
 * Returns the object with `owner` as its controller: a controller that `owns` this kind finds the owner by it (controller-runtime's
 * SetControllerReference). Pure; the same object where it is so already.
 *
 * A reference to the same owner (kind and name) is renewed where it stands; other owners stay.
 *
 * **Errors**: `OwnerReferenceError`: `other-controller` where another object manages it already, `other-namespace` where the owner lives in
 * another namespace, or lives in one and the object does not: the garbage collector would delete the object; and those of `ownerReferenceTo`.
 *
 * @example
 * import type { Deployment } from 'rx-informers';
 * import { setControllerReference } from 'rx-informers/controller';
 *
 * declare const shop: Deployment;
 *
 * const settings = setControllerReference(shop, { metadata: { namespace: 'web', name: 'shop-settings' }, data: { mode: 'dark' } });
 */
export function setControllerReference<O extends Ownable>(
  owner: KubernetesObject,
  object: O,
  options: Omit<OwnerReferenceOptions, 'controller'> = {},
): Owned<O> {
  const { blockOwnerDeletion = true, resource } = options;
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion, resource });
  const other = controllerOf(object);
  if (other !== undefined && !isSameOwner(other, reference)) {
    const others = `${other.kind} ${other.name} (uid ${other.uid})`;
    throw new OwnerReferenceError('other-controller', `${nameOf(object)} has another controller already: ${others}`);
  }
  return owned(owner, object, reference);
}

/**
 * Returns the object with `owner` among its owners, and nothing said about who manages it. Pure; the same object where it is so already.
 *
 * **Errors**: `OwnerReferenceError`, as `setControllerReference`, but for `other-controller`.
 */
export function setOwnerReference<O extends Ownable>(
  owner: KubernetesObject,
  object: O,
  options: Omit<OwnerReferenceOptions, 'controller'> = {},
): Owned<O> {
  return owned(owner, object, ownerReferenceTo(owner, { ...options, controller: false }));
}

/**
 * Returns true if `owner` is among the owners of the object (controller-runtime's HasOwnerReference).
 *
 * A reference is to `owner` if it has its uid, or its group, kind and name. So a reference to an object
 * that was deleted counts for the object that was created again under its name, as it does for `owns`
 * and for `setControllerReference`, which renews it. `isControlledBy` compares the uid alone.
 * If the kind of the owner is not known, the uid alone counts: pass `resource` for owners from a cache
 * that does not keep the kind.
 */
export function hasOwnerReference(
  owner: KubernetesObject,
  object: Ownable,
  options: Pick<OwnerReferenceOptions, 'resource'> = {},
): boolean {
  return object.metadata?.ownerReferences?.some(isReferenceTo(owner, object, options)) ?? false;
}

/**
 * Returns the object without `owner` among its owners, as `hasOwnerReference` finds it. Pure; returns the
 * same object if it is not among them.
 */
export function removeOwnerReference<O extends Ownable>(
  owner: KubernetesObject,
  object: O,
  options: Pick<OwnerReferenceOptions, 'resource'> = {},
): O {
  const references = object.metadata?.ownerReferences ?? [];
  const isOwner = isReferenceTo(owner, object, options);
  const others = references.filter((reference) => !isOwner(reference));
  return others.length === references.length ? object : withReferences(object, others as OwnerReferenceEntry[]);
}

/** Returns the reference to the owner that manages the object, or undefined. */
export function controllerOf(object: Ownable): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** Returns true if an owner manages the object. */
export function hasControllerReference(object: Ownable): boolean {
  return controllerOf(object) !== undefined;
}

/** Returns true if this owner, by its uid, manages the object. */
export function isControlledBy(object: Ownable, owner: KubernetesObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata?.uid;
}

function owned<O extends Ownable>(owner: KubernetesObject, object: O, reference: OwnerReferenceEntry): Owned<O> {
  const namespace = owner.metadata?.namespace ?? '';
  const within = object.metadata?.namespace ?? '';
  if (namespace !== '' && namespace !== within) {
    const where = within === '' ? 'is in no namespace' : `is in namespace ${within}`;
    throw new OwnerReferenceError(
      'other-namespace',
      `${nameOf(object)} ${where}, its owner ${metaNamespaceKey(owner)} in another one; owners must be in the same, or in none`,
    );
  }
  // The cache has no field that is undefined.
  const references = (object.metadata?.ownerReferences ?? []) as readonly OwnerReferenceEntry[];
  const known = references.findIndex((each) => isSameOwner(each, reference));
  if (known === -1) return withReferences(object, [...references, reference]);
  if (isSameReference(references[known] as OwnerReferenceEntry, reference)) return object as Owned<O>;
  return withReferences(object, references.with(known, reference));
}

function withReferences<O extends Ownable>(object: O, ownerReferences: readonly OwnerReferenceEntry[]): Owned<O> {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function isReferenceTo(
  owner: KubernetesObject,
  object: Ownable,
  { resource }: Pick<OwnerReferenceOptions, 'resource'>,
): (reference: OwnerReference) => boolean {
  const { name, uid, namespace } = owner.metadata ?? {};
  const within = object.metadata?.namespace;
  const isElsewhere = Boolean(namespace && within && namespace !== within);
  const { apiVersion, kind } = kindOf(owner, resource);
  const known = !isElsewhere && apiVersion && kind && name ? { apiVersion, kind, name } : undefined;
  return (reference) =>
    (uid !== undefined && reference.uid === uid) || (known !== undefined && isSameOwner(reference, known));
}

type OwnerName = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;

/** By group, kind and name, whatever the version: what is created again under its name takes the place of what was. */
function isSameOwner(a: OwnerName, b: OwnerName): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}

function isSameReference(a: OwnerReferenceEntry, b: OwnerReferenceEntry): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.uid === b.uid &&
    (a.controller ?? false) === (b.controller ?? false) &&
    (a.blockOwnerDeletion ?? false) === (b.blockOwnerDeletion ?? false)
  );
}

function nameOf(object: Ownable): string {
  return object.metadata?.name ?? 'the object';
}

/** Why an object cannot be owned; see `OwnerReferenceError`. */
export type OwnerReferenceProblem = 'no-name' | 'no-uid' | 'no-kind' | 'other-controller' | 'other-namespace';

/**
 * An object cannot be given that owner; nothing was changed.
 *
 * **What to do**: Correct what the message names: the owner must exist, be in the same namespace
 * or be cluster-scoped, and there is one controller at most.
 */
export class OwnerReferenceError extends RxInformersError {
  static override readonly code = 'RXI_OWNER_REFERENCE';
  override readonly name = 'OwnerReferenceError';
  constructor(
    readonly problem: OwnerReferenceProblem,
    explanation: string,
  ) {
    super(explanation);
  }
}
