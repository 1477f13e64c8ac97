import { useEffect, useState } from 'react';

/** Since when something is not live that has been; `undefined` while it is, and before it was. */
export function useLostAt(isLive: boolean, hasSynced: boolean): number | undefined {
  const [lostAt, setLostAt] = useState<number>();
  useEffect(() => {
    setLostAt(isLive || !hasSynced ? undefined : Date.now());
  }, [isLive, hasSynced]);
  return lostAt;
}
