import { compareResourceVersions } from '../../kubernetes/compare-resource-versions.js';
import type { ChangeEvent } from '../watch-event.js';
import { isSameIncarnation, versionOf, type OverlayWrite } from './overlay-write.js';

/** What an event of the watch is to a write to the same object: older and held back, its end, or of no concern to it. */
export type Verdict = 'late' | 'ends' | 'unrelated';

/**
 * What the watch says against what the server answered. Pure.
 *
 * | write | event | verdict |
 * | --- | --- | --- |
 * | shown | of an older version, whatever it is | late |
 * | | of the same or a newer version | ends |
 * | | nobody can tell: a delete of another incarnation | unrelated |
 * | | nobody can tell: anything else | ends: the watch is right |
 * | deleted | the same incarnation, there | late, whatever its version |
 * | | the same incarnation, deleted | ends |
 * | | another incarnation, there | late if it is older, otherwise it ends: created again |
 * | | another incarnation, deleted | ends if it is newer, otherwise unrelated |
 * | | no uid, there | late unless it is newer |
 * | | no uid, deleted | ends |
 */
export function verdictOn<T>(write: OverlayWrite<T>, { type, object }: ChangeEvent<T>): Verdict {
  const order = compareResourceVersions(versionOf(object), write.resourceVersion);
  const isSame = isSameIncarnation(write.object, object);
  if (write.type === 'shown') {
    if (order !== undefined) return order < 0 ? 'late' : 'ends';
    return type === 'DELETED' && isSame === false ? 'unrelated' : 'ends';
  }
  if (type === 'DELETED') return isSame !== false || (order ?? -1) > 0 ? 'ends' : 'unrelated';
  if (isSame === true) return 'late';
  return (order ?? 1) < (isSame === false ? 0 : 1) ? 'late' : 'ends';
}
