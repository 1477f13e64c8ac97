import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface Options {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  /** Milliseconds after which the program stops; default: it runs until Ctrl-C. */
  readonly duration?: number | undefined;
  /** The size of the embedded cluster. */
  readonly nodes: number;
  readonly pods: number;
  /** Changes per second in the embedded cluster. */
  readonly rate: number;
}

const help = `Usage: pods-by-node [options]

Shows the pods of a cluster by node and by app, live, with the zone and CPU of
each node. Where nodes may not be listed, zone and capacity are missing. Without
--kubeconfig or --context it starts an API server of its own, with pods that
come and go.

Options:
  --kubeconfig <file>     the cluster of this kubeconfig instead of the embedded
                          one
  --context <name>        the context of the kubeconfig (without --kubeconfig:
                          of the default one)
  -n, --namespace <name>  only this namespace (default: all)
  --duration <time>       stop after this time, for example 10s or 5m
  --nodes <count>         nodes of the embedded cluster (default: 8)
  --pods <count>          pods of the embedded cluster (default: 200)
  --rate <count>          changes a second in the embedded cluster (default: 20)
  -h, --help              display help for command`;

/** Parses the command line. Exits after printing the help, or an error for wrong arguments. */
export function parseOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        namespace: { type: 'string', short: 'n' },
        duration: { type: 'string' },
        nodes: { type: 'string', default: '8' },
        pods: { type: 'string', default: '200' },
        rate: { type: 'string', default: '20' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      console.log(help);
      process.exit();
    }
    return {
      ...values,
      duration: values.duration === undefined ? undefined : parseDuration('duration', values.duration),
      nodes: parseCount('nodes', values.nodes),
      pods: parseCount('pods', values.pods),
      rate: parseCount('rate', values.rate),
    };
  } catch (error) {
    return stopWith('error')(error);
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration, such as 10s or 5m, to milliseconds. Without a unit, it is in milliseconds. */
function parseDuration(option: string, text: string): number {
  const [, count, unit = 'ms'] = /^(\d*\.?\d+) *(ms|s|m|h|d)?$/.exec(text) ?? [];
  const duration = Number(count) * (units[unit] ?? NaN);
  if (!(duration > 0)) throw invalid(option, text, 'use a time such as 10s, 5m or 1h.');
  return duration;
}

/** Parses a whole number of at least 1. */
function parseCount(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw invalid(option, text, 'use a whole number of at least 1.');
  return count;
}

function invalid(option: string, text: string, hint: string): Error {
  return new Error(`option '--${option}' argument '${text}' is invalid. ${hint}`);
}

/**
 * Returns an error handler that ends the program with exit code 1 and a message about the failed
 * action.
 */
export function stopWith(what: string): (error: unknown) => never {
  return (error) => {
    console.error(`${what}: ${describeError(error)}`);
    process.exit(1);
  };
}

/** Returns the message of an error, and those of its causes. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describeError(error.cause)})`;
}
