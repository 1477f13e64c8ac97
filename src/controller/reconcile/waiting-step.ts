import type { CacheHealth } from './cache-health.js';

/** What is remembered about one cache in order to say that a controller waits for it. Times are milliseconds. */
export interface WaitingState {
  /** Since when the cache is in trouble; `undefined` while it is well. */
  readonly troubledSince: number | undefined;
  /** Since when it is well; `undefined` while it is in trouble. */
  readonly wellSince: number | undefined;
  /** True if this trouble was reported, so that its end is reported too. */
  readonly isReported: boolean;
  /** When anything was last reported, and how long the next report waits; `undefined` if nothing counts any more. */
  readonly last: { readonly at: number; readonly wait: number; readonly kinds: readonly string[] } | undefined;
}

export interface WaitingStep {
  readonly state: WaitingState;
  /** What to report now. */
  readonly report: 'waiting' | 'recovered' | undefined;
  /** When to take the next step if nothing happens before. */
  readonly alarmAt: number | undefined;
}

export const initialWaiting: WaitingState = {
  troubledSince: undefined,
  wellSince: undefined,
  isReported: false,
  last: undefined,
};

const firstWait = 5_000;
const longestWait = 300_000;
/** A cache that is well for so long starts afresh. One that comes and goes more often is not reported each time. */
const wellAfter = 60_000;

/**
 * Returns what to report about a cache at the time `at`. Pure.
 *
 * | the cache | reported |
 * | --- | --- |
 * | has not synced, without an error | after 5 s |
 * | cannot list or watch: an error that is not `expected` | at once |
 * | is still in trouble | 5 s after the last report, then 10 s, 20 s, … at most every 5 minutes |
 * | is in trouble for a reason that was not reported yet | 5 s after the last report at the latest |
 * | works again | at once, if the trouble was reported |
 */
export function waitingStep(state: WaitingState, health: CacheHealth, at: number): WaitingStep {
  if (health.hasSynced && health.error === undefined) return well(state, at);
  const troubledSince = state.troubledSince ?? at;
  const last = state.wellSince !== undefined && at - state.wellSince >= wellAfter ? undefined : state.last;
  const troubled: WaitingState = { ...state, troubledSince, wellSince: undefined, last };
  const kind = kindOf(health);
  const dueAt = Math.max(firstReportAt(troubledSince, health), last ? nextReportAt(last, kind) : 0);
  if (at < dueAt) return { state: troubled, report: undefined, alarmAt: dueAt };
  const wait = last ? Math.min(2 * last.wait, longestWait) : firstWait;
  const kinds = [...new Set([...(last?.kinds ?? []), kind])];
  return {
    state: { ...troubled, isReported: true, last: { at, wait, kinds } },
    report: 'waiting',
    alarmAt: at + wait,
  };
}

function well({ wellSince, isReported, last }: WaitingState, at: number): WaitingStep {
  const state = { troubledSince: undefined, wellSince: wellSince ?? at, isReported: false, last };
  return { state, report: isReported ? 'recovered' : undefined, alarmAt: undefined };
}

function firstReportAt(troubledSince: number, { error }: CacheHealth): number {
  return error === undefined || error.expected ? troubledSince + firstWait : troubledSince;
}

function nextReportAt({ at, wait, kinds }: NonNullable<WaitingState['last']>, kind: string): number {
  return at + (kinds.includes(kind) ? wait : firstWait);
}

/** There are few kinds, whatever fails. */
function kindOf({ error }: CacheHealth): string {
  if (error === undefined) return '';
  return `${error.name} ${'statusCode' in error ? error.statusCode : ''}`;
}
