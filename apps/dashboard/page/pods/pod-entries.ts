import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { usePods } from '../cluster/informers.js';
import { browserTime, serverOffset } from '../cluster/server-clock.js';
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
 * Milliseconds after which a pending pod and one that is not ready count as trouble, and for which a
 * restart counts as recent.
 */
export const longPending = 60_000;
export const longUnready = 60_000;
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
 * Trouble depends on the time: a pod is in trouble after it has been pending, or not ready, for one
 * minute. A restart stops counting after ten minutes. While the page is live, the library runs the
 * timers: a pending pod is in `young` for its first minute, and its entry is computed again when the
 * pod leaves `young`. In the past, the shown time decides. Times in pods are those of the API
 * server, and are converted to the clock of the browser.
 *
 * @param clock the time that the page shows, in the row `shownSecondKey`
 */
export function podEntries(pods: Collection<Pod>, clock: Collection<ShownSecond>) {
  const young = derived.expireAfter(derived.filter(pods, isPending), {
    milliseconds: longPending,
    since: ({ metadata }) => browserTime(metadata.creationTimestamp),
  });
  const settling = derived.expireAfter(derived.filter(pods, isUnready), {
    milliseconds: longUnready,
    since: (pod) => browserTime(unreadySince(pod)),
  });
  const restarted = derived.expireAfter(
    derived.filter(pods, (pod) => statusOf(pod).lastRestart !== undefined),
    { milliseconds: recentRestart, since: (pod) => browserTime(statusOf(pod).lastRestart) },
  );
  const leaving = derived.expireAfter(
    derived.filter(pods, (pod) => statusOf(pod).changesAt !== undefined),
    { milliseconds: 0, since: leavesAt },
  );
  return derived.derive(pods, { young, settling, restarted, leaving, clock }, (pod, read): PodEntry => {
    const key = metaNamespaceKey(pod);
    const { severity, lastRestart, changesAt } = statusOf(pod);
    const restart = Date.parse(lastRestart ?? '');
    const depends =
      isPending(pod) || isUnready(pod) || changesAt !== undefined || restart - serverOffset() > beganAt - recentRestart;
    // Read only by entries that depend on the time, so that a move through the past computes only
    // these again.
    const shown = depends ? read.clock.get(shownSecondKey)?.time : undefined;
    const isLive = shown === undefined;
    const at = (shown ?? 0) + serverOffset();
    const isOverdue = changesAt !== undefined && (isLive ? read.leaving.get(key) === undefined : changesAt <= at);
    const isYoung = (): boolean => (isLive ? read.young.get(key) !== undefined : at < createdAt(pod) + longPending);
    const isSettling = (): boolean =>
      isLive ? read.settling.get(key) !== undefined : at < Date.parse(unreadySince(pod) ?? '') + longUnready;
    const isRecent = (): boolean => (isLive ? read.restarted.get(key) !== undefined : at < restart + recentRestart);
    const trouble: Trouble[] = [];
    if (severity === 'failing' || severity === 'failed' || isOverdue) trouble.push('failing');
    if (isPending(pod) && !isYoung()) trouble.push('pending');
    if (isUnready(pod) && !isSettling()) trouble.push('unready');
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

/** Returns when the grace period of a pod ends, on the clock of the browser. */
function leavesAt(pod: Pod): number | undefined {
  const { changesAt } = statusOf(pod);
  return changesAt === undefined ? undefined : changesAt - serverOffset();
}

function isUnready(pod: Pod): boolean {
  return podPhase(pod) === 'unready';
}

/** Returns since when a pod is not ready; the time of its creation if it does not say. */
function unreadySince({ metadata, status }: Pod): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.lastTransitionTime ?? metadata.creationTimestamp;
}

/**
 * Returns whether a pod has been not ready for so short a time that it counts as starting, not as
 * trouble.
 */
export function isSettling({ pod, trouble }: PodEntry): boolean {
  return isUnready(pod) && !trouble.includes('unready');
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
