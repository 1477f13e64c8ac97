import { relative } from 'node:path';
import process from 'node:process';

/**
 * Prints little about a run of all tests: how long it takes, its progress, each failure, what test
 * files print outside of tests, and a summary.
 */
export default class SummaryReporter {
  #done = 0;
  #reported = 0;
  #start = 0;

  constructor(_config, { print = (text) => process.stderr.write(text), now = () => Date.now() } = {}) {
    this.print = print;
    this.now = now;
  }

  onRunStart({ numTotalTestSuites }) {
    this.#start = this.now();
    this.print(
      `${numTotalTestSuites} test files; about two minutes on two processors that do nothing else. ` +
        '`npm test -- test/store` runs a folder.\n',
    );
  }

  onTestResult({ path }, { failureMessage, console: output }, { numTotalTestSuites, numPassedTests }) {
    if (failureMessage) this.print(`\nFAIL ${relative('', path)}\n${failureMessage}\n`);
    for (const { message } of output ?? []) this.print(`${relative('', path)} printed: ${message}\n`);
    this.#done++;
    // Ten lines of progress.
    const tenths = Math.floor((this.#done * 10) / numTotalTestSuites);
    if (tenths === this.#reported) return;
    this.#reported = tenths;
    this.print(`${tenths * 10} % of the files, ${numPassedTests} tests passed, ${this.#seconds()} s\n`);
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numFailedTestSuites, numTotalTestSuites }) {
    this.print(
      `\nTests:       ${numFailedTests > 0 ? `${numFailedTests} failed, ` : ''}${numPassedTests} passed\n` +
        `Test files:  ${numFailedTestSuites > 0 ? `${numFailedTestSuites} failed, ` : ''}${numTotalTestSuites} in total\n` +
        `Time:        ${this.#seconds()} s\n`,
    );
  }

  #seconds() {
    return Math.round((this.now() - this.#start) / 1_000);
  }
}
