import {
  EMPTY,
  Observable,
  tap,
  timer,
  type SchedulerLike,
  AsyncSubject,
  catchError,
  defer,
  from,
  ignoreElements,
  isObservable,
  merge,
  mergeAll,
  of,
  pipe,
} from 'rxjs';
import { DrainEndedError, RunStoppedError, RunTimeoutError } from '../queue/errors.js';
import type { RequeueAfter, Skipped } from './outcome.js';

/** The second argument of the work of `workqueue`. */
export interface RunContext<Reason = unknown> {
  /** Aborted if the run takes too long, the drain ends, or the subscriber leaves. Pass it to everything that the run waits for. */
  readonly signal: AbortSignal;
  /** 1, or one more than the failures in a row before it. */
  readonly attempt: number;
  readonly priority: number;
  /** The reasons of the additions that led to this run, oldest first, each once. For logs: a run reads the state, not events. */
  readonly reasons: readonly Reason[];
}

/** The results of a run with this output. `undefined` and `requeueAfter` are no results. */
export type ResultOf<Output> = ResultOfValue<ValueOf<Output>>;

/** A value without `undefined` and `requeueAfter`. */
export type ResultOfValue<Value> = Exclude<Exclude<Value, void>, RequeueAfter | Skipped>;

export interface RunOptions {
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
  /** Says that the run has to end, because the drain does. */
  readonly drainEnded$: Observable<void>;
  /**
   * Called with an Observable that completes when the work is over, if the work may go on after its
   * run: before the run errors or completes, or as soon as it is known what was begun.
   */
  readonly goesOn: (over$: Observable<never>) => void;
}

/**
 * Returns one run: it emits the values of its work, until the work ends or the run is aborted.
 *
 * **Errors**: what the work fails with, a `RunTimeoutError`, or a `DrainEndedError`. Unsubscribing aborts the signal.
 */
export function run(
  key: string,
  project: (signal: AbortSignal) => unknown,
  { timeout, scheduler, drainEnded$, goesOn }: RunOptions,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const run: { work?: Work<unknown>; hasEnded: boolean } = { hasEnded: false };
    const end = (rest$ = EMPTY): void => {
      if (run.hasEnded) return;
      run.hasEnded = true;
      if (rest$ !== EMPTY) goesOn(rest$);
    };
    const stop = (reason: Error): void => {
      if (run.hasEnded) return;
      abort.abort(reason);
      end(run.work?.over$);
    };
    const fail = (error: Error): void => {
      stop(error);
      subscriber.error(error);
    };

    // Teardown runs in this order: the signal is aborted before the work is unsubscribed from.
    subscriber.add(() => {
      stop(new RunStoppedError(key));
    });
    // The timer stands before the work begins, and its error is the run's.
    if (timeout !== Infinity) {
      const timeIsUp = timer(timeout, scheduler).subscribe(() => {
        fail(new RunTimeoutError(key, timeout));
      });
      subscriber.add(timeIsUp);
    }
    const drainEnded = drainEnded$.subscribe(() => {
      fail(new DrainEndedError(key));
    });
    subscriber.add(drainEnded);
    if (subscriber.closed) return;

    try {
      run.work = workOf(project(abort.signal));
    } catch (error) {
      end();
      subscriber.error(error);
      return;
    }
    const { values$, over$, rest$ } = run.work;
    if (run.hasEnded) {
      // It had to end within the call: what the call began is not subscribed to.
      goesOn(over$);
      return;
    }
    const ended = (): void => {
      end(rest$);
    };
    values$.pipe(tap({ error: ended, complete: ended })).subscribe(subscriber);
  });
}

/**
 * The values of what a function returns: those of an Observable, a promise or an async iterable, or
 * the returned value itself.
 */
export type ValueOf<Output> =
  Output extends Observable<infer Value>
    ? Value
    : Output extends PromiseLike<infer Value>
      ? Value
      : Output extends AsyncIterable<infer Value>
        ? Value
        : Output;

