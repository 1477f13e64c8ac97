import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../support/parse-duration.js';

/** What the command line says. */
export interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  /** Milliseconds after which to stop; without it, until Ctrl-C. */
  readonly duration?: number;
  readonly nodes: number;
  readonly pods: number;
  readonly rate: number;
}

/** Reads the command line; prints help or what is wrong with it, and exits, by itself. */
export function parseOptions(argv: readonly string[]): Options {
  return new Command('pods-by-node')
    .description(
      'Shows the pods of a cluster by node and by app, live. Without --kubeconfig or --context it starts an API server of its own, with pods that come and go.',
    )
    .option('--kubeconfig <file>', 'the cluster of this kubeconfig instead of the embedded one')
    .option('--context <name>', 'the context of the kubeconfig (without --kubeconfig: of the default one)')
    .option('-n, --namespace <name>', 'only this namespace (default: all)')
    .option('--duration <time>', 'stop after this time, for example 10s or 5m', parseDuration)
    .addOption(new Option('--nodes <count>', 'nodes of the embedded cluster').default(8).argParser(parseCount))
    .addOption(new Option('--pods <count>', 'pods of the embedded cluster').default(200).argParser(parseCount))
    .addOption(
      new Option('--rate <count>', 'changes a second in the embedded cluster').default(20).argParser(parseCount),
    )
    .parse(argv)
    .opts<Options>();
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('give a whole number of at least 1.');
  return count;
}
