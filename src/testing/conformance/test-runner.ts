import { RxInformersError } from '../../kubernetes/errors.js';

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

/** Completes the runner with the globals. Throws a `TypeError` without `describe` or `it`. */
export function testRunner(given: Partial<TestRunner> = {}): TestRunner {
  const { describe, it } = { ...(globalThis as unknown as Partial<TestRunner>), ...given };
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new TypeError('there is no global describe and it: pass those of your test runner, { describe, it }');
}

/**
 * A test of a conformance suite failed. Test runners show the difference between `actual` and
 * `expected`.
 *
 * **What to do**: Correct the implementation under test; the message names the rule.
 */
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

/** Throws `ConformanceError` if two values differ as JSON. The order of fields counts. */
export function expectSame(promise: string, actual: unknown, expected: unknown): void {
  if (textOf(actual) !== textOf(expected)) throw new ConformanceError(promise, actual, expected);
}

/** Throws `ConformanceError` for `false`. */
export function expectTrue(promise: string, actual: boolean): void {
  expectSame(promise, actual, true);
}

function textOf(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
