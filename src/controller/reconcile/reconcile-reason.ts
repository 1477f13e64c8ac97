import type { Change, ChangeReason } from '../../store/change.js';

/** Why a key is reconciled. For logs: a run looks at the state, and not at what led to it. */
export type ReconcileReason =
  PrimaryChanged | OwnedChanged | WatchedChanged | ExternalTrigger | RequeueWanted | RetryOfFailure;

/** The object itself came, changed or went. */
export interface PrimaryChanged {
  readonly type: 'primary';
  readonly change: Change<unknown>['type'];
  /** Why the collection told it. */
  readonly because: ChangeReason;
}

/** An object that it owns did. */
export interface OwnedChanged extends Omit<PrimaryChanged, 'type'> {
  readonly type: 'owned';
  readonly kind: string | undefined;
  readonly key: string;
}

/** An object of a watched collection did, and `map` led here. */
export interface WatchedChanged extends Omit<PrimaryChanged, 'type'> {
  readonly type: 'watched';
  readonly kind: string | undefined;
  readonly key: string;
}

/** A watched Observable gave a value, and `map` led here. */
export interface ExternalTrigger {
  readonly type: 'external';
  /** Which one: `watches[2]`. */
  readonly trigger: string;
}

/** A run asked for this one with `requeueAfter`. */
export interface RequeueWanted {
  readonly type: 'requeue';
}

/** The run before failed. */
export interface RetryOfFailure {
  readonly type: 'retry';
  /** How many runs in a row have failed. */
  readonly failures: number;
}

/** One or several reasons as they stand in the queue: as text, so that equal ones are one, however often they come. */
export type ReasonText = string & { readonly reason: never };

/** What the queue keeps of a reason; JSON has no line breaks of its own. */
export function reasonText(reason: ReconcileReason): ReasonText {
  return JSON.stringify(reason) as ReasonText;
}

/** Several as one. */
export function joinReasons(texts: readonly ReasonText[]): ReasonText {
  return texts.join('\n') as ReasonText;
}

/** What the queue kept of a key's reasons, as it was, each once. */
export function reasonsOf(texts: readonly ReasonText[]): readonly ReconcileReason[] {
  const lines = new Set(texts.flatMap((text) => text.split('\n')));
  return Array.from(lines, (line) => JSON.parse(line) as ReconcileReason);
}

/** All reasons of a run: the queue knows what came from outside; the rest follows from there being a run at all. */
export function reasonsOfRun(texts: readonly ReasonText[], attempt: number): readonly ReconcileReason[] {
  if (attempt > 1) return [...reasonsOf(texts), { type: 'retry', failures: attempt - 1 }];
  return texts.length === 0 ? [{ type: 'requeue' }] : reasonsOf(texts);
}
