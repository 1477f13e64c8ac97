import {
  defer,
  EMPTY,
  from,
  isObservable,
  map,
  merge,
  NEVER,
  of,
  takeUntil,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { DrainEndedError } from './drain-ended-error.js';
import type { RequeueAfter } from './requeue-after.js';
import { RunStoppedError } from './run-stopped-error.js';
import { RunTimeoutError } from './run-timeout-error.js';

/** What a run is told besides its key. */
export interface RunContext<Reason = unknown> {
  /** Aborted when the run takes too long, the drain ends, or nobody is subscribed any more; hand it to whatever it waits for. */
  readonly signal: AbortSignal;
  /** 1, or one more than the failures in a row before it. */
  readonly attempt: number;
  readonly priority: number;
  /** What the additions said that this run serves, oldest first, each once. For logs: a run looks at the state, not at events. */
  readonly reasons: readonly Reason[];
}

/** What a run gives, whatever way it gives it: the values of an Observable, a promise or an async iterable, or the value itself. */
export type ResultOf<Output> =
  Output extends Observable<infer Value>
    ? ResultOfValue<Value>
    : Output extends PromiseLike<infer Value>
      ? ResultOfValue<Value>
      : Output extends AsyncIterable<infer Value>
        ? ResultOfValue<Value>
        : ResultOfValue<Output>;

/** What of a value is a result: `undefined` and the wish to run again are none. */
export type ResultOfValue<Value> = Exclude<Exclude<Value, void>, RequeueAfter>;

export interface RunOptions {
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
  /** Says that the run has to end, because the drain does. */
  readonly drainEnded$: Observable<void>;
}

/** One run: what it gives, until it is over. Errors where it fails, takes too long, or has to end; unsubscribing aborts it. */
export function run(
  key: string,
  project: (signal: AbortSignal) => unknown,
  { timeout, scheduler, drainEnded$ }: RunOptions,
): Observable<unknown> {
  return defer(() => {
    const abort = new AbortController();
    const timeIsUp$ = timeout === Infinity ? NEVER : timer(timeout, scheduler);
    const mustEnd$ = merge(
      timeIsUp$.pipe(map(() => new RunTimeoutError(key, timeout))),
      drainEnded$.pipe(map(() => new DrainEndedError(key))),
    );
    return defer(() => valuesOf(project(abort.signal))).pipe(
      // Of several reasons to abort, a signal keeps the first.
      tap({
        unsubscribe: () => {
          abort.abort(new RunStoppedError(key));
        },
      }),
      // The timer stands before the work begins, and its error is the run's.
      takeUntil(
        mustEnd$.pipe(
          map((error) => {
            abort.abort(error);
            throw error;
          }),
        ),
      ),
    );
  });
}

/** The values of whatever a run gives, in whatever way it gives them. */
export function valuesOf(output: unknown): Observable<unknown> {
  if (isObservable(output)) return output;
  if (isPromiseLike(output) || isAsyncIterable(output)) return from(output);
  return output === undefined ? EMPTY : of(output);
}

function isPromiseLike(output: unknown): output is PromiseLike<unknown> {
  return typeof (output as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

function isAsyncIterable(output: unknown): output is AsyncIterable<unknown> {
  const candidate = output as { readonly [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof candidate?.[Symbol.asyncIterator] === 'function';
}
