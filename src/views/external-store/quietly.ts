import type { Subject } from 'rxjs';

/** Whose listeners are called when the read that is going on is through. */
let untold: Set<Subject<void>> | undefined;

/**
 * Opens something for a read, and has `tell` call no listener of any store meanwhile, but in a microtask: the read may be a component's render,
 * in which React lets nobody update another component.
 */
export function quietly(open: () => void): void {
  if (untold) {
    open();
    return;
  }
  const waiting = (untold = new Set());
  try {
    open();
  } finally {
    untold = undefined;
    if (waiting.size > 0) {
      queueMicrotask(() => {
        for (const changed of waiting) changed.next();
      });
    }
  }
}

/** Calls the listeners to a change, now or after the read that is going on. */
export function tell(changed: Subject<void>): void {
  if (!untold) changed.next();
  else if (changed.observed) untold.add(changed);
}
