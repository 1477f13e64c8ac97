import { Subscription } from 'rxjs';

interface Waits {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const waitsOf = new WeakMap<AbortSignal, Waits>();

/**
 * Calls back when a signal is aborted, at once if it is already. Unsubscribing ends the wait.
 *
 * All waits share one listener on the signal: Node warns of a leak from the eleventh listener on, and a program may well wait for twenty
 * informers, or send twenty requests, under one signal. The listener is removed with the last wait.
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
    // A wait that ends because of an earlier one is not called back.
    for (const callback of callbacks) callback();
  };
  const waits = { callbacks, listener };
  waitsOf.set(signal, waits);
  signal.addEventListener('abort', listener, { once: true });
  return waits;
}
