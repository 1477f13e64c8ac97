import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { toExternalStore } from 'rx-informers/views';
import { BehaviorSubject, catchError, defer, EMPTY, switchMap } from 'rxjs';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { runOfServer } from '../cluster/run-of-server.js';
import { store, stored } from '../frame/stored.js';
import type * as Disk from './disk.js';

/** For whom the history of a cluster is on disk. */
export interface DiskOwner {
  /** The identity of the session, or of the run of the server. Empty if the server has none. */
  readonly identity: string;
  /** The base path of the cluster. */
  readonly base: string;
  /** The user and the cluster, as the choice is remembered. */
  readonly name: string;
  /** When the session ends, in milliseconds since the epoch; `Infinity` without a session. */
  readonly expires: number;
}

const setting = 'rx-informers-dashboard-disk';

/** Emits the names of all owners that have chosen the history on disk, as stored text. */
const chosen$ = new BehaviorSubject(stored(setting));
const chosen = toExternalStore(chosen$, undefined, { linger: 0 });

/** Returns whether the history is on disk. Another tab may have changed it. */
export function isOnDisk({ name }: DiskOwner): boolean {
  return stored(setting)?.split('\n').includes(name) === true;
}

/** Remembers the choice in this browser. */
export function chooseDisk(owner: DiskOwner, isOn: boolean): void {
  const others = (stored(setting) ?? '').split('\n').filter((name) => name !== owner.name && name !== '');
  store(setting, [...others, ...(isOn ? [owner.name] : [])].join('\n'));
  chosen$.next(stored(setting));
}

/** Returns the choices of this browser. Renders the component again when one changes. */
export function useDiskChoices(): string | undefined {
  return useSyncExternalStore(chosen.subscribe, () => chosen$.value);
}

/** Returns the user of the page as an owner. */
export function useDiskOwner(): DiskOwner {
  const { client } = useCluster();
  const { user = '', sessionUntil } = useClusterInfo();
  return useMemo(() => {
    const base = client.server ?? '';
    const identity = identityOfPage();
    return { identity, base, name: JSON.stringify([base, user]), expires: Date.parse(sessionUntil ?? '') || Infinity };
  }, [client, user, sessionUntil]);
}

/** Returns the identity of the session, as the browser has it now. */
export function identityOfPage(): string {
  return runOfServer(document.cookie, location.port);
}

/** Loads the code of the history on disk, if this browser has ever used it. */
export async function loadedDisk(): Promise<typeof Disk | undefined> {
  return stored(setting) === undefined ? undefined : import('./disk.js');
}

/** Keeps the history on disk while the component is mounted, if the user has chosen it. */
export function useHistoryOnDisk(): void {
  const { shared } = useCluster();
  const { isKnown } = useClusterInfo();
  const owner = useDiskOwner();
  const choices = useDiskChoices();
  useEffect(() => {
    if (!isKnown || choices === undefined) return;
    const kept = defer(loadedDisk)
      .pipe(
        switchMap((disk) => disk?.keepOnDisk(owner, shared.past) ?? EMPTY),
        catchError(() => EMPTY),
      )
      .subscribe();
    return () => {
      kept.unsubscribe();
    };
  }, [isKnown, choices, owner, shared]);
}
