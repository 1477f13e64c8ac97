import { Subscription } from 'rxjs';

interface Waits {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const waitsOf = new WeakMap<AbortSignal, Waits>();

/**
 * Calls `callback` when a signal is aborted, or at once if it is, until unsubscribed. All waits
 * share one listener, which the last removes: Node warns of a leak from the eleventh on, and a
 * program may wait for twenty informers under one signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): Subscription {
  if (signal.aborted) {
    callback();
    return Subscription.EMPTY;
  }
  const waits = waitsOf.get(signal) ?? listenTo(signal);
  const wait = (): void => {
    callback();
  };
  waits.callbacks.add(wait);
  return new Subscription(() => {
    waits.callbacks.delete(wait);
    if (waits.callbacks.size > 0) return;
    signal.removeEventListener('abort', waits.listener);
    waitsOf.delete(signal);
  });
}

function listenTo(signal: AbortSignal): Waits {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    // If a callback ends another wait, the callback of that wait is not called.
    for (const callback of callbacks) callback();
  };
  const waits = { callbacks, listener };
  waitsOf.set(signal, waits);
  signal.addEventListener('abort', listener, { once: true });
  return waits;
}
