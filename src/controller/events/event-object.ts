import { type Resource, kindOf, unknownKind } from '../../kubernetes/resource.js';
import type { EventsV1Event } from '../../kubernetes/resources/other.js';
import type { NewObject } from '../api/call-options.js';
import type { KubernetesObject } from '../../kubernetes/object.js';

/** Says what happened; becomes an `Event` of `events.k8s.io/v1`. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** Why, in one word of the machine: `Created`, `FailedScheduling`; at most 128 bytes. */
  readonly reason: string;
  /**
   * What was done or failed, in one word of the machine: `Creating`, `Scheduling`; at most 128
   * bytes.
   */
  readonly action: string;
  /**
   * For people. It is not compared: of repeats, the note of the first one stays. Cut at 1024 bytes.
   */
  readonly note?: string | undefined;
  /**
   * Says apiVersion and kind of the object that the event is about, whatever the object itself
   * says. Default: what it says. Give it for objects of a cache that may not keep them; a run has
   * it in `ReconcileRequest.resource`.
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

/**
 * The object that an event is about (core/v1 `ObjectReference`). `fieldPath` is the part of it, for
 * example `spec.containers{main}`.
 */
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
 * Returns the reference to what an event is about, without fields that say nothing; a text if there
 * is none: what is wrong with it. A given resource says apiVersion and kind, whatever the object
 * says.
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
