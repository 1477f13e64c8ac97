import { Command, InvalidArgumentError, Option } from 'commander';

/** What the command line says. */
export interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** 0 chooses a free one. */
  readonly port: number;
  readonly allowWrites: boolean;
  /** Folder of the built page; without it, where the build puts it. */
  readonly page?: string;
  readonly nodes: number;
  readonly pods: number;
  readonly rate: number;
}

/** Reads the command line; prints help or what is wrong with it, and exits, by itself. */
export function parseOptions(argv: readonly string[]): Options {
  return new Command('dashboard')
    .description(
      'Serves the dashboard on this machine only. Without --kubeconfig or --context it starts an API server of its own, with pods that come and go.',
    )
    .option('--kubeconfig <file>', 'the cluster of this kubeconfig instead of the embedded one')
    .option('--context <name>', 'the context of the kubeconfig (without --kubeconfig: of the default one)')
    .option(
      '--allow-writes',
      'let the page change the cluster; without it, everything but GET and HEAD is refused',
      false,
    )
    .addOption(new Option('--port <number>', 'where to listen; 0 is a free one').default(8080).argParser(parsePort))
    .option('--page <folder>', 'the built page (default: the one of this example)')
    .addOption(new Option('--nodes <count>', 'nodes of the embedded cluster').default(12).argParser(parseCount))
    .addOption(new Option('--pods <count>', 'pods of the embedded cluster').default(500).argParser(parseCount))
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

function parsePort(text: string): number {
  const port = Number(text);
  if (text === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('give a whole number from 0 to 65535.');
  }
  return port;
}
