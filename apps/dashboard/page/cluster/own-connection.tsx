import { useMemo, useSyncExternalStore, type ReactNode } from 'react';
import type { SharedConnection } from 'rx-informers/shared-worker';
import { toExternalStore } from 'rx-informers/views';
import { plainText } from '../text/text.js';
import { useCluster } from './cluster.js';

/**
 * Renders a notice with the reason if this tab does not read from the shared cache. Otherwise
 * renders nothing.
 */
export function OwnConnection(): ReactNode {
  const { shared } = useCluster();
  const store = useMemo(() => toExternalStore(shared.connection$, shared.connection), [shared]);
  const connection = useSyncExternalStore(store.subscribe, store.getSnapshot);
  if (connection.state !== 'own') return null;
  return (
    <span className="fine" role="status" title={plainText(connection.cause.detail)}>
      {ownConnectionText(connection)}
    </span>
  );
}

/** Returns one sentence with the reason and its consequence. */
export function ownConnectionText({ cause }: Extract<SharedConnection, { readonly state: 'own' }>): string {
  return `This tab has its own connections: ${reasons[cause.problem]}.`;
}

const reasons: Readonly<Record<Extract<SharedConnection, { readonly state: 'own' }>['cause']['problem'], string>> = {
  unavailable: 'this browser cannot share them between tabs',
  failed: 'the worker that shares them did not start',
  'other-version': 'the other tabs run an older version; close them and reload',
  'other-identity': 'another tab shows a later start of the dashboard; reload',
  lost: 'the worker that shares them has stopped twice; reload to try again',
};
