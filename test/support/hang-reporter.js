import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { runs } from './seed.js';

/**
 * The limit for one test file, in milliseconds. It is several times the duration of the longest
 * test file on a busy machine.
 */
const longest = 300_000 * runs;

/**
 * Ends the run if a test file takes longer than five minutes, multiplied by `RUNS`, and prints the
 * name of the file.
 *
 * Jest cannot do this itself. `testTimeout` ends a test that waits, but not a test in an endless
 * loop. The run would wait for such a test forever, without a message. A file that runs alone or
 * with `--runInBand` is not ended, because it shares a process with this reporter.
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
    // A worker in an endless loop ignores all other signals, and would continue after the run.
    for (const worker of this.#workers) worker.kill('SIGKILL');
    process.exit(1);
  }
}
