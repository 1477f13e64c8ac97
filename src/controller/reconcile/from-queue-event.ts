import type { InputRefused, WorkqueueEvent } from '../workqueue/workqueue-event.js';
import type { ReconcileEvent } from './reconcile-event.js';
import { reasonsOf, reasonsOfRun, type ReasonText } from './reconcile-reason.js';

/** What the queue tells; it refuses nothing, because only keys get that far. */
export type QueueEvent<Result> = Exclude<WorkqueueEvent<Result, string, ReasonText>, InputRefused>;

/** What a controller tells of it: the same, with the reasons as they were. */
export function fromQueueEvent<Result>(event: QueueEvent<Result>): ReconcileEvent<Result> {
  switch (event.type) {
    case 'started':
      return { ...event, reasons: reasonsOfRun(event.reasons, event.attempt) };
    case 'dropped':
      return { ...event, reasons: reasonsOf(event.reasons) };
    default:
      return event;
  }
}
