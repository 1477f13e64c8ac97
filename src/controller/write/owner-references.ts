import { RxInformersError } from '../../kubernetes/errors.js';
import { objectKey } from '../../kubernetes/keys.js';
import { type AnyKubernetesObject, type OwnerReference, withKind } from '../../kubernetes/object.js';
import { groupOf, kindOf, type Resource, unknownKind } from '../../kubernetes/resource.js';

/** Options of `ownerReferenceTo`. */
export interface OwnerReferenceOptions {
  /** The owner manages the object. Default false. At most one owner of an object does. */
  readonly controller?: boolean | undefined;
  /** A foreground deletion of the owner waits for the object. Default: `controller`. */
  readonly blockOwnerDeletion?: boolean | undefined;
  /**
   * Overrides apiVersion and kind of the owner (default), which an object from a cache may not
   * have. In a run, pass `ReconcileRequest.resource`.
   */
  readonly resource?: Resource<unknown> | undefined;
}

/** A complete entry of `metadata.ownerReferences`. Unset fields are left out, never `undefined`. */
export interface OwnerReferenceEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** An object that may have an owner, whether it exists or is about to be created. */
export interface Ownable {
  readonly metadata?: AnyKubernetesObject['metadata'];
}

/** An object with owner references. */
export type WithOwner<O> = O & {
  readonly metadata: { readonly ownerReferences: readonly OwnerReferenceEntry[] };
};

/**
 * Returns the reference that makes an object a dependent of `owner`, to be garbage-collected after
 * `owner`. Pure.
 *
 * **Errors**: `RXI_OWNER_REFERENCE` (`no-uid`, `no-name`, `no-kind`) for an owner that the server
 * would not find. For a `PartialObjectMetadata` (of `meta.k8s.io`), pass `resource`, because it
 * does not have the kind of the object.
 *
 * @param owner an object that is on the server
 * @param options the kind of the owner, and whether it manages the object
 * @returns an entry for `metadata.ownerReferences`
 * @throws `RXI_OWNER_REFERENCE` for an owner that the server would not find
 * @example
 * import type { Deployment } from 'rx-informers';
 * import { ownerReferenceTo } from 'rx-informers/controller';
 *
 * declare const shop: Deployment;
 *
 * const reference = ownerReferenceTo(shop, { controller: true });
 */
