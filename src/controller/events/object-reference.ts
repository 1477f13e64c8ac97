import type { KubernetesObject } from '../../kubernetes/object.js';

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

/** The reference to what an event is about, without fields that say nothing; a text where it is none: what is wrong with it. */
export function referenceOf(regarding: unknown): ObjectReference | string {
  if (typeof regarding !== 'object' || regarding === null) return 'it is no object';
  const given = 'metadata' in regarding ? ofObject(regarding) : (regarding as Readonly<Record<string, unknown>>);
  const missing = required.find((field) => given[field] === undefined || given[field] === '');
  if (missing !== undefined) return `it has no ${missing}`;
  const stated = fields.filter((field) => given[field] !== undefined && given[field] !== '');
  const wrong = stated.find((field) => typeof given[field] !== 'string');
  if (wrong !== undefined) return `its ${wrong} is no string`;
  return Object.fromEntries(stated.map((field) => [field, given[field]])) as unknown as ObjectReference;
}

function ofObject(object: object): Readonly<Record<string, unknown>> {
  const { apiVersion, kind, metadata } = object as { readonly [Field in keyof KubernetesObject]: unknown };
  const { name, namespace, uid, resourceVersion } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
