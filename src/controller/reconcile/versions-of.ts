import type { Change } from '../../store/change.js';

/** What a change speaks of: an update of both versions, because what only the old one led to has to learn that it is over. */
export function versionsOf<T>(change: Change<T>): readonly T[] {
  if (change.type !== 'updated' || change.previous === change.object) return [change.object];
  return [change.previous, change.object];
}
