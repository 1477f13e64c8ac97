import { relative } from 'node:path';
import process from 'node:process';

/**
 * Prints, at the end of a run, the name of each test that passed only at its second attempt. Such a
 * test is not reliable and must be repaired.
 */
export default class SecondAttemptReporter {
  #names = [];

  constructor(_config, { print = (text) => process.stderr.write(text) } = {}) {
    this.print = print;
  }

  onTestResult({ path }, { testResults }) {
    for (const { status, invocations = 1, fullName } of testResults)
      if (status === 'passed' && invocations > 1) this.#names.push(`${relative('', path)}: ${fullName}`);
  }

  onRunComplete() {
    if (this.#names.length === 0) return;
    const lines = this.#names.map((name) => `  ${name}\n`);
    this.print(`\nPASSED ONLY AT THE SECOND ATTEMPT, ${this.#names.length}:\n${lines.join('')}`);
  }
}
