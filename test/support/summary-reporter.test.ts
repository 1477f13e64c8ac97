import { join } from 'node:path';

interface Reporter {
  onRunStart(totals: object): void;
  onTestCaseResult(test: object, result: { readonly status: string }): void;
  onTestResult(file: { readonly path: string }, result: object, totals: object): void;
  onRunComplete(contexts: unknown, totals: object): void;
}

/** The reporter. It is JavaScript without types, because jest loads reporters as they are. */
const program = join(import.meta.dirname, 'summary-reporter.js');
const { default: SummaryReporter } = (await import(program)) as {
  readonly default: new (config: object, options: { print(text: string): void; now(): number }) => Reporter;
};

function reporter(now = () => 0): { readonly reporter: Reporter; readonly printed: string[] } {
  const printed: string[] = [];
  const print = (text: string): void => {
    printed.push(text);
  };
  return { reporter: new SummaryReporter({}, { print, now }), printed };
}

describe('the reporter of a run of all tests', () => {
  /** Returns the lines of progress of a run in which a test passes each second. */
  function progressOf(seconds: number): readonly string[] {
    let time = 0;
    const { reporter: summary, printed } = reporter(() => time);
    summary.onRunStart({ numTotalTestSuites: 100 });
    printed.length = 0;
    for (let second = 1; second <= seconds; second++) {
      time = second * 1_000;
      summary.onTestCaseResult({}, { status: 'passed' });
    }
    return printed;
  }

  it('prints progress every five seconds at first, before the first file has ended', () => {
    expect(progressOf(15)).toEqual([
      '0 of 100 files, 5 tests passed, 5 s\n',
      '0 of 100 files, 10 tests passed, 10 s\n',
      '0 of 100 files, 15 tests passed, 15 s\n',
    ]);
  });

  it('prints at most 30 lines of progress, also if the run takes half an hour', () => {
    expect(progressOf(120).length).toBeLessThan(20);
    expect(progressOf(1_800).length).toBeLessThanOrEqual(30);
  });

  it('counts the files that have ended, and the tests that passed', () => {
    let time = 0;
    const { reporter: summary, printed } = reporter(() => time);
    summary.onRunStart({ numTotalTestSuites: 100 });
    summary.onTestCaseResult({}, { status: 'passed' });
    summary.onTestResult({ path: 'a.test.ts' }, {}, {});
    summary.onTestCaseResult({}, { status: 'failed' });
    time = 6_000;
    summary.onTestCaseResult({}, { status: 'passed' });

    expect(printed.at(-1)).toBe('1 of 100 files, 2 tests passed, 6 s\n');
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
