import { join } from 'node:path';

interface Reporter {
  onRunStart(totals: object): void;
  onTestResult(file: { readonly path: string }, result: object, totals: object): void;
  onRunComplete(contexts: unknown, totals: object): void;
}

/** The reporter. It is JavaScript without types, because jest loads reporters as they are. */
const program = join(import.meta.dirname, 'summary-reporter.js');
const { default: SummaryReporter } = (await import(program)) as {
  readonly default: new (config: object, options: { print(text: string): void; now(): number }) => Reporter;
};

function reporter(): { readonly reporter: Reporter; readonly printed: string[] } {
  const printed: string[] = [];
  const print = (text: string): void => {
    printed.push(text);
  };
  return { reporter: new SummaryReporter({}, { print, now: () => 0 }), printed };
}

describe('the reporter of a run of all tests', () => {
  it('prints ten lines of progress for a hundred test files that pass', () => {
    const { reporter: summary, printed } = reporter();
    summary.onRunStart({ numTotalTestSuites: 100 });
    printed.length = 0;
    for (let passed = 1; passed <= 100; passed++)
      summary.onTestResult({ path: 'a.test.ts' }, {}, { numTotalTestSuites: 100, numPassedTests: passed });

    expect(printed).toHaveLength(10);
    expect(printed.at(-1)).toBe('100 % of the files, 100 tests passed, 0 s\n');
  });

  it('prints each failure at once, and what a file prints outside of its tests', () => {
    const { reporter: summary, printed } = reporter();
    const result = { failureMessage: 'expected 1, received 2', console: [{ message: 'loading' }] };
    summary.onTestResult({ path: 'a.test.ts' }, result, { numTotalTestSuites: 100, numPassedTests: 0 });

    expect(printed).toEqual(['\nFAIL a.test.ts\nexpected 1, received 2\n', 'a.test.ts printed: loading\n']);
  });

  it('prints how many tests and files failed', () => {
    const { reporter: summary, printed } = reporter();
    const totals = { numPassedTests: 8, numFailedTests: 2, numFailedTestSuites: 1, numTotalTestSuites: 3 };
    summary.onRunComplete(new Set(), totals);

    expect(printed.join('')).toContain('Tests:       2 failed, 8 passed\nTest files:  1 failed, 3 in total\n');
  });
});
