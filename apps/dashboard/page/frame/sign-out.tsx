import { useEffect, useState, type ReactNode } from 'react';
import type { SourceStatus } from 'rx-informers';
import { useStatus } from 'rx-informers/react';
import { useClusterInfo } from '../cluster/cluster.js';
import { isUnauthorized } from '../cluster/connection.js';
import { useLiveNodes, useLivePods } from '../cluster/informers.js';
import { writeMark } from '../cluster/reading.js';
import { loadedDisk } from '../history/disk-choice.js';

/**
 * Renders the button of the sign-out, if the server of the page has a sign-in. Opens the sign-in
 * when the session has ended, and then the same screen again.
 */
export function SignOut(): ReactNode {
  return useClusterInfo().sessionUntil === undefined ? null : <SignOutButton />;
}

function SignOutButton(): ReactNode {
  const statuses = [useStatus(useLivePods()), useStatus(useLiveNodes())];
  const hasEnded = statuses.some(isRefused);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    if (hasEnded) void leave(signInAt(location));
  }, [hasEnded]);
  const signOut = async (): Promise<void> => {
    try {
      // Without a session, the server sends no scripts.
      await loadedDisk();
      const { ok } = await fetch('/logout', { method: 'POST', headers: writeMark });
      if (ok) await leave('/login');
      setHasFailed(!ok);
    } catch {
      setHasFailed(true);
    }
  };
  return (
    <button type="button" className="action" onClick={() => void signOut()}>
      {hasFailed ? 'Not signed out. Try again' : 'Sign out'}
    </button>
  );
}

/** Opens another page, after the history on disk was deleted. */
async function leave(address: string): Promise<void> {
  try {
    await (await loadedDisk())?.deleteScopes(() => true);
  } finally {
    location.assign(address);
  }
}

function isRefused(status: SourceStatus): boolean {
  return status.state === 'forbidden' && isUnauthorized(status.cause);
}

/** Returns the address of the sign-in that leads back to the screen of a location. */
function signInAt({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  return `/login?${new URLSearchParams({ to: `${pathname}${search}` }).toString()}`;
}
