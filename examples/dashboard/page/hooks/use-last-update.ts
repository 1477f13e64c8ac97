import { useState } from 'react';
import { objectChanges, type ObjectChange } from '../model/object-changes.js';

export interface LastUpdate {
  /** Updates that have been drawn since the object is shown. */
  readonly count: number;
  readonly changes: readonly ObjectChange[];
  /** Milliseconds since the epoch; `undefined` while there was no update. */
  readonly at: number | undefined;
}

const none: LastUpdate = { count: 0, changes: [], at: undefined };

/** What the last update of an object has changed, from one version that was drawn to the next. */
export function useLastUpdate(object: object): LastUpdate {
  const [seen, setSeen] = useState({ object, update: none });
  if (seen.object === object) return seen.update;
  const changes = objectChanges(seen.object, object);
  // A new version that says the same is not worth losing sight of the last one that did not.
  const update = changes.length === 0 ? seen.update : { count: seen.update.count + 1, changes, at: Date.now() };
  setSeen({ object, update });
  return update;
}
