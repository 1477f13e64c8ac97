import { kindOf, unknownKind } from '../../kubernetes/kind-of.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';

/** Which object an event is about (core/v1 `ObjectReference`); `fieldPath` says which part of it, for example `spec.containers{main}`. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent or empty: the object is cluster-scoped. */
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}

/** What an event can be about: an object, as it stands in a cache, or a reference to one. */
export type Regarding = KubernetesObject | ObjectReference;

const required = ['apiVersion', 'kind', 'name'] as const;
const fields = [...required, 'namespace', 'uid', 'resourceVersion', 'fieldPath'] as const;

/**
 * Returns the reference to what an event is about, without fields that say nothing; a text if there is
 * none: what is wrong with it. A given resource says apiVersion and kind, whatever the object says.
 */
export function referenceOf(regarding: unknown, resource?: Resource<unknown>): ObjectReference | string {
  if (typeof regarding !== 'object' || regarding === null) return 'it is no object';
  const stated = 'metadata' in regarding ? ofObject(regarding) : (regarding as Readonly<Record<string, unknown>>);
  const given: Readonly<Record<string, unknown>> = { ...stated, ...kindOf(stated, resource) };
  const missing = required.find((field) => given[field] === undefined || given[field] === '');
  if (missing === 'apiVersion' && given.kind === undefined && stated.kind) return `it ${unknownKind(regarding)}`;
  if (missing !== undefined) return `it has no ${missing}`;
  const known = fields.filter((field) => given[field] !== undefined && given[field] !== '');
  const wrong = known.find((field) => typeof given[field] !== 'string');
  if (wrong !== undefined) return `its ${wrong} is no string`;
  return Object.fromEntries(known.map((field) => [field, given[field]])) as unknown as ObjectReference;
}

function ofObject(object: object): Readonly<Record<string, unknown>> {
  const { apiVersion, kind, metadata } = object as { readonly [Field in keyof KubernetesObject]: unknown };
  const { name, namespace, uid, resourceVersion } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
