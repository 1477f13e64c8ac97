import { useEffect } from 'react';
import type { InformerError } from '../informer/errors.js';
import type { Informer } from '../informer/informer.js';
import { useLatest } from './use-latest.js';

/**
 * Calls a handler for everything that goes wrong in an informer, as it happens, hidden tab or not. The informer goes on by itself.
 *
 * **Guarantees**: renders nothing; calls the handler of the last render; it only observes, as `useStatus`.
 * **Does not guarantee**: errors from before it was mounted. `useStatus` says how things are.
 *
 * @example
 * function Toasts() {
 *   useErrors(podInformer, (error) => console.warn(error.message));
 *   return null;
 * }
 */
export function useErrors<T, I extends string>(
  informer: Informer<T, I>,
  handler: (error: InformerError) => void,
): void {
  const latest = useLatest(handler);
  useEffect(() => {
    const following = informer.errors$.subscribe((error) => {
      latest.current(error);
    });
    return () => {
      following.unsubscribe();
    };
  }, [informer, latest]);
}
