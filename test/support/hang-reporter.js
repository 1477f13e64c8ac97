import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';

/** Several times what the longest test file takes on a busy machine, in milliseconds. */
const longest = 300_000;

/**
 * Ends the run if a test file takes longer than five minutes, and prints the name of the file.
 *
 * Jest cannot do that: `testTimeout` ends a test that waits, but not one in an endless loop, and the
 * run would wait for it for ever without a word. A file that runs alone or with `--runInBand` is not
 * ended, because it shares a process with this reporter.
 */
export default class HangReporter {
  #workers = new Set();
  #timers = new Map();

  constructor(_config, { limit = longest } = {}) {
    this.limit = limit;
    subscribe('child_process', ({ process: worker }) => {
      this.#workers.add(worker);
    });
  }

  onTestFileStart({ path }) {
    this.#timers.set(path, setTimeout(() => this.#end(path), this.limit).unref());
  }

  onTestFileResult({ path }) {
    clearTimeout(this.#timers.get(path));
  }

  #end(path) {
    process.stderr.write(`\nHANG ${relative('', path)} has not ended within ${this.limit / 1_000} s: the run ends.\n`);
    // A worker in an endless loop heeds no other signal, and would outlive the run.
    for (const worker of this.#workers) worker.kill('SIGKILL');
    process.exit(1);
  }
}
