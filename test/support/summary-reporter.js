import { relative } from 'node:path';
import process from 'node:process';

/**
 * Prints little about a run of all tests: how long it takes, its progress, each failure, what test
 * files print outside of tests, and a summary.
 */
export default class SummaryReporter {
  #files = 0;
  #done = 0;
  #passed = 0;
  #start = 0;
  /** The time of the last line of progress. */
  #reported = 0;

  constructor(_config, { print = (text) => process.stderr.write(text), now = () => Date.now() } = {}) {
    this.print = print;
    this.now = now;
  }

  onRunStart({ numTotalTestSuites }) {
    this.#files = numTotalTestSuites;
    this.#start = this.now();
    this.#reported = this.#start;
    this.print(
      `${numTotalTestSuites} test files; about two minutes on two processors that do nothing else. ` +
        '`npm test -- test/store` runs a folder.\n',
    );
  }

  /**
   * Prints a line of progress every five seconds at first, and later whenever the run has become a
   * fifth longer, so that a slow run prints hardly more lines. Counts tests, because the files that
   * jest starts first take the longest.
   */
  onTestCaseResult(_test, { status }) {
    if (status === 'passed') this.#passed++;
    const now = this.now();
    if (now - this.#reported < Math.max(5_000, (now - this.#start) / 5)) return;
    this.#reported = now;
    this.print(`${this.#done} of ${this.#files} files, ${this.#passed} tests passed, ${this.#seconds()} s\n`);
  }

  onTestResult({ path }, { failureMessage, console: output }) {
    if (failureMessage) this.print(`\nFAIL ${relative('', path)}\n${failureMessage}\n`);
    for (const { message } of output ?? []) this.print(`${relative('', path)} printed: ${message}\n`);
    this.#done++;
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
