import { hostname } from 'node:os';
import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface Options {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Use the ServiceAccount of the pod in which the program runs. */
  readonly inCluster?: boolean | undefined;
  readonly namespace: string;
  readonly watchNamespace?: string | undefined;
  readonly identity: string;
  readonly metricsPort: number;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  /** Milliseconds after which the program stops; default: it runs until Ctrl-C. */
  readonly duration?: number | undefined;
}

const ownIdentity = `${hostname()}-${process.pid}`;

const help = `Usage: website-operator [options]

Keeps a Deployment and a Service for each Website. Without --kubeconfig,
--context or --in-cluster it starts an API server of its own, with websites to
look after.

Options:
  --kubeconfig <file>                   the cluster of this kubeconfig instead
                                        of the embedded one
  --context <name>                      the context of the kubeconfig (without
                                        --kubeconfig: of the default one)
  --in-cluster                          in a pod: the cluster of the pod, with
                                        the rights of its ServiceAccount
  -n, --namespace <name>                where the lease and the directory of
                                        websites are (default: "default")
  --watch-namespace <name>              only the websites of this namespace
                                        (default: of all)
  --identity <name>                     the unique name of this replica
                                        (default: "${ownIdentity}")
  --metrics-port <port>                 0 picks a free port (default: 0)
  --leader-elect-lease-duration <time>  how long other replicas wait before they
                                        take the lease (default: 15000)
  --leader-elect-renew-deadline <time>  how long a leader keeps leading without
                                        a renewal (default: 10000)
  --leader-elect-retry-period <time>    the wait between two attempts (default:
                                        2000)
  --duration <time>                     stop after this time, for example 10s or
                                        5m
  -h, --help                            display help for command`;

/** Parses the command line. Exits after printing the help, or an error for wrong arguments. */
export function parseOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        'in-cluster': { type: 'boolean' },
        namespace: { type: 'string', short: 'n', default: 'default' },
        'watch-namespace': { type: 'string' },
        identity: { type: 'string', default: ownIdentity },
        'metrics-port': { type: 'string', default: '0' },
        'leader-elect-lease-duration': { type: 'string', default: '15000' },
        'leader-elect-renew-deadline': { type: 'string', default: '10000' },
        'leader-elect-retry-period': { type: 'string', default: '2000' },
        duration: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      console.log(help);
      process.exit();
    }
    const durationOf = (option: 'lease-duration' | 'renew-deadline' | 'retry-period'): number =>
      parseDuration(`leader-elect-${option}`, values[`leader-elect-${option}`]);
    return {
      kubeconfig: values.kubeconfig,
      context: values.context,
      inCluster: values['in-cluster'],
      namespace: values.namespace,
      watchNamespace: values['watch-namespace'],
      identity: values.identity,
      metricsPort: parsePort('metrics-port', values['metrics-port']),
      leaderElectLeaseDuration: durationOf('lease-duration'),
      leaderElectRenewDeadline: durationOf('renew-deadline'),
      leaderElectRetryPeriod: durationOf('retry-period'),
      duration: values.duration === undefined ? undefined : parseDuration('duration', values.duration),
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

/** Parses a TCP port. 0 selects a free one. */
function parsePort(option: string, text: string): number {
  const port = Number(text);
  if (text === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalid(option, text, 'use a whole number from 0 to 65535.');
  }
  return port;
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
