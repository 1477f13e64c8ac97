import { useState } from 'react';
import type { SourceStatus } from 'rx-informers';
import { connectionOf, isAnswered, type Connection } from '../model/connection.js';

/**
 * A connection as it is to be shown: trouble stays until the server has answered well, also while it is tried again, so that nothing flickers
 * with each attempt.
 */
export function useConnection(status: SourceStatus, now: number): Connection {
  const [trouble, setTrouble] = useState<SourceStatus>();
  const connection = connectionOf(status, now);
  const next = connection.tone === 'trouble' ? status : isAnswered(status) ? undefined : trouble;
  if (next !== trouble) setTrouble(next);
  if (next === undefined || next === status) return connection;
  return { ...connectionOf(next, now), countdown: 'trying again' };
}
