import { Command, InvalidArgumentError } from 'commander';

/** What the command line asks for. */
export type BenchOptions =
  | {
      readonly task: 'measure';
      readonly scale: 'full' | 'quick';
      readonly rounds: number;
      /** Names of scenarios, `undefined` for all. */
      readonly only: readonly string[] | undefined;
      /** `undefined`: nothing is written. */
      readonly output: string | undefined;
    }
  | { readonly task: 'page' | 'check'; readonly output: string };

interface Flags {
  readonly quick?: true;
  readonly rounds?: number;
  readonly only?: readonly string[];
  readonly output?: string;
  readonly page?: true;
  readonly check?: true;
}

const ROUNDS = 5;
const DEFAULT_OUTPUT = 'docs/performance';

/** Ends the process with a sentence when the command line is wrong; with `exitOverride`, throws instead. */
export function parseOptions(
  parameters: readonly string[],
  names: readonly string[],
  command: Command = new Command('bench'),
): BenchOptions {
  command
    .description('Measures this library, its peers and the floor, and writes results, charts and docs/performance.md.')
    .option('--quick', 'small and once: says that everything still works, and writes nothing unless --output is given')
    .option('--rounds <count>', `how often each contestant runs (default: ${ROUNDS})`, positiveInteger)
    .option('--only <scenarios...>', 'measures these again, and keeps the results of the others')
    .option('--output <folder>', `where results.json and the charts go (default: ${DEFAULT_OUTPUT})`)
    .option('--page', 'measures nothing: writes page and charts again from results.json, the scenarios and the notes')
    .option('--check', 'measures nothing: fails if page and charts are not what --page would write')
    .addHelpText('after', `\nScenarios: ${names.join(', ')}`);
  command.parse(parameters, { from: 'user' });
  const { quick = false, rounds, only, output, page = false, check = false } = command.opts<Flags>();

  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0) command.error(`there is no scenario ${unknown.join(', ')}; there are ${names.join(', ')}`);
  if (page || check) {
    if ((page && check) || quick || rounds !== undefined || only !== undefined) {
      command.error('--page and --check stand alone, or with --output');
    }
    return { task: page ? 'page' : 'check', output: output ?? DEFAULT_OUTPUT };
  }
  if (quick && rounds !== undefined) command.error('--quick is one round');
  return quick
    ? { task: 'measure', scale: 'quick', rounds: 1, only, output }
    : { task: 'measure', scale: 'full', rounds: rounds ?? ROUNDS, only, output: output ?? DEFAULT_OUTPUT };
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It takes a positive whole number.');
  return value;
}