export function ownerReferenceTo(owner: AnyKubernetesObject, options: OwnerReferenceOptions = {}): OwnerReferenceEntry {
  const { controller = false, blockOwnerDeletion = controller, resource } = options;
  const { name, uid } = owner.metadata ?? {};
  const { apiVersion, kind } = kindOf(owner, resource);
  if (!name)
    throw ownerReferenceError('no-name', 'the owner has no metadata.name; pass an object that the API server returned');
  if (!uid)
    throw ownerReferenceError('no-uid', `the owner ${objectTitle(owner, kind)} has no metadata.uid; create it first`);
  if (apiVersion === undefined || kind === undefined) {
    throw ownerReferenceError(
      'no-kind',
      `the kind of the owner ${objectTitle(owner)} is unknown: it ${unknownKind(owner)}`,
    );
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
 * Returns the object with `owner` as its controller (controller-runtime's SetControllerReference).
 * A controller that `owns` this kind finds the owner by this reference. Pure; returns the same
 * object if nothing differs.
 *
 * An existing reference to the same owner (kind and name) is replaced at its place. Other owners
 * stay.
 *
 * **Errors**: `RXI_OWNER_REFERENCE`: `other-controller` if another owner manages the object
 * already; `other-namespace` if the owner is in another namespace, or if the owner has a namespace
 * and the object has none, because the garbage collector would delete the object. Also the errors
 * of `ownerReferenceTo`.
 *
 * @param owner an object that is on the server
 * @param object the object to be managed; it does not have to exist yet
 * @param options the kind of the owner
 * @returns a copy with the reference, or the same object
 * @throws `RXI_OWNER_REFERENCE` if the reference is impossible or another owner manages the
 *   object
 * @example
 * import type { Deployment } from 'rx-informers';
 * import { setControllerReference } from 'rx-informers/controller';
 *
 * declare const shop: Deployment;
 *
 * const settings = setControllerReference(shop, {
 *   metadata: { namespace: 'web', name: 'shop-settings' },
 *   data: { mode: 'dark' },
 * });
 */
export function setControllerReference<O extends Ownable>(
  owner: AnyKubernetesObject,
  object: O,
  options: Omit<OwnerReferenceOptions, 'controller'> = {},
): WithOwner<O> {
  const { blockOwnerDeletion = true, resource } = options;
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion, resource });
  const other = controllerOf(object);
  if (other !== undefined && !isSameOwner(other, reference)) {
    const others = `${other.kind} ${other.name} (uid ${other.uid})`;
    throw ownerReferenceError('other-controller', `${objectTitle(object)} already has another controller: ${others}`);
  }
  return owned(owner, object, reference);
}

/**
 * Returns the object with `owner` among its owners, but not as its controller. Pure; returns the
 * same object if nothing differs.
 *
 * **Errors**: the errors of `setControllerReference`, except `other-controller`.
 *
 * @param owner an object that is on the server
 * @param object the dependent object; it does not have to exist yet
 * @param options the kind of the owner
 * @returns a copy with the reference, or the same object
 * @throws `RXI_OWNER_REFERENCE` if the reference is impossible
 */
export function setOwnerReference<O extends Ownable>(
  owner: AnyKubernetesObject,
  object: O,
  options: Omit<OwnerReferenceOptions, 'controller'> = {},
): WithOwner<O> {
  return owned(owner, object, ownerReferenceTo(owner, { ...options, controller: false }));
}

/**
 * Returns true if `owner` is among the owners of the object (controller-runtime's
 * HasOwnerReference).
 *
 * A reference matches `owner` if it has the same uid, or the same group, kind and name. So if the
 * owner was deleted and created again under its name, the old reference still matches. The `owns`
 * option and `setControllerReference` match in the same way; `isControlledBy` compares only the
 * uid. If the kind of the owner is not known, only the uid is compared: pass `resource` for owners
 * from a cache that does not keep the kind.
 *
 * @param owner the object that may be an owner
 * @param object the object whose references are read
 * @param options the kind of the owner
 * @returns true if one reference matches, whether it has `controller: true` or not
 */
export function hasOwnerReference(
  owner: AnyKubernetesObject,
  object: Ownable,
  options: Pick<OwnerReferenceOptions, 'resource'> = {},
): boolean {
  return object.metadata?.ownerReferences?.some(isReferenceTo(owner, object, options)) ?? false;
}

/**
 * Returns the object without its references to `owner`. A reference matches in the same way as in
 * `hasOwnerReference`. Pure; returns the same object if no reference matches.
 *
 * @param owner the former owner
 * @param object the object whose references are read
 * @param options the kind of the owner
 * @returns a copy without the reference, or the same object
 */
export function removeOwnerReference<O extends Ownable>(
  owner: AnyKubernetesObject,
  object: O,
  options: Pick<OwnerReferenceOptions, 'resource'> = {},
): O {
  const references = object.metadata?.ownerReferences ?? [];
  const isOwner = isReferenceTo(owner, object, options);
  const others = references.filter((reference) => !isOwner(reference));
  return others.length === references.length ? object : withReferences(object, others as OwnerReferenceEntry[]);
}

/**
 * Returns the reference to the owner that manages the object, or undefined.
 *
 * @param object the object whose references are read
 * @returns the entry with `controller: true`
 */
export function controllerOf(object: Ownable): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * Returns true if an owner manages the object.
 *
 * @param object the object whose references are read
 * @returns true if one entry has `controller: true`
 */
export function hasControllerReference(object: Ownable): boolean {
  return controllerOf(object) !== undefined;
}

/**
 * Returns true if `owner` manages the object. Only the uid is compared.
 *
 * @param object the object whose references are read
 * @param owner the object that may manage it
 * @returns true if the uids are equal; false if `owner` has no uid
 */
export function isControlledBy(object: Ownable, owner: AnyKubernetesObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata?.uid;
}

function owned<O extends Ownable>(owner: AnyKubernetesObject, object: O, reference: OwnerReferenceEntry): WithOwner<O> {
  const namespace = owner.metadata?.namespace ?? '';
  const within = object.metadata?.namespace ?? '';
  if (namespace !== '' && namespace !== within) {
    throw ownerReferenceError(
      'other-namespace',
      `${objectTitle(owner, reference.kind)} cannot own ${objectTitle(object)}: an owner must be cluster-scoped, or in the namespace of the object`,
    );
  }
  // Objects of a cache have no `undefined` fields.
  const references = (object.metadata?.ownerReferences ?? []) as readonly OwnerReferenceEntry[];
  const known = references.findIndex((each) => isSameOwner(each, reference));
  if (known === -1) return withReferences(object, [...references, reference]);
  if (isSameReference(references[known] as OwnerReferenceEntry, reference)) return object as WithOwner<O>;
  return withReferences(object, references.with(known, reference));
}

function withReferences<O extends Ownable>(object: O, ownerReferences: readonly OwnerReferenceEntry[]): WithOwner<O> {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function isReferenceTo(
  owner: AnyKubernetesObject,
  object: Ownable,
  { resource }: Pick<OwnerReferenceOptions, 'resource'>,
): (reference: OwnerReference) => boolean {
  const { name, uid, namespace } = owner.metadata ?? {};
  const within = object.metadata?.namespace;
  const isInOtherNamespace = Boolean(namespace && within && namespace !== within);
  const { apiVersion, kind } = kindOf(owner, resource);
  const known = !isInOtherNamespace && apiVersion && kind && name ? { apiVersion, kind, name } : undefined;
  return (reference) =>
    (uid !== undefined && reference.uid === uid) || (known !== undefined && isSameOwner(reference, known));
}

type OwnerName = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;

/** Without version and uid: an object created again under the same name replaces the owner. */
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

/** Returns the name of an object for a message: `ConfigMap web/settings`. */
function objectTitle(object: Ownable, kind = kindOf(object).kind): string {
  return withKind(objectKey(object) ?? 'an object without a name', kind);
}

/** Why an object cannot be owned; see `RXI_OWNER_REFERENCE`. */
export type OwnerReferenceProblem = 'no-name' | 'no-uid' | 'no-kind' | 'other-controller' | 'other-namespace';

function ownerReferenceError(
  problem: OwnerReferenceProblem,
  explanation: string,
): RxInformersError<'RXI_OWNER_REFERENCE'> {
  return new RxInformersError('RXI_OWNER_REFERENCE', explanation, { problem });
}
