import { inspect } from 'node:util';
import { catchError, filter, firstValueFrom, tap, throwError, timeout, TimeoutError, type Observable } from 'rxjs';

/**
 * Resolves with the first value that fulfils the condition. If no value does so in time, rejects
 * with the last value.
 *
 * @param within the time limit, in milliseconds
 */
export function eventually<T, S extends T>(
  values$: Observable<T>,
  condition: (value: T) => value is S,
  within?: number,
): Promise<S>;
export function eventually<T>(values$: Observable<T>, condition: (value: T) => boolean, within?: number): Promise<T>;
export function eventually<T>(values$: Observable<T>, condition: (value: T) => boolean, within = 120_000): Promise<T> {
  let last: { readonly value: T } | undefined;
  return firstValueFrom(
    values$.pipe(
      tap((value) => (last = { value })),
      filter(condition),
      timeout({ first: within }),
      catchError((error: unknown) =>
        throwError(() => (error instanceof TimeoutError ? new NeverError(within, last) : error)),
      ),
    ),
  );
}

/** Thrown if no value fulfils the condition in time. */
export class NeverError extends Error {
  override readonly name = 'NeverError';
  constructor(
    readonly within: number,
    readonly last: { readonly value: unknown } | undefined,
  ) {
    const seen = last === undefined ? 'nothing was emitted' : `the last value was ${describe(last.value)}`;
    super(`it did not happen within ${within} ms; ${seen}`);
  }
}

function describe(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: Infinity }).slice(0, 2_000);
}
