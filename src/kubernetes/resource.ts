import { RxInformersError } from './errors.js';
import { isDnsLabel, isDnsSubdomain, type KubernetesObject } from './object.js';

/** How one kind of object is addressed at the API server, and the type `T` of its objects. */
export interface Resource<T> {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The lower-case plural of the URL, for example `pods`. */
  readonly plural: string;
  /** The kind stamped on list items; without it the items' kind is read from the list's own kind (`PodList`). */
  readonly kind?: string;
  readonly namespaced: boolean;
  /** Only in the type system: the objects of this resource. */
  readonly objectType?: T;
}

/** Returns the name of a resource as the API server writes it: `pods`, `deployments.apps`. */
export function resourceName({ group, plural }: Resource<unknown>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** What `resource()` takes. */
export interface ResourceDefinition {
  /** The API group, for example `apps` or `cert-manager.io`; `''` for the core group. */
  readonly group: string;
  /** The version within the group, for example `v1`. */
  readonly version: string;
  /** The lower-case plural of the URL, for example `deployments`. */
  readonly plural: string;
  /** Whether the objects live in namespaces. */
  readonly namespaced: boolean;
  /** Stamped on list items, which carry none; default: what the list's own kind says. */
  readonly kind?: string | undefined;
}

/**
 * Describes a kind of object, typically a custom resource, for `listWatch` and all that is built on it.
 *
 * The kinds that are built into Kubernetes have ready descriptors: the everyday ones (`pods`, `deployments`, …) at the root, all
 * of them in `rx-informers/resources`. For a kind whose plural and scope are not known in advance, use `discoverResource`.
 *
 * **Errors**: throws `InvalidResourceError` for what cannot be part of an API server's URL: an upper-case or empty plural,
 * a version in the group, `core` where `''` is meant.
 * **Guarantees**: the descriptor is frozen; nothing else happens, so an unused constant can be left out of a bundle.
 * **Does not guarantee**: that the API server has such a kind; where it has not, `listWatch` reports `not-found`.
 *
 * @example
 * import { resource, type KubernetesObject } from 'rx-informers';
 *
 * interface Certificate extends KubernetesObject {
 *   readonly spec: { readonly secretName: string };
 * }
 *
 * const certificates = resource<Certificate>({
 *   group: 'cert-manager.io',
 *   version: 'v1',
 *   plural: 'certificates',
 *   kind: 'Certificate',
 *   namespaced: true,
 * });
 */
export function resource<T>(definition: ResourceDefinition): Resource<T> {
  const problem = problemOf(definition);
  if (problem !== undefined) throw new InvalidResourceError(definition, problem);
  const { group, version, plural, namespaced, kind } = definition;
  return Object.freeze({ group, version, plural, namespaced, ...(kind === undefined ? {} : { kind }) });
}

/**
 * Thrown by `resource()` for a definition that cannot address an object.
 *
 * **What to do**: Correct the field that the message names. Use a ready-made descriptor or
 * `discoverResource` where possible.
 */
export class InvalidResourceError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_RESOURCE';
  override readonly name = 'InvalidResourceError';
  constructor(
    readonly definition: ResourceDefinition,
    readonly problem: string,
  ) {
    super(`invalid resource ${JSON.stringify(definition)}: ${problem}`);
  }
}

const kindName = /^[A-Z][A-Za-z0-9]*$/;

function problemOf({ group, version, plural, namespaced, kind }: ResourceDefinition): string | undefined {
  if (typeof group !== 'string') return "group must be a string; the core group is ''";
  if (group === 'core') return "the core group is called '' in URLs";
  if (group !== '' && !isDnsSubdomain(group)) return 'group must be a DNS name without the version, such as apps';
  if (!isLabel(version)) return 'version must be one lower-case name without the group, such as v1';
  if (!isLabel(plural)) return 'plural must be the lower-case plural of the URL, such as deployments';
  if (typeof namespaced !== 'boolean') return 'namespaced must be true or false';
  if (kind !== undefined && !(typeof kind === 'string' && kindName.test(kind)))
    return 'kind must be a name such as Deployment';
  return undefined;
}

function isLabel(value: unknown): boolean {
  return typeof value === 'string' && isDnsLabel(value);
}

/** What is known of the kind of an object. */
export interface KnownKind {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/**
 * Returns apiVersion and kind of an object: those of its resource, and its own where the resource is
 * not given or does not say its kind.
 *
 * `PartialObjectMetadata` of `meta.k8s.io` says how the object was sent, and not which kind it is. It
 * counts as not known, and so does an empty text.
 */
export function kindOf({ apiVersion, kind }: KubernetesObject, resource?: Resource<unknown>): KnownKind {
  const own = isPartialMetadata(apiVersion, kind) ? unknown : { apiVersion, kind };
  return {
    apiVersion: resource === undefined ? own.apiVersion || undefined : apiVersionOf(resource),
    kind: (resource?.kind ?? own.kind) || undefined,
  };
}

/** Returns what an object whose kind is not known says instead, for messages, and what to do about it. */
export function unknownKind({ apiVersion, kind }: KubernetesObject): string {
  const said = isPartialMetadata(apiVersion, kind)
    ? `says only that it is ${kind} of ${apiVersion}`
    : 'does not say its apiVersion and kind';
  return `${said}; pass { resource } with its kind`;
}

const unknown: KnownKind = { apiVersion: undefined, kind: undefined };

function isPartialMetadata(apiVersion: unknown, kind: unknown): boolean {
  return kind === 'PartialObjectMetadata' && typeof apiVersion === 'string' && groupOf(apiVersion) === 'meta.k8s.io';
}

/** An API group and one of its versions; the core group is `''`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Returns the `apiVersion` of objects of a group and version: `v1` in the core group, otherwise for example `apps/v1`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the part of an `apiVersion` before the slash, `''` for the core group. Never throws. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

/**
 * Returns group and version of an `apiVersion`.
 *
 * @throws InvalidApiVersionError for what is neither `version` nor `group/version`
 */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const match = /^(?:([a-z0-9][-.a-z0-9]*)\/)?([a-z0-9][-a-z0-9]*)$/.exec(apiVersion);
  const [, group = '', version] = match ?? [];
  if (version === undefined) throw new InvalidApiVersionError(apiVersion);
  return { group, version };
}

/**
 * Thrown where an `apiVersion` is neither `version` nor `group/version`.
 *
 * **What to do**: Correct the text, for example `v1` or `apps/v1`.
 */
export class InvalidApiVersionError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_API_VERSION';
  override readonly name = 'InvalidApiVersionError';
  constructor(readonly apiVersion: string) {
    super(
      `invalid apiVersion ${JSON.stringify(apiVersion)}; it has the form v1 (core group) or group/version, such as apps/v1`,
    );
  }
}
