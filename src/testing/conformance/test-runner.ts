import { RxInformersError, invalidOptionError } from '../../kubernetes/errors.js';

/** What the suites need of a test runner: Jest, Vitest, Mocha and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, test: () => void | Promise<void>) => unknown;
}

/** Options of both conformance suites. */
export interface ConformanceOptions extends Partial<TestRunner> {
  /** The implementation in the report; default `the collection` or `the source`. */
  readonly name?: string | undefined;
}

/**
 * Completes the runner with the globals. Throws `RXI_INVALID_OPTION` without `describe` or `it`.
 */
export function testRunner(partial: Partial<TestRunner> = {}): TestRunner {
  const { describe, it } = { ...(globalThis as unknown as Partial<TestRunner>), ...partial };
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw invalidOptionError(
    'the test runner',
    undefined,
    '{ describe, it }, because there is no global describe and it',
  );
}

function conformanceError(promise: string, actual: unknown, expected: unknown): RxInformersError<'RXI_CONFORMANCE'> {
  const message = `${promise}\n  expected: ${valueText(expected)}\n  actual:   ${valueText(actual)}`;
  return new RxInformersError('RXI_CONFORMANCE', message, { promise, actual, expected });
}

/** Throws `RXI_CONFORMANCE` if two values differ as JSON. The order of fields counts. */
export function expectSame(promise: string, actual: unknown, expected: unknown): void {
  if (valueText(actual) !== valueText(expected)) throw conformanceError(promise, actual, expected);
}

/** Throws `RXI_CONFORMANCE` for `false`. */
export function expectTrue(promise: string, actual: boolean): void {
  expectSame(promise, actual, true);
}

function valueText(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
