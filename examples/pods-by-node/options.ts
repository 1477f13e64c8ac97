import { Command } from 'commander';
import {
  addClusterOptions,
  addWorkloadOptions,
  type ClusterOptions,
  type WorkloadOptions,
} from '../support/cluster-options.js';
import { parseDuration } from '../support/parse-duration.js';

/** The options of the command line. */
export interface Options extends ClusterOptions, WorkloadOptions {
  readonly namespace?: string;
  /** Milliseconds after which the program stops; default: it runs until Ctrl-C. */
  readonly duration?: number;
}

/** Parses the command line. Exits after printing the help, or an error for wrong arguments. */
export function parseOptions(argv: readonly string[]): Options {
  const command = new Command('pods-by-node').description(
    'Shows the pods of a cluster by node and by app, live, with the zone and CPU of each node. Where nodes may not be listed, zone and capacity are missing. Without --kubeconfig or --context it starts an API server of its own, with pods that come and go.',
  );
  addClusterOptions(command)
    .option('-n, --namespace <name>', 'only this namespace (default: all)')
    .option('--duration <time>', 'stop after this time, for example 10s or 5m', parseDuration);
  return addWorkloadOptions(command, { nodes: 8, pods: 200, rate: 20 }).parse(argv).opts<Options>();
}
