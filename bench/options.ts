import { Command, InvalidArgumentError } from 'commander';
import { ROUNDS } from './model/scenario.js';

/** The options of the command line. */
export type BenchOptions =
  | {
      readonly task: 'measure';
      readonly scale: 'full' | 'quick';
      /**
       * The number of rounds. `undefined`: the number of each scenario, or 5 if a scenario has
       * none.
       */
      readonly rounds: number | undefined;
      /** The names of scenarios to run. `undefined`: all scenarios. */
      readonly only: readonly string[] | undefined;
      /** The folder for the results. `undefined`: no results are written. */
      readonly output: string | undefined;
    }
  | { readonly task: 'page' | 'check'; readonly output: string }
  /** `base` is the folder of the results to compare with. */
  | { readonly task: 'compare'; readonly base: string; readonly output: string };

interface Flags {
  readonly quick?: true;
  readonly rounds?: number;
  readonly only?: readonly string[];
  readonly output?: string;
  readonly page?: true;
  readonly check?: true;
  readonly compare?: string;
}

const DEFAULT_OUTPUT = 'docs/performance';

/**
 * Parses the command line. If it is wrong, prints a message and ends the process. With
 * `exitOverride`, throws instead.
 */
export function parseOptions(
  parameters: readonly string[],
  names: readonly string[],
  command: Command = new Command('bench'),
): BenchOptions {
  command
    .description(
      'Measures this library, its peers and the floor, and writes results, charts and the pages that show them.',
    )
    .option('--quick', 'small and once: says that everything still works, and writes nothing unless --output is given')
    .option(
      '--rounds <count>',
      `how often each contestant runs (default: as the scenario says, or ${ROUNDS})`,
      positiveInteger,
    )
    .option('--only <scenarios...>', 'measures these again, and keeps the results of the others; also as a,b,c')
    .option('--output <folder>', `where results.json and the charts go (default: ${DEFAULT_OUTPUT})`)
    .option('--page', 'measures nothing: writes page and charts again from results.json, and the scenarios')
    .option('--check', 'measures nothing: fails if page and charts are not what --page would write')
    .option(
      '--compare <folder>',
      'measures nothing: prints Markdown that compares results.json with the one of a folder',
    )
    .addHelpText('after', `\nScenarios: ${names.join(', ')}`);
  command.parse(parameters, { from: 'user' });
  const { quick = false, rounds, output, page = false, check = false, compare, ...flags } = command.opts<Flags>();
  const only = flags.only?.flatMap((names) => names.split(','));

  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) command.error(`there is no scenario ${unknown.join(', ')}; there are ${names.join(', ')}`);
  const tasks = [page, check, compare !== undefined].filter(Boolean).length;
  if (tasks > 0) {
    if (tasks > 1 || quick || rounds !== undefined || only !== undefined) {
      command.error('--page, --check and --compare stand alone, or with --output');
    }
    if (compare !== undefined) return { task: 'compare', base: compare, output: output ?? DEFAULT_OUTPUT };
    return { task: page ? 'page' : 'check', output: output ?? DEFAULT_OUTPUT };
  }
  if (quick && rounds !== undefined) command.error('--quick is one round');
  return quick
    ? { task: 'measure', scale: 'quick', rounds: 1, only, output }
    : { task: 'measure', scale: 'full', rounds, only, output: output ?? DEFAULT_OUTPUT };
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It takes a positive whole number.');
  return value;
}
