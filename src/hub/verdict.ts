import type { Right } from '../requests/readable-namespaces.js';
import type { Step } from '../scheduling/run-protocol.js';

/**
 * What the hub knows about one right: of one identity, for one kind, in one namespace. Times are
 * milliseconds of the scheduler.
 *
 * | verdict | meaning |
 * | --- | --- |
 * | `new` | no review has been answered; nothing is sent |
 * | `allowed` | the last answered review said yes |
 * | `denied`, `unavailable` | the end: the last review said no, or no review is answered |
 */
export interface VerdictState {
  readonly verdict: 'new' | 'allowed' | 'denied' | 'unavailable';
  /** The beginning of the review that is running. */
  readonly askedAt: number | undefined;
  /** True if the rights may have changed during the review. */
  readonly isDoubtful: boolean;
  /** The time of the next review. */
  readonly nextAt: number;
  /** The beginning of the first review in a row without an answer. */
  readonly unansweredSince: number | undefined;
}

export type VerdictInput =
  | { readonly type: 'answer'; readonly right: Right; readonly at: number }
  /** The rights may have changed, or it is time for a review. */
  | { readonly type: 'doubt'; readonly at: number }
  /** The API server has not answered the hub for too long. */
  | { readonly type: 'away' };

export type VerdictEffect = 'review' | 'allow' | 'deny' | 'unavailable';

/** How often rights are reviewed, and for how long a review may stay without an answer. */
export interface VerdictTimes {
  readonly interval: number;
  readonly patience: number;
}

/** Milliseconds from a review without an answer to the next. */
const retryWait = 10_000;

export function newVerdict(at: number): VerdictState {
  return { verdict: 'new', askedAt: undefined, isDoubtful: false, nextAt: at, unansweredSince: undefined };
}

/** Returns the next state and the effects. A verdict that has ended stays as it is. Pure. */
export function stepVerdict(
  state: VerdictState,
  input: VerdictInput,
  { interval, patience }: VerdictTimes,
): Step<VerdictState, VerdictEffect> {
  if (state.verdict === 'denied' || state.verdict === 'unavailable') return { state, effects: [] };
  switch (input.type) {
    case 'away':
      return ended(state, 'unavailable');
    case 'doubt':
      if (state.askedAt !== undefined) return { state: { ...state, isDoubtful: true }, effects: [] };
      return { state: { ...state, askedAt: input.at }, effects: ['review'] };
    case 'answer':
      return answered(state, input, { interval, patience });
  }
}

function answered(
  state: VerdictState,
  { right, at }: Extract<VerdictInput, { readonly type: 'answer' }>,
  { interval, patience }: VerdictTimes,
): Step<VerdictState, VerdictEffect> {
  switch (right) {
    case 'denied':
      return ended(state, 'denied');
    case 'allowed': {
      const answer = { ...state, isDoubtful: false, unansweredSince: undefined };
      // The answer may be older than the change that caused the doubt. So it does not count.
      if (state.isDoubtful) return { state: { ...answer, askedAt: at }, effects: ['review'] };
      const allowed: VerdictState = { ...answer, verdict: 'allowed', askedAt: undefined, nextAt: at + interval };
      return { state: allowed, effects: state.verdict === 'allowed' ? [] : ['allow'] };
    }
    case 'unknown': {
      const unansweredSince = state.unansweredSince ?? state.askedAt ?? at;
      if (state.verdict === 'new' || at - unansweredSince >= patience) return ended(state, 'unavailable');
      const nextAt = Math.min(at + retryWait, unansweredSince + patience);
      return { state: { ...state, askedAt: undefined, isDoubtful: false, unansweredSince, nextAt }, effects: [] };
    }
  }
}

function ended(state: VerdictState, verdict: 'denied' | 'unavailable'): Step<VerdictState, VerdictEffect> {
  return {
    state: { ...state, verdict, askedAt: undefined, nextAt: Infinity },
    effects: [verdict === 'denied' ? 'deny' : 'unavailable'],
  };
}
