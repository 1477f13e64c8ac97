import type { Collection, Change, ChangeSet } from 'rx-informers';
import type { ChangeReason } from 'rx-informers/store';
import { untilTestEnds } from './until-test-ends.js';

/** Applies `changes$` to a map. It has no other source of information. */
export interface Follower<T> {
  /** The objects that exist after all changes so far, by key. */
  readonly objects: ReadonlyMap<string, T>;
  readonly changeSets: readonly ChangeSet<T>[];
  /**
   * Changes that contradict earlier changes: the addition of an existing object, or the deletion of
   * a missing one (G1).
   */
  readonly contradictions: readonly Change<T>[];
  readonly reasons: readonly ChangeReason[];
}

/** Subscribes to the changes of a collection until the test ends, and records them. */
export function follow<T>(collection: Collection<T>): Follower<T> {
  const objects = new Map<string, T>();
  const changeSets: ChangeSet<T>[] = [];
  const contradictions: Change<T>[] = [];

  const apply = (change: Change<T>): void => {
    const known = objects.get(change.key);
    const expected = change.type === 'updated' ? change.previous : undefined;
    const fits = change.type === 'deleted' ? known !== undefined : known === expected;
    if (!fits) contradictions.push(change);
    if (change.type === 'deleted') objects.delete(change.key);
    else objects.set(change.key, change.object);
  };
  const subscription = collection.changes$.subscribe((changeSet) => {
    changeSets.push(changeSet);
    changeSet.changes.forEach(apply);
  });
  untilTestEnds(subscription);
  return {
    objects,
    changeSets,
    contradictions,
    get reasons() {
      return changeSets.map(({ reason }) => reason);
    },
  };
}

/** Returns the changes, one line each: `watch updated web/a`. */
export function story(follower: Follower<unknown>): readonly string[] {
  return follower.changeSets.flatMap(({ reason, changes }) =>
    changes.map(({ type, key }) => `${reason} ${type} ${key}`),
  );
}
