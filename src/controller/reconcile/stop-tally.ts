import { DrainEndedError } from '../workqueue/drain-ended-error.js';
import type { ControllerStopped, ReconcileEvent } from './reconcile-event.js';

/** Counts what becomes of the work that is left when a controller stops. */
export class StopTally {
  #stoppingAt = 0;
  #aborted = 0;
  #dropped = 0;

  count(event: ReconcileEvent, now: number): void {
    if (event.type === 'stopping') this.#stoppingAt = now;
    if (event.type === 'dropped') this.#dropped++;
    if (event.type === 'failed' && event.error instanceof DrainEndedError) this.#aborted++;
  }

  stopped(now: number): ControllerStopped {
    return { type: 'stopped', took: now - this.#stoppingAt, aborted: this.#aborted, dropped: this.#dropped };
  }
}
