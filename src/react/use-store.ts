import { useCallback, useSyncExternalStore } from 'react';
import type { Collection } from '../informer/collection.js';
import type { ExternalStore } from '../views/external-store/external-store.js';
import { externalStores, type ExternalStores } from '../views/external-store/external-stores.js';
import { usePace } from './informers-context.js';
import { onceForEach } from './pace.js';
import { throughRestarts } from './through-restarts.js';

const storesOf = onceForEach((collection, { latest, linger, scheduler }) =>
  externalStores(collection, {
    through: (value$) => latest(value$.pipe(throughRestarts(collection))),
    linger,
    scheduler,
  }),
);

/** What a store holds, from now on. */
export function useStore<V>({ subscribe, getSnapshot, getServerSnapshot }: ExternalStore<V>): V {
  const follow = useCallback(
    (look: () => void) => {
      const leave = subscribe(look);
      // Before 19.3, React subscribes again for what an `Activity` shows again, but does not look for what it has missed.
      look();
      return leave;
    },
    [subscribe],
  );
  return useSyncExternalStore(follow, getSnapshot, getServerSnapshot);
}

/** The stores of a collection, which all components that are drawn at the same pace share. */
export function useStores<T, I extends string>(collection: Collection<T, I>): ExternalStores<T, I> {
  return storesOf(collection, usePace()) as unknown as ExternalStores<T, I>;
}
