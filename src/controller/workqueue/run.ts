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
  /** Aborted by a timeout, the end of the drain or unsubscribing. Pass it to all awaited work. */
  readonly signal: AbortSignal;
  /** The number of the attempt: 1, plus the failures in a row before it. */
  readonly attempt: number;
  readonly priority: number;
  /**
   * The reasons of the additions that led to this run, oldest first, each once. Use them for logs
   * only: a run must decide from the current state, not from events.
   */
  readonly reasons: readonly Reason[];
}

/** What a run returns, without `undefined`, `requeueAfter` and `Skipped`. */
export type ResultOf<Output> = ResultOfValue<ValueOf<Output>>;

/** The type of a value without `undefined`, `requeueAfter` and `Skipped`. */
export type ResultOfValue<Value> = Exclude<Exclude<Value, void>, RequeueAfter | Skipped>;

export interface RunOptions {
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
  /** Emits when the run has to end, because the drain ends. */
  readonly drainEnded$: Observable<void>;
  /**
   * Called if work may continue after its run, with an Observable that completes when it has ended:
   * before the run errors or completes, but after `project` has returned.
   */
  readonly goesOn: (over$: Observable<never>) => void;
}

/**
 * Runs `project` for one key, and emits values until its work ends. Fails with its error, a
 * `RunTimeoutError` or a `DrainEndedError`. Unsubscribing aborts the signal.
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
    // The timer starts before the work; it ends the run with a `RunTimeoutError`.
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
      // The run was ended during the call of `project`, so its values are not subscribed to.
      goesOn(over$);
      return;
    }
    const ended = (): void => {
      end(rest$);
    };
    values$.pipe(tap({ error: ended, complete: ended })).subscribe(subscriber);
  });
}

/** The values of an Observable, a promise or an async iterable; any other result itself. */
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
  /** Completes when the work has ended, also without a subscriber to its values. Never errors. */
  readonly over$: Observable<never>;
  /** Like `over$`, for use after `values$` has completed or errored by itself. */
  readonly rest$: Observable<never>;
}

/** The property that exposes the end of the work. Shared with other copies of this module. */
const overName = Symbol.for('rx-informers.over$');

/**
 * Returns the work behind the result of a function.
 *
 * | output | is over |
 * | --- | --- |
 * | an Observable | when it was unsubscribed from; with an `over$` from `carryOver`, when this `over$` has completed |
 * | a promise | when it has settled |
 * | an async iterable | when it has ended; at once if nothing has subscribed to its values |
 * | any other value | at once |
 */
function workOf<Output>(output: Output): Work<ValueOf<Output>> {
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

/** Attaches `over$` to `values$`: its work is over when `over$` has completed. */
export function carryOver<Values extends Observable<unknown>>(values$: Values, over$: Observable<never>): Values {
  return Object.assign(values$, { [overName]: over$ });
}

/** The work that an Observable has begun for its subscribers. */
export class OngoingWork {
  readonly #ongoing = new Set<Observable<never>>();

  /** Completes when all work that was started before the subscription has ended. */
  readonly over$: Observable<never> = defer(() => merge(...this.#ongoing));

  /** Begins work, for which a subscriber of `over$` waits even before `work` has returned. */
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
