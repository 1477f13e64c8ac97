import type { KubernetesObject } from '../../kubernetes/object.js';
import { type Resource, kindOf, unknownKind } from '../../kubernetes/resource.js';
import type { EventsV1Event } from '../../kubernetes/resources/other.js';
import type { NewObject } from '../../requests/resource-client/call-options.js';

/** The content of an event, from which an `Event` of `events.k8s.io/v1` is created. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** The reason, as one machine-readable word: `Created`, `FailedScheduling`; at most 128 bytes. */
  readonly reason: string;
  /** What was done, or failed, in one machine-readable word (`Creating`); at most 128 bytes. */
  readonly action: string;
  /** For people; shortened to 1024 bytes. A series keeps the note of its first event. */
  readonly note?: string | undefined;
  /**
   * Overrides apiVersion and kind of the object (default), which objects of a cache may not
   * contain. In a run, pass `ReconcileRequest.resource`.
   */
  readonly resource?: Resource<unknown> | undefined;
  /** Another object that is involved, for example the Deployment that a Website created. */
  readonly related?: Regarding | undefined;
}

/** An event as it is sent to the API server. */
export type EventObject = Omit<NewObject<EventsV1Event>, 'metadata' | 'regarding' | 'related'> & {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly type: EventDetails['type'];
  readonly reason: string;
  readonly action: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
};

/** `ObjectReference` of core/v1. `fieldPath` names a part: `spec.containers{main}`. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** The namespace; absent or empty if the object is cluster-scoped. */
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}

/** The subject of an event: an object of a cache, or a reference to an object. */
export type Regarding = KubernetesObject | ObjectReference;

const required = ['apiVersion', 'kind', 'name'] as const;
const fields = [...required, 'namespace', 'uid', 'resourceVersion', 'fieldPath'] as const;

/**
 * Returns a reference to the object of an event, without empty fields, or a text that explains why
 * there is none. `resource` overrides apiVersion and kind.
 */
export function referenceOf(regarding: unknown, resource?: Resource<unknown>): ObjectReference | string {
  if (typeof regarding !== 'object' || regarding === null) return 'it is not an object';
  const stated = 'metadata' in regarding ? ofObject(regarding) : (regarding as Readonly<Record<string, unknown>>);
  const details: Readonly<Record<string, unknown>> = { ...stated, ...kindOf(stated, resource) };
  const missing = required.find((field) => details[field] === undefined || details[field] === '');
  if (missing === 'apiVersion' && details.kind === undefined && stated.kind) return `it ${unknownKind(regarding)}`;
  if (missing !== undefined) return `it has no ${missing}`;
  const known = fields.filter((field) => details[field] !== undefined && details[field] !== '');
  const wrong = known.find((field) => typeof details[field] !== 'string');
  if (wrong !== undefined) return `its ${wrong} is not a string`;
  return Object.fromEntries(known.map((field) => [field, details[field]])) as unknown as ObjectReference;
}

function ofObject(object: object): Readonly<Record<string, unknown>> {
  const { apiVersion, kind, metadata } = object as { readonly [Field in keyof KubernetesObject]: unknown };
  const { name, namespace, uid, resourceVersion } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
