import { Subscription } from 'rxjs';

/**
 * Ends what is over by the clock. Returns false if it is over and cannot end within this call.
 */
export type HeedDeadline = () => boolean;

/**
 * All that may end by the clock in this process. Global, because work that has to ask does not know
 * what it depends on: an operator subscribed to it, perhaps through others.
 */
const deadlines = new Set<HeedDeadline>();

/**
 * Adds a deadline that has to be heeded before work begins, although its timer has not fired: timers
 * are late after the event loop was blocked or the process was stopped, and stand still while the
 * machine sleeps.
 *
 * @returns a subscription that removes it
 */
export function addDeadline(heed: HeedDeadline): Subscription {
  deadlines.add(heed);
  return new Subscription(() => {
    deadlines.delete(heed);
  });
}

/**
 * Ends everything that is over by the clock. Call it before work begins, and look afterwards whether
 * that work is still wanted: its own subscription may have ended within the call.
 *
 * Costs two readings of the clock for each leadership of this process.
 *
 * @returns false if something is over and could not end within the call; begin nothing before the
 *   next microtask
 */
export function heedDeadlines(): boolean {
  let isHeeded = true;
  for (const heed of deadlines) if (!heed()) isHeeded = false;
  return isHeeded;
}
