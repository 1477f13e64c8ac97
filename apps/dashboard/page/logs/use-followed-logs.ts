import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { toExternalStore } from 'rx-informers/views';
import { BehaviorSubject } from 'rxjs';
import { useCluster } from '../cluster/cluster.js';
import { followedLogs, noLogs, type FollowedLogs } from './followed-logs.js';
import type { LogCapacity, LogTarget } from './log-targets.js';

interface UseFollowedLogsOptions {
  readonly tail: number;
  readonly previous: boolean;
}

/**
 * Follows the logs of targets while a component shows them. If `tail` or `previous` changes, all
 * logs are read again.
 */
export function useFollowedLogs(
  targets: readonly LogTarget[],
  { tail, previous }: UseFollowedLogsOptions,
): FollowedLogs {
  const { client } = useCluster();
  const [target$] = useState(() => new BehaviorSubject(targets));
  useEffect(() => {
    target$.next(targets);
  }, [target$, targets]);
  const store = useMemo(
    () =>
      toExternalStore(
        followedLogs(client, target$, {
          tail,
          previous,
          scheduler: client.scheduler,
        }),
        noLogs,
        { linger: 0, scheduler: client.scheduler },
      ),
    [client, target$, tail, previous],
  );
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

/**
 * Returns how many logs can be followed at once. With HTTP/1.1, a browser opens six connections to
 * one host. If the server accepts no WebSockets, pods and nodes need two of them. One more
 * connection stays free for other requests. HTTP/2 has no such limit.
 */
export function logCapacity(): LogCapacity {
  const [navigation] = performance.getEntriesByType('navigation') as readonly Partial<PerformanceNavigationTiming>[];
  return /^h[23]/.test(navigation?.nextHopProtocol ?? '') ? { streams: 50, polls: 50 } : { streams: 3, polls: 37 };
}
