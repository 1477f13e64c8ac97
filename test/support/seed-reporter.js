import { join, relative, sep } from 'node:path';
import process from 'node:process';
import { runs, seed, variables } from './seed.js';

const root = join(import.meta.dirname, '../..');
const toPosix = (path) => path.replaceAll(sep, '/');

/**
 * Prints the seed of the run, and for each test that failed the command that repeats it.
 */
export default class SeedReporter {
  #failed = [];

  constructor(
    _config,
    { print = (text) => process.stderr.write(text), house = process.cwd(), argv = process.argv } = {},
  ) {
    this.print = print;
    const prefix = toPosix(relative(root, house));
    const config = argv[argv.indexOf('--config') + 1];
    this.command =
      `${variables}npm test ${prefix === '' ? '' : `--prefix ${prefix} `}--` +
      (argv.includes('--config') ? ` --config ${config}` : '');
  }

  onRunStart() {
    this.print(`Random tests run with SEED=${seed} RUNS=${runs}.\n`);
  }

  onTestResult({ path }, { testResults, testExecError }) {
    const file = toPosix(relative(root, path));
    if (testExecError) this.#failed.push(file);
    for (const { status, fullName } of testResults)
      if (status === 'failed') this.#failed.push(`${file} -t ${quoted(`${escaped(fullName)}$`)}`);
  }

  onRunComplete() {
    if (this.#failed.length === 0) return;
    this.print(`\nTo repeat what failed:\n${this.#failed.map((each) => `  ${this.command} ${each}\n`).join('')}`);
  }
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
