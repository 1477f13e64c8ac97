import { Command, Option } from 'commander';
import {
  addClusterOptions,
  addWorkloadOptions,
  type ClusterOptions,
  type WorkloadOptions,
} from '../../support/cluster-options.js';
import { parsePort } from '../../support/parse-port.js';

/** What the command line says. */
export interface Options extends ClusterOptions, WorkloadOptions {
  /** 0 chooses a free one. */
  readonly port: number;
  readonly allowWrites: boolean;
  /** Folder of the built page; without it, where the build puts it. */
  readonly page?: string;
}

/** Reads the command line; prints help or what is wrong with it, and exits, by itself. */
export function parseOptions(argv: readonly string[]): Options {
  const command = new Command('dashboard').description(
    'Serves the dashboard on this machine only. Without --kubeconfig or --context it starts an API server of its own, with pods that come and go.',
  );
  addClusterOptions(command)
    .option(
      '--allow-writes',
      'let the page change the cluster; without it, everything but GET and HEAD is refused',
      false,
    )
    .addOption(new Option('--port <number>', 'where to listen; 0 is a free one').default(8080).argParser(parsePort))
    .option('--page <folder>', 'the built page (default: the one of this example)');
  return addWorkloadOptions(command, { nodes: 12, pods: 500, rate: 20 }).parse(argv).opts<Options>();
}
