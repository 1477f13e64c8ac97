import type { Informer } from 'rx-informers';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { useLiveSecond } from '../text/age.js';
import { useClusterInfo } from './cluster.js';
import { useSettled } from './connection.js';
import { healthOf, maxSilenceOf, type Health, type Watched } from './health.js';

/** Returns the worst state of two kinds that the page always watches. */
export function useHealth<T, I extends string, S, J extends string>(
  first: Informer<T, I>,
  second: Informer<S, J>,
): Health {
  const maxSilence = maxSilenceOf(useClusterInfo());
  return healthOf([useWatched(first), useWatched(second)], maxSilence);
}

/**
 * Returns whether the page shows what the cluster was, not what it is: the server does not answer,
 * or refuses everything.
 */
export function useIsLost<T, I extends string, S, J extends string>(
  first: Informer<T, I>,
  second: Informer<S, J>,
): boolean {
  const { state } = useHealth(first, second);
  return state === 'lost' || state === 'silent' || state === 'refused';
}

/** Returns the settled status of a kind, and how long it has been silent. */
export function useWatched<T, I extends string>(informer: Informer<T, I>): Watched {
  const status = useSettled(useStatus(informer));
  const hasSynced = useHasSynced(informer);
  const contactAgo = useLiveSecond((now) =>
    informer.lastHeardAt === undefined ? -1 : Math.max(0, Math.floor((now - informer.lastHeardAt) / 1000)),
  );
  return { status, hasSynced, silence: contactAgo < 0 ? undefined : contactAgo * 1000 };
}
