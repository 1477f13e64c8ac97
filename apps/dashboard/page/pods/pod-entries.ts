import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { keyOf } from '../cluster/context-key.js';
import { usePods } from '../cluster/informers.js';
import { shownSecond, shownSecondKey, type ShownSecond } from '../history/shown-time.js';
import { pairOf, podPairs } from './pod-filter.js';
import { podPhase, statusOf } from './pod-phase.js';

/**
 * Kinds of trouble, the worst first. Each one is a figure above the table, and a value of the facet
 * `trouble`.
 */
export const troubles = ['failing', 'pending', 'unready', 'restarts'] as const;
export type Trouble = (typeof troubles)[number];

/**
 * Milliseconds after which a pending pod counts as trouble, and for which a restart counts as
 * recent.
 */
export const longPending = 60_000;
export const recentRestart = 600_000;

/** A pod with the values for filtering, counting and sorting it. */
export interface PodEntry {
  readonly pod: Pod;
  /** The values of the pod in all facets: `namespace=shop`, `label.tier=backend`. */
  readonly pairs: readonly string[];
  readonly trouble: readonly Trouble[];
  /** The order of the pod: 0 for the worst trouble, `troubles.length` for a pod without trouble. */
  readonly rank: number;
}

/**
 * The time when the page was loaded. The page cannot show an earlier time, so a restart older than
 * `recentRestart` at that time never counts as recent.
 */
const beganAt = Date.now();

/**
 * Returns the pods with their facets and their trouble.
 *
 * Trouble depends on the time: a pod is in trouble after it has been pending for one minute. A
 * restart stops counting after ten minutes. While the page is live, the library runs the timers: a
 * pending pod is in `young` for its first minute, and its entry is computed again when the pod
 * leaves `young`. In the past, the shown time decides.
 *
 * @param clock the time that the page shows, in the row `shownSecondKey`
 */
export function podEntries(pods: Collection<Pod>, clock: Collection<ShownSecond>) {
  const young = derived.expireAfter(derived.filter(pods, isPending), { milliseconds: longPending });
  const restarted = derived.expireAfter(
    derived.filter(pods, (pod) => statusOf(pod).lastRestart !== undefined),
    { milliseconds: recentRestart, since: (pod) => statusOf(pod).lastRestart },
  );
  const leaving = derived.expireAfter(
    derived.filter(pods, (pod) => statusOf(pod).changesAt !== undefined),
    { milliseconds: 0, since: (pod) => statusOf(pod).changesAt },
  );
  return derived.derive(pods, { young, restarted, leaving, clock }, (pod, read): PodEntry => {
    const key = keyOf(pod);
    const { severity, lastRestart, changesAt } = statusOf(pod);
    const restart = Date.parse(lastRestart ?? '');
    const depends = isPending(pod) || changesAt !== undefined || restart > beganAt - recentRestart;
    // Read only by entries that depend on the time, so that a move through the past computes only
    // these again.
    const at = depends ? read.clock.get(shownSecondKey)?.time : undefined;
    const isLive = at === undefined;
    const isOverdue = changesAt !== undefined && (isLive ? read.leaving.get(key) === undefined : changesAt <= at);
    const isYoung = (): boolean => (isLive ? read.young.get(key) !== undefined : at < createdAt(pod) + longPending);
    const isRecent = (): boolean => (isLive ? read.restarted.get(key) !== undefined : at < restart + recentRestart);
    const trouble: Trouble[] = [];
    if (severity === 'failing' || severity === 'failed' || isOverdue) trouble.push('failing');
    if (isPending(pod) && !isYoung()) trouble.push('pending');
    if (podPhase(pod) === 'unready') trouble.push('unready');
    if (lastRestart !== undefined && isRecent()) trouble.push('restarts');
    const worst = trouble[0];
    return {
      pod,
      pairs: [...podPairs(pod), ...trouble.map((each) => pairOf('trouble', each))],
      trouble,
      rank: worst === undefined ? troubles.length : troubles.indexOf(worst),
    };
  });
}

export type PodEntries = ReturnType<typeof podEntries>;

function createdAt({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

function isPending(pod: Pod): boolean {
  return podPhase(pod) === 'pending';
}

const entriesOf = new WeakMap<object, PodEntries>();

/** Returns the entries of the shown pods. All components share them. */
export function usePodEntries(): PodEntries {
  return podEntriesOf(usePods());
}

/** Returns the entries of a collection. The same collection returns the same entries. */
export function podEntriesOf(pods: Collection<Pod>): PodEntries {
  const entries = entriesOf.get(pods) ?? podEntries(pods, shownSecond);
  entriesOf.set(pods, entries);
  return entries;
}
