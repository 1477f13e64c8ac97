import { AsyncSubject, catchError, defer, EMPTY, from, ignoreElements, isObservable, of, type Observable } from 'rxjs';
import { isAsyncIterable, isPromiseLike, type ValueOf } from '../workqueue/output.js';

/** Work that has begun. */
export interface Work<Value> {
  readonly values$: Observable<Value>;
  /** Completes when nothing of it goes on any more, though nobody may be subscribed to its values; never errors. */
  readonly over$: Observable<never>;
}

/** What a function has given back, as work: an Observable ends with its subscription, a promise or an async iterable when it likes. */
export function workOf<Output>(output: Output): Work<ValueOf<Output>> {
  return anyWorkOf(output) as Work<ValueOf<Output>>;
}

function anyWorkOf(output: unknown): Work<unknown> {
  if (isObservable(output)) return { values$: output, over$: EMPTY };
  if (isPromiseLike(output)) {
    const values$ = from(output);
    return {
      values$,
      over$: values$.pipe(
        ignoreElements(),
        catchError(() => EMPTY),
      ),
    };
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
    };
  }
  return { values$: output === undefined ? EMPTY : of(output), over$: EMPTY };
}

async function* untilOver(iterable: AsyncIterable<unknown>, over: AsyncSubject<never>): AsyncGenerator {
  try {
    yield* iterable;
  } finally {
    over.complete();
  }
}
