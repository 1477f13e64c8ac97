import type { Change, ChangeSet } from '../store/change.js';

/** The state as a change set: what a late subscriber gets first, so that it cannot tell that it came late (G1). */
export function stateChangeSet<T>(keys: readonly string[], objects: readonly T[]): ChangeSet<T> {
  const changes = objects.map((object, position): Change<T> => ({
    type: 'added',
    key: keys[position] as string,
    object,
  }));
  return { reason: 'initial', changes };
}
