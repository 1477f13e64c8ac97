/** What the conformance suites need of a test runner; jest, vitest, mocha and `node:test` all have it. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, test: () => void | Promise<void>) => unknown;
}

/** The runner that was given, completed by the globals `describe` and `it`; throws `TypeError` where there are none. */
export function testRunner(given: Partial<TestRunner> = {}): TestRunner {
  const { describe, it } = { ...(globalThis as unknown as Partial<TestRunner>), ...given };
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new TypeError('there is no global describe and it: pass those of your test runner, { describe, it }');
}
