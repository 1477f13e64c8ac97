import { InvalidArgumentError, Option, type Command } from 'commander';

/** The cluster that the dashboard shows; default: an embedded one. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** If set, the default is the cluster of the pod in which this program runs. */
  readonly publicUrl?: string;
}

/** The size of the embedded cluster, and the rate of its changes. */
export interface WorkloadOptions {
  readonly nodes: number;
  readonly pods: number;
  /** Changes per second. */
  readonly rate: number;
}

export function addWorkloadOptions(command: Command, defaults: WorkloadOptions): Command {
  const counts: readonly (readonly [name: keyof WorkloadOptions, description: string])[] = [
    ['nodes', 'nodes of the embedded cluster'],
    ['pods', 'pods of the embedded cluster'],
    ['rate', 'changes a second in the embedded cluster'],
  ];
  for (const [name, description] of counts) {
    command.addOption(new Option(`--${name} <count>`, description).default(defaults[name]).argParser(parseCount));
  }
  return command;
}

/** Parses a whole number of at least 1 from the command line. */
function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('use a whole number of at least 1.');
  return count;
}
