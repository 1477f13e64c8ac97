import { join } from 'node:path';

interface Reporter {
  onRunStart(): void;
  onTestResult(file: { readonly path: string }, result: { readonly testResults: readonly object[] }): void;
  onRunComplete(): void;
}

/** The reporter. It is JavaScript without types, because jest loads reporters as they are. */
const program = join(import.meta.dirname, 'seed-reporter.js');
const root = join(import.meta.dirname, '../..');
const { default: SeedReporter } = (await import(program)) as {
  readonly default: new (config: object, options: object) => Reporter;
};

function printedAfter(testResults: readonly object[], options: object = {}): string {
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const reporter = new SeedReporter({}, { print, house: root, argv: [], ...options });
  reporter.onRunStart();
  reporter.onTestResult({ path: join(root, 'test/store/model.test.ts') }, { testResults });
  reporter.onRunComplete();
  return printed;
}

describe('the reporter of the seed', () => {
  const failed = [
    { status: 'passed', fullName: 'a list has pages' },
    { status: 'failed', fullName: "G2: a (rare) user's case" },
  ];

  it('prints the seed', () => {
    expect(printedAfter([])).toMatch(/^Random tests run with SEED=\d+ RUNS=\d+\.\n$/);
  });

  it('prints the command that repeats a failed test', () => {
    expect(printedAfter(failed)).toContain(
      String.raw`npm test -- test/store/model.test.ts -t 'G2: a \(rare\) user'\''s case$'` + '\n',
    );
    expect(printedAfter(failed)).not.toContain('pages');
  });

  it('names the house and the configuration in it', () => {
    const options = { house: join(root, 'apps/dashboard'), argv: ['--config', 'jest.browser.config.js'] };
    expect(printedAfter(failed, options)).toContain(
      'npm test --prefix apps/dashboard -- --config jest.browser.config.js test/store/model.test.ts',
    );
  });
});
