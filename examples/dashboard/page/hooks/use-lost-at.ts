import { useEffect, useState } from 'react';
import type { SourceStatus } from 'rx-informers';
import { silenceOf } from '../model/connection.js';

/** Since when something is not live that has been; `undefined` while it is, and before it was. */
export function useLostAt(status: SourceStatus, hasSynced: boolean): number | undefined {
  const [lostAt, setLostAt] = useState<number>();
  const isLive = status.state === 'watching';
  useEffect(() => {
    // Of the silence only what came before: whoever is silent later does not make it older.
    setLostAt(isLive || !hasSynced ? undefined : Date.now() - silenceOf(status));
  }, [isLive, hasSynced]);
  return lostAt;
}
