import type { Resource } from '../../kubernetes/resource.js';
import type { EventsV1Event } from '../../kubernetes/resources/events.js';
import type { NewObject } from '../api/call-options.js';
import type { ObjectReference, Regarding } from './object-reference.js';

/** What happened; becomes an `Event` of `events.k8s.io/v1`. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** Why, in one word of the machine: `Created`, `FailedScheduling`; at most 128 bytes. */
  readonly reason: string;
  /** What was done or failed, in one word of the machine: `Creating`, `Scheduling`; at most 128 bytes. */
  readonly action: string;
  /** For people. It is no part of what makes two events the same: of repeats, the first one's note stays. Cut at 1024 bytes. */
  readonly note?: string | undefined;
  /**
   * Says apiVersion and kind of the object that the event is about, whatever the object itself says.
   * Default: what it says. Give it for objects of a cache that may not keep them; a run has it in
   * `ReconcileRequest.resource`.
   */
  readonly resource?: Resource<unknown> | undefined;
  /** Another object that has to do with it, for example the Deployment that a Website made. */
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
