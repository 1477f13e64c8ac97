import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import { addClusterOptions, type ClusterOptions } from '../support/cluster-options.js';
import { parseDuration } from '../support/parse-duration.js';
import { parsePort } from '../support/parse-port.js';

/** The options of the command line. */
export interface Options extends ClusterOptions {
  readonly namespace: string;
  readonly watchNamespace?: string;
  readonly identity: string;
  readonly metricsPort: number;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  /** Milliseconds after which the program stops; default: it runs until Ctrl-C. */
  readonly duration?: number;
}

/** Parses the command line. Exits after printing the help, or an error for wrong arguments. */
export function parseOptions(argv: readonly string[]): Options {
  const command = new Command('website-operator').description(
    'Keeps a Deployment and a Service for each Website. Without --kubeconfig or --context it starts an API server of its own, with websites to look after.',
  );
  return addClusterOptions(command)
    .option('-n, --namespace <name>', 'where the lease and the directory of websites are', 'default')
    .option('--watch-namespace <name>', 'only the websites of this namespace (default: of all)')
    .option('--identity <name>', 'the unique name of this replica', `${hostname()}-${process.pid}`)
    .addOption(new Option('--metrics-port <port>', '0 picks a free port').default(0).argParser(parsePort))
    .option(
      '--leader-elect-lease-duration <time>',
      'how long other replicas wait before they take the lease',
      parseDuration,
      15_000,
    )
    .option(
      '--leader-elect-renew-deadline <time>',
      'how long a leader keeps leading without a renewal',
      parseDuration,
      10_000,
    )
    .option('--leader-elect-retry-period <time>', 'the wait between two attempts', parseDuration, 2_000)
    .option('--duration <time>', 'stop after this time, for example 10s or 5m', parseDuration)
    .parse(argv)
    .opts<Options>();
}
