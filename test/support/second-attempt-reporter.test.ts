import { join } from 'node:path';

interface Reporter {
  onTestResult(file: { readonly path: string }, result: { readonly testResults: readonly object[] }): void;
  onRunComplete(): void;
}

/** The reporter. It is JavaScript without types, because jest loads reporters as they are. */
const program = join(import.meta.dirname, 'second-attempt-reporter.js');
const { default: SecondAttemptReporter } = (await import(program)) as {
  readonly default: new (config: object, options: { print(text: string): void }) => Reporter;
};

function printedAfter(testResults: readonly object[]): string {
  let printed = '';
  const reporter = new SecondAttemptReporter({}, { print: (text: string) => (printed += text) });
  reporter.onTestResult({ path: join(process.cwd(), 'test/cluster/paging.test.ts') }, { testResults });
  reporter.onRunComplete();
  return printed;
}

describe('the reporter of second attempts', () => {
  it('names the tests that passed only at their second attempt, with their file', () => {
    const printed = printedAfter([
      { status: 'passed', invocations: 1, fullName: 'the page is live' },
      { status: 'passed', invocations: 2, fullName: 'a list has pages' },
      { status: 'failed', invocations: 2, fullName: 'the page draws' },
    ]);

    expect(printed).toContain('PASSED ONLY AT THE SECOND ATTEMPT, 1:\n');
    expect(printed).toContain('test/cluster/paging.test.ts: a list has pages\n');
    expect(printed).not.toMatch(/is live|draws/);
  });

  it('prints nothing if every test passed at once', () => {
    expect(printedAfter([{ status: 'passed', invocations: 1, fullName: 'the page is live' }])).toBe('');
  });
});
