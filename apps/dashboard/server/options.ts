import { Command, InvalidArgumentError, Option } from 'commander';
import { addWorkloadOptions, type WorkloadOptions } from './cluster-options.js';

/** The options of the command line. */
export interface Options extends WorkloadOptions {
  readonly kubeconfig?: string;
  /** The contexts to show. The first one is served at the root. */
  readonly context?: readonly string[];
  /** The only namespace to request. */
  readonly namespace?: string;
  /** The TCP port; 0 selects a free one. */
  readonly port: number;
  readonly allowWrites: boolean;
  readonly secrets: boolean;
  /** The folder of the built page; default: the output folder of the build. */
  readonly page?: string;
}

/** Parses the command line. Exits after printing the help, or an error for wrong arguments. */
export function parseOptions(argv: readonly string[]): Options {
  const command = new Command('dashboard')
    .description(
      'Serves the dashboard on this machine only. Without --kubeconfig or --context it starts an API server of its own, with pods that come and go.',
    )
    .option('--kubeconfig <file>', 'the cluster of this kubeconfig instead of the embedded one')
    .addOption(
      new Option(
        '--context <name>',
        'the context of the kubeconfig (without --kubeconfig: of the default one); once for each cluster to show',
      ).argParser((name: string, before: readonly string[] | undefined) => [...(before ?? []), name]),
    )
    .option('--namespace <name>', 'ask for this namespace only')
    .option(
      '--allow-writes',
      'let the page edit, scale, restart, delete and evict existing objects; without it, the page is read-only',
      false,
    )
    .option('--secrets', 'pass on the content of Secrets; without it, only their names and metadata', false)
    .addOption(
      new Option('--port <number>', 'the port to listen on; 0 picks a free one').default(8080).argParser(parsePort),
    )
    .option('--page <folder>', 'the built page (default: the output of the last build)');
  return addWorkloadOptions(command, { nodes: 12, pods: 500, rate: 20 }).parse(argv).opts<Options>();
}

/** Parses a TCP port from the command line. 0 selects a free one. */
function parsePort(text: string): number {
  const port = Number(text);
  if (text === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('use a whole number from 0 to 65535.');
  }
  return port;
}
