import { useState } from 'react';
import { useSecond } from '../text/age.js';
import { objectChanges, type ObjectChange } from './object-changes.js';

export interface LastUpdate {
  /** The number of updates that were drawn since the object was opened. */
  readonly count: number;
  readonly changes: readonly ObjectChange[];
  /** Milliseconds since the epoch; `undefined` before the first update. */
  readonly at: number | undefined;
}

const none: LastUpdate = { count: 0, changes: [], at: undefined };

/** Returns the changes of an object's last update, compared with the previously drawn version. */
export function useLastUpdate(object: object): LastUpdate {
  const now = useSecond((time) => time);
  const [seen, setSeen] = useState({ object, update: none });
  if (seen.object === object) return seen.update;
  const changes = objectChanges(seen.object, object);
  // Keeps the last update if the new version has no visible change.
  const update = changes.length === 0 ? seen.update : { count: seen.update.count + 1, changes, at: now };
  setSeen({ object, update });
  return update;
}
