import { Option, type Command } from 'commander';
import { parseCount } from './parse-count.js';

/** The cluster that a program uses; default: an embedded one. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The size of the embedded cluster, and the rate of its changes. */
export interface WorkloadOptions {
  readonly nodes: number;
  readonly pods: number;
  /** Changes per second. */
  readonly rate: number;
}

export function addClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'the cluster of this kubeconfig instead of the embedded one')
    .option('--context <name>', 'the context of the kubeconfig (without --kubeconfig: of the default one)');
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
