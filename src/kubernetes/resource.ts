import { RxInformersError } from './errors.js';
import { isDnsLabel, isDnsSubdomain, type AnyKubernetesObject } from './object.js';

/** Addresses one kind at the API server, and has the type `T` of its objects. */
export interface Resource<T> {
  /** The API group; `''` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The lower-case plural of the URL, for example `pods`. */
  readonly plural: string;
  /** The kind to set on list items. Default: derived from the kind of the list (`PodList`). */
  readonly kind?: string;
  readonly namespaced: boolean;
  /** The type of the objects. It exists only in the type system. */
  readonly objectType?: T;
}

/** Returns the name of a resource as the API server writes it: `pods`, `deployments.apps`. */
export function resourceName({ group, plural }: Resource<unknown>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The argument of `resource()`. */
export interface ResourceDefinition {
  /** The API group, for example `apps` or `cert-manager.io`; `''` for the core group. */
  readonly group: string;
  /** The version within the group, for example `v1`. */
  readonly version: string;
  /** The lower-case plural of the URL, for example `deployments`. */
  readonly plural: string;
  /** True if the objects are in namespaces; false if they are cluster-scoped. */
  readonly namespaced: boolean;
  /** The kind to set on list items, which have none. Default: derived from the kind of the list. */
  readonly kind?: string | undefined;
}

/**
 * Creates the descriptor of a kind, typically of a custom resource, for `listWatch`, informers and
 * `resourceClient`.
 *
 * The kinds that are built into Kubernetes have ready descriptors: the everyday kinds (`pods`,
 * `deployments`, …) at the root, all kinds in `rx-informers/resources`. For a kind whose plural and
 * scope are not known in advance, use `discoverResource`.
 *
 * **Errors**: throws `RXI_INVALID_RESOURCE` for values that cannot be part of an API server's URL:
 * an upper-case or empty plural, a version in the group, or `core` instead of `''`.
 * **Guarantees**: the descriptor is frozen. There are no side effects, so a bundler can drop an
 * unused descriptor.
 * **Does not guarantee**: that the API server has such a kind. If the kind is missing, the status
 * of `listWatch` is `not-found`.
 *
 * @param definition group, version, kind, plural and scope
 * @returns a descriptor for `listWatch`, `informer` and `resourceClient`
 * @throws `RXI_INVALID_RESOURCE` for values that cannot be part of a path of the API server
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
  const problem = definitionProblem(definition);
  if (problem !== undefined) throw invalidResourceError(definition, problem);
  const { group, version, plural, namespaced, kind } = definition;
  return Object.freeze({ group, version, plural, namespaced, ...(kind === undefined ? {} : { kind }) });
}

/**
 * Describes a built-in kind in namespaces, as `resource()` does without its checks, which need not
 * be bundled if no other kind is described.
 */
export function namespaced<T>(group: string, version: string, plural: string, kind: string): Resource<T> {
  return Object.freeze({ group, version, plural, kind, namespaced: true });
}

/**
 * Describes a built-in kind in no namespace, as `resource()` does without its checks, which need
 * not be bundled if no other kind is described.
 */
export function clusterScoped<T>(group: string, version: string, plural: string, kind: string): Resource<T> {
  return Object.freeze({ group, version, plural, kind, namespaced: false });
}

function invalidResourceError(
  definition: ResourceDefinition,
  problem: string,
): RxInformersError<'RXI_INVALID_RESOURCE'> {
  const message = `invalid resource ${JSON.stringify(definition)}: ${problem}`;
  return new RxInformersError('RXI_INVALID_RESOURCE', message, { definition, problem });
}

/** The names of kinds that a descriptor can have. */
export const kindName = /^[A-Z][A-Za-z0-9]*$/;

function definitionProblem({ group, version, plural, namespaced, kind }: ResourceDefinition): string | undefined {
  if (typeof group !== 'string') return "group must be a string; the core group is ''";
  if (group === 'core') return "group must be '' for the core group";
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

/** The apiVersion and kind of an object, as far as they are known. */
export interface KnownKind {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/**
 * Returns apiVersion and kind, from the resource if it has a kind, or else from the object. An
 * empty string and `PartialObjectMetadata` of `meta.k8s.io`, which is how an object was sent, are
 * unknown.
 */
export function kindOf({ apiVersion, kind }: AnyKubernetesObject, resource?: Resource<unknown>): KnownKind {
  const own = isPartialMetadata(apiVersion, kind) ? unknown : { apiVersion, kind };
  return {
    apiVersion: resource === undefined ? own.apiVersion || undefined : apiVersionOf(resource),
    kind: (resource?.kind ?? own.kind) || undefined,
  };
}

/** Describes an object of unknown kind in errors: the kind it states, and advice. */
export function unknownKind({ apiVersion, kind }: AnyKubernetesObject): string {
  const said = isPartialMetadata(apiVersion, kind)
    ? `states only that it is ${kind} of ${apiVersion}`
    : 'states no apiVersion and kind';
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

/**
 * Returns the `apiVersion` of objects of a group and version: `v1` in the core group, otherwise for
 * example `apps/v1`.
 *
 * @param groupVersion a resource, or a group and a version
 * @returns the `apiVersion` of its objects
 */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the part of an `apiVersion` before the slash, `''` for the core group. Never throws. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

/** Returns group and version; throws `RXI_INVALID_API_VERSION` for any other text. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const match = /^(?:([a-z0-9][-.a-z0-9]*)\/)?([a-z0-9][-a-z0-9]*)$/.exec(apiVersion);
  const [, group = '', version] = match ?? [];
  if (version === undefined) throw invalidApiVersionError(apiVersion);
  return { group, version };
}

function invalidApiVersionError(apiVersion: string): RxInformersError<'RXI_INVALID_API_VERSION'> {
  const message = `invalid apiVersion ${JSON.stringify(apiVersion)}: it must have the form v1 (core group) or group/version, such as apps/v1`;
  return new RxInformersError('RXI_INVALID_API_VERSION', message, { apiVersion });
}