/** Work that a function has begun. */
export interface Work<Value> {
  readonly values$: Observable<Value>;
  /** Completes when nothing of the work goes on, with or without a subscriber to its values. Never errors. */
  readonly over$: Observable<never>;
  /** The same after `values$` has completed or errored by itself. */
  readonly rest$: Observable<never>;
}

/** Under this name an Observable says when the work behind it is over. Shared with other copies of this module. */
const overName = Symbol.for('rx-informers.over$');

/**
 * Returns the work behind what a function returned.
 *
 * | output | is over |
 * | --- | --- |
 * | an Observable | when it was unsubscribed from, or when it says so (`carryOver`) |
 * | a promise | when it has settled |
 * | an async iterable | when it has ended, if it was begun |
 * | anything else | at once |
 */
export function workOf<Output>(output: Output): Work<ValueOf<Output>> {
  return anyWorkOf(output) as Work<ValueOf<Output>>;
}

function anyWorkOf(output: unknown): Work<unknown> {
  if (isObservable(output)) {
    const { [overName]: over$ = EMPTY } = output as { readonly [overName]?: Observable<never> };
    return { values$: output, over$, rest$: over$ };
  }
  if (isPromiseLike(output)) {
    // `then` is called once: some thenables do their work again with each call.
    const values$ = from(Promise.resolve(output));
    const settled = pipe(
      ignoreElements(),
      catchError(() => EMPTY),
    );
    return { values$, over$: values$.pipe(settled), rest$: EMPTY };
  }
  if (isAsyncIterable(output)) {
    const over = new AsyncSubject<never>();
    let hasBegun = false;
    return {
      values$: defer(() => {
        hasBegun = true;
        return untilOver(output, over);
      }),
      over$: defer(() => (hasBegun ? over : EMPTY)),
      rest$: EMPTY,
    };
  }
  return { values$: output === undefined ? EMPTY : of(output), over$: EMPTY, rest$: EMPTY };
}

/** Returns `values$`, which says from now on that the work behind it is over when `over$` has completed. */
export function carryOver<Values extends Observable<unknown>>(values$: Values, over$: Observable<never>): Values {
  return Object.assign(values$, { [overName]: over$ });
}

/** The work that an Observable has begun for its subscribers. */
export class OngoingWork {
  readonly #ongoing = new Set<Observable<never>>();

  /** Completes when nothing goes on of what was begun before the subscription. */
  readonly over$: Observable<never> = defer(() => merge(...this.#ongoing));

  /** Begins work. It is ongoing from the call on: what it is may be asked before `work` has returned. */
  begin<Output>(work: () => Output): Work<ValueOf<Output>> {
    const begun = new AsyncSubject<Observable<never>>();
    const over$ = begun.pipe(mergeAll());
    this.#ongoing.add(over$);
    const forgetAfter = (rest$: Observable<never>) => (): void => {
      rest$.subscribe({ complete: () => void this.#ongoing.delete(over$) });
    };
    try {
      const { values$, over$: workIsOver$, rest$ } = workOf(work());
      begun.next(workIsOver$);
      const ended = forgetAfter(rest$);
      const observed = tap<ValueOf<Output>>({ complete: ended, error: ended, unsubscribe: forgetAfter(workIsOver$) });
      return { values$: values$.pipe(observed), over$, rest$ };
    } finally {
      begun.complete();
    }
  }
}

function isPromiseLike(output: unknown): output is PromiseLike<unknown> {
  return typeof (output as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

function isAsyncIterable(output: unknown): output is AsyncIterable<unknown> {
  const candidate = output as { readonly [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof candidate?.[Symbol.asyncIterator] === 'function';
}

async function* untilOver(iterable: AsyncIterable<unknown>, over: AsyncSubject<never>): AsyncGenerator {
  try {
    yield* iterable;
  } finally {
    over.complete();
  }
}
