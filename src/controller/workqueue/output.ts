import { EMPTY, from, isObservable, of, type Observable } from 'rxjs';

/** What a function gives, whatever way it gives it: the values of an Observable, a promise or an async iterable, or the value itself. */
export type ValueOf<Output> =
  Output extends Observable<infer Value>
    ? Value
    : Output extends PromiseLike<infer Value>
      ? Value
      : Output extends AsyncIterable<infer Value>
        ? Value
        : Output;

/** The values of what a function has given back; `undefined` is none. */
export function valuesOf(output: unknown): Observable<unknown> {
  if (isObservable(output)) return output;
  if (isPromiseLike(output) || isAsyncIterable(output)) return from(output);
  return output === undefined ? EMPTY : of(output);
}

export function isPromiseLike(output: unknown): output is PromiseLike<unknown> {
  return typeof (output as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

export function isAsyncIterable(output: unknown): output is AsyncIterable<unknown> {
  const candidate = output as { readonly [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof candidate?.[Symbol.asyncIterator] === 'function';
}
