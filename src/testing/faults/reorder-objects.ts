import { map } from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { toBatch } from '../../sources/to-batch.js';
import type { ChangeEvent, WatchEvent } from '../../sources/watch-event.js';
import { isChange, objectIdentity } from './change-of.js';
import type { Fault } from './fault.js';

/**
 * Mixes up what a batch says of different objects, which no order between them forbids.
 *
 * | in | out |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` of one object | in the same order |
 * | … of several objects, in one batch | in any order |
 * | anything else | where it was: nothing moves across it |
 *
 * @param random chooses the order; default `Math.random`
 * @example
 * const a = aPod({ name: 'a' });
 * const b = aPod({ name: 'b' });
 * const source = watchMarbles('L()[A(ab)M(ab)]|', { a, b }).pipe(reorderObjects(randomFromSeed(7)));
 */
export function reorderObjects<T extends KubernetesObject>(random: () => number = Math.random): Fault<T> {
  return map((emitted) => {
    const out: WatchEvent<T>[] = [];
    let changes: ChangeEvent<T>[] = [];
    for (const event of toBatch(emitted)) {
      if (isChange(event)) {
        changes.push(event);
        continue;
      }
      out.push(...mixed(changes, random), event);
      changes = [];
    }
    return [...out, ...mixed(changes, random)];
  });
}

/** The objects take their turns in a random order, each with its own events in theirs. */
function mixed<T extends KubernetesObject>(
  changes: readonly ChangeEvent<T>[],
  random: () => number,
): readonly ChangeEvent<T>[] {
  const turns = shuffled(changes.map(identity), random);
  const waiting = new Map<string, ChangeEvent<T>[]>();
  for (const change of changes) waiting.set(identity(change), [...(waiting.get(identity(change)) ?? []), change]);
  return turns.flatMap((turn) => waiting.get(turn)?.splice(0, 1) ?? []);
}

function identity<T extends KubernetesObject>({ partition = '', object }: ChangeEvent<T>): string {
  return `${partition}:${objectIdentity(object)}`;
}

function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
