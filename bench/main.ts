import { problemsOfScenarios } from './model/check-scenarios.js';
import { parseOptions } from './options.js';
import { comparison } from './report/comparison.js';
import { differencesFrom, filesOf, readMeasurements, writeFiles } from './report/publication.js';
import { measureAll, MixedScalesError } from './run/measure-all.js';
import { WorkerError } from './run/worker.js';
import { scenarios } from './scenarios.js';

const options = parseOptions(
  process.argv.slice(2),
  scenarios.map(({ name }) => name),
);
const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());

try {
  process.exitCode = (await carryOut()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof WorkerError || error instanceof MixedScalesError ? error.message : error);
  process.exitCode = 1;
}

/** Returns true if everything succeeded. A missed target is only printed, and is not a failure. */
async function carryOut(): Promise<boolean> {
  const problems = problemsOfScenarios(scenarios);
  if (problems.length > 0) return complain(problems);
  if (options.task === 'measure') {
    await measureAll(scenarios, { ...options, signal: interruption.signal });
    return true;
  }

  const { output: folder } = options;
  if (options.task === 'compare') {
    console.log(comparison(scenarios, readMeasurements(options.base), readMeasurements(folder)));
    return true;
  }
  const files = await filesOf(scenarios, readMeasurements(folder), { folder, hasPages: true });
  if (options.task === 'check') return complain(differencesFrom(files, folder));
  writeFiles(files);
  console.log([...files.keys()].join('\n'));
  return true;
}

function complain(problems: readonly string[]): boolean {
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}
