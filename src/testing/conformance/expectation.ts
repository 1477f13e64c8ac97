import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** A promise of the suite that was not kept; `actual` and `expected` are what test runners show a difference of. */
export class ConformanceError extends RxInformersError {
  static override readonly code = 'RXI_CONFORMANCE';
  override readonly name = 'ConformanceError';
  constructor(
    readonly promise: string,
    readonly actual: unknown,
    readonly expected: unknown,
  ) {
    super(`${promise}\n  expected: ${textOf(expected)}\n  actual:   ${textOf(actual)}`);
  }
}

/** Compares what can be written as JSON; objects by their content, in the order of their fields. */
export function expectSame(promise: string, actual: unknown, expected: unknown): void {
  if (textOf(actual) !== textOf(expected)) throw new ConformanceError(promise, actual, expected);
}

export function expectTrue(promise: string, actual: boolean): void {
  expectSame(promise, actual, true);
}

function textOf(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
