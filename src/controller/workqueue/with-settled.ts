import { AsyncSubject, defer, EMPTY, from, isObservable, merge, mergeAll, type Observable, of, tap } from 'rxjs';

/**
 * Values of work that may go on after they were unsubscribed from, as a promise does. `whileOwned`
 * and `withFinalizer` return it. An operator returns a plain Observable; wrap that in
 * `withSettled`.
 */
export interface Work<T> extends Observable<T> {
  /** Completes when the work for subscribers of the values has ended. Never errors. */
  readonly settled$: Observable<never>;
}

/**
 * Adds the end of the work to its values. A queue that ends a run early, for example after its
 * `timeout`, runs the key again only after `settled$` has completed.
 *
 * @param values$ the values; the same Observable is returned
 * @param settled$ completes when the work behind the values has ended, and never errors
 * @returns the values, to be returned from a run
 * @example
 * import { map } from 'rxjs';
 * import { withSettled, type Work } from 'rx-informers/controller';
 *
 * const asText = (owned: Work<number>): Work<string> =>
 *   withSettled(owned.pipe(map(String)), owned.settled$);
 */
export function withSettled<Values extends Observable<unknown>>(
  values$: Values,
  settled$: Observable<never>,
): Values & Pick<Work<unknown>, 'settled$'> {
  return Object.assign(values$, { settled$ });
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
export interface StartedWork<Value> {
  readonly values$: Observable<Value>;
  /** Completes when the work has ended, also without a subscriber to its values. Never errors. */
  readonly settled$: Observable<never>;
  /** True if the work may go on after its values have completed or errored. */
  readonly outlivesValues: boolean;
}

/**
 * Returns the work behind the result of a function.
 *
 * | output | has ended |
 * | --- | --- |
 * | an Observable | when it has completed, errored or was unsubscribed from; `Work` when its
 * `settled$` has completed |
 * | a promise | when it has settled |
 * | an async iterable | when it has ended; at once if nothing has subscribed to its values |
 * | any other value | at once |
 */
export function workOf<Output>(output: Output): StartedWork<ValueOf<Output>> {
  return anyWorkOf(output) as StartedWork<ValueOf<Output>>;
}

function anyWorkOf(output: unknown): StartedWork<unknown> {
  if (isObservable(output)) {
    const { settled$ = EMPTY } = output as Partial<Work<unknown>>;
    return { values$: output, settled$, outlivesValues: settled$ !== EMPTY };
  }
  if (isPromiseLike(output)) {
    // `then` is called once: some thenables do their work again with each call.
    const promise = Promise.resolve(output);
    const settled$ = new AsyncSubject<never>();
    const settled = (): void => settled$.complete();
    void promise.then(settled, settled);
    return { values$: from(promise), settled$, outlivesValues: false };
  }
  if (isAsyncIterable(output)) {
    const ended = new AsyncSubject<never>();
    let hasStarted = false;
    const values$ = defer(() => {
      hasStarted = true;
      return completeAfter(output, ended);
    });
    return { values$, settled$: defer(() => (hasStarted ? ended : EMPTY)), outlivesValues: false };
  }
  return { values$: output === undefined ? EMPTY : of(output), settled$: EMPTY, outlivesValues: false };
}

/** The work that an Observable has begun for its subscribers. */
export class OngoingWork {
  readonly #ongoing = new Set<Observable<never>>();

  /** Completes when all work that was started before the subscription has ended. */
  readonly settled$: Observable<never> = defer(() => merge(...this.#ongoing));

  /** Begins work, for which a subscriber of `settled$` waits even before `begin` has returned. */
  begin<Output>(begin: () => Output): Observable<ValueOf<Output>> {
    const started = new AsyncSubject<Observable<never>>();
    const ongoing$ = started.pipe(mergeAll());
    this.#ongoing.add(ongoing$);
    try {
      const { values$, settled$ } = workOf(begin());
      started.next(settled$);
      const ended = (): void => {
        settled$.subscribe({ complete: () => void this.#ongoing.delete(ongoing$) });
      };
      return values$.pipe(tap({ complete: ended, error: ended, unsubscribe: ended }));
    } finally {
      started.complete();
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

async function* completeAfter(iterable: AsyncIterable<unknown>, ended: AsyncSubject<never>): AsyncGenerator {
  try {
    yield* iterable;
  } finally {
    ended.complete();
  }
}
