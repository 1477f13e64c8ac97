import { RxInformersError } from './rx-informers-error.js';

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

// DNS-1123, which is what the API server demands of groups and plurals, and what versions are in practice.
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const kindName = /^[A-Z][A-Za-z0-9]*$/;

function problemOf({ group, version, plural, namespaced, kind }: ResourceDefinition): string | undefined {
  if (typeof group !== 'string') return "group must be a string; the core group is ''";
  if (group === 'core') return "the core group is called '' in URLs";
  if (group !== '' && !group.split('.').every(isLabel))
    return 'group must be a DNS name without the version, such as apps';
  if (!isLabel(version)) return 'version must be one lower-case name without the group, such as v1';
  if (!isLabel(plural)) return 'plural must be the lower-case plural of the URL, such as deployments';
  if (typeof namespaced !== 'boolean') return 'namespaced must be true or false';
  if (kind !== undefined && !(typeof kind === 'string' && kindName.test(kind)))
    return 'kind must be a name such as Deployment';
  return undefined;
}

function isLabel(value: unknown): boolean {
  return typeof value === 'string' && label.test(value);
}
