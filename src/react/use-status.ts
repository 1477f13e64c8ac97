import type { Informer } from '../informer/informer.js';
import type { SourceStatus } from '../sources/source-status.js';
import { toExternalStore } from '../views/external-store/to-external-store.js';
import { usePace } from './informers-context.js';
import { onceForEach } from './pace.js';
import { useStore } from './use-store.js';

const stopped: SourceStatus = Object.freeze({ state: 'stopped' });

const statusOf = onceForEach((collection, { latest, linger, scheduler }) =>
  toExternalStore<SourceStatus>(latest((collection as Informer<unknown>).status$), stopped, { linger, scheduler }),
);

/**
 * What an informer's source is doing: listing, watching, reconnecting, forbidden, and so on; `stopped` on a server.
 *
 * **Guarantees**: renders when the status changes, at most once a frame. It only observes: an informer that nobody else uses is not started by it.
 *
 * @example
 * function Connection() {
 *   const status = useStatus(podInformer);
 *   return status.state === 'forbidden' ? status.cause.message : status.state;
 * }
 */
export function useStatus<T, I extends string>(informer: Informer<T, I>): SourceStatus {
  return useStore(statusOf(informer, usePace()));
}
