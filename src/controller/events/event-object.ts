import type { KubernetesObject } from '../../kubernetes/object.js';
import { type Resource, kindOf, unknownKind } from '../../kubernetes/resource.js';
import type { EventsV1Event } from '../../kubernetes/resources/other.js';
import type { NewObject } from '../api/call-options.js';

/** The content of an event, from which an `Event` of `events.k8s.io/v1` is created. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** The reason, as one machine-readable word: `Created`, `FailedScheduling`; at most 128 bytes. */
  readonly reason: string;
  /**
   * The action that was taken or that failed, as one machine-readable word: `Creating`,
   * `Scheduling`; at most 128 bytes.
   */
  readonly action: string;
  /**
   * A note for people, shortened to 1024 bytes. Notes are not compared, so a series keeps the note
   * of its first event.
   */
  readonly note?: string | undefined;
  /**
   * The resource of the object that the event is about. It overrides apiVersion and kind of the
   * object. Pass the resource for objects of a cache, because they may not contain these fields. In
   * a run, pass `ReconcileRequest.resource`. Default: apiVersion and kind of the object.
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
 * A reference to an object (core/v1 `ObjectReference`). `fieldPath` names a part of the object, for
 * example `spec.containers{main}`.
 */
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
 * Returns a reference to the object that an event is about, without empty fields. If this is not
 * possible, returns a text that explains why. `resource` overrides apiVersion and kind of the
 * object.
 */
export function referenceOf(regarding: unknown, resource?: Resource<unknown>): ObjectReference | string {
  if (typeof regarding !== 'object' || regarding === null) return 'it is not an object';
  const stated = 'metadata' in regarding ? ofObject(regarding) : (regarding as Readonly<Record<string, unknown>>);
  const given: Readonly<Record<string, unknown>> = { ...stated, ...kindOf(stated, resource) };
  const missing = required.find((field) => given[field] === undefined || given[field] === '');
  if (missing === 'apiVersion' && given.kind === undefined && stated.kind) return `it ${unknownKind(regarding)}`;
  if (missing !== undefined) return `it has no ${missing}`;
  const known = fields.filter((field) => given[field] !== undefined && given[field] !== '');
  const wrong = known.find((field) => typeof given[field] !== 'string');
  if (wrong !== undefined) return `its ${wrong} is not a string`;
  return Object.fromEntries(known.map((field) => [field, given[field]])) as unknown as ObjectReference;
}

function ofObject(object: object): Readonly<Record<string, unknown>> {
  const { apiVersion, kind, metadata } = object as { readonly [Field in keyof KubernetesObject]: unknown };
  const { name, namespace, uid, resourceVersion } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
