import { Command, InvalidArgumentError, Option } from 'commander';
import { addWorkloadOptions, type WorkloadOptions } from './cluster-options.js';
import { isGroupName, minimumSecretLength, secretHeader } from './identity-headers.js';

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
  /** The origin at which browsers reach the dashboard. Each viewer then signs in with a token. */
  readonly publicUrl?: string;
  /** The address to listen on, with `publicUrl`; default: 127.0.0.1. */
  readonly listen?: string;
  /** The file with the secret of the sessions, with `publicUrl`; default: a random secret. */
  readonly sessionKeyFile?: string;
  /** The longest time of a session, with `publicUrl`; default: 8. */
  readonly sessionHours?: number;
  /** Whether the account of this program reads for all viewers, with `publicUrl`. */
  readonly hub?: true;
  /** The headers in which a proxy sends user and groups, in lower case, with `publicUrl`. */
  readonly identityHeaders?: readonly string[];
  /** The file with the secret of the proxy, with `identityHeaders`. */
  readonly identitySecretFile?: string;
  /** The groups that count, with `identityHeaders`; default: none. */
  readonly identityGroups?: readonly string[];
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
    .option('--page <folder>', 'the built page (default: the output of the last build)')
    .addOption(
      new Option(
        '--public-url <url>',
        'serve a team at this https origin, behind a server that ends TLS; each viewer signs in with a token',
      ).argParser(parsePublicUrl),
    )
    .option('--listen <address>', 'with --public-url: the address to listen on (default: 127.0.0.1)')
    .option(
      '--session-key-file <file>',
      'with --public-url: a file with 32 secret bytes or more, the same for all replicas (default: random bytes, so sessions end with the process)',
    )
    .addOption(
      new Option('--session-hours <number>', 'with --public-url: the longest time of a session (default: 8)').argParser(
        parseHours,
      ),
    )
    .option(
      '--hub',
      'with --public-url: read pods, nodes, events and workloads once for all viewers, with the account of this program; each viewer receives only what it may read itself',
    )
    .addOption(
      new Option(
        '--identity-headers <user,groups>',
        'with --public-url: an authenticating proxy names each viewer in these headers, instead of a sign-in; the account of this program impersonates the viewers. The name of the second header may be omitted',
      ).argParser(parseHeaders),
    )
    .option(
      '--identity-secret-file <file>',
      `with --identity-headers: a file with the secret of ${minimumSecretLength} characters or more that the proxy sends in ${secretHeader}; from all other senders, the headers are ignored`,
    )
    .addOption(
      new Option(
        '--identity-groups <names>',
        'with --identity-headers: the groups that count, separated by commas (default: none)',
      ).argParser(parseGroups),
    );
  const options = addWorkloadOptions(command, { nodes: 12, pods: 500, rate: 20 }).parse(argv).opts<Options>();
  const problem = conflictIn(options);
  if (problem !== undefined) command.error(`error: ${problem}`);
  return options;
}

/** Returns the reason why options cannot be combined; `undefined` if they can. */
function conflictIn({
  publicUrl,
  listen,
  sessionKeyFile,
  sessionHours,
  hub,
  context = [],
  identityHeaders,
  identitySecretFile,
  identityGroups,
}: Options): string | undefined {
  if (publicUrl !== undefined) {
    if (context.length > 1) return '--public-url serves one cluster; use --context once';
    if ((identityHeaders === undefined) !== (identitySecretFile === undefined)) {
      return '--identity-headers and --identity-secret-file need each other';
    }
    if ((identityHeaders?.length === 2) !== (identityGroups !== undefined)) {
      return '--identity-groups and the second name of --identity-headers need each other';
    }
    if (identityHeaders !== undefined && (sessionKeyFile !== undefined || sessionHours !== undefined)) {
      return 'with --identity-headers, there are no sessions; omit --session-key-file and --session-hours';
    }
    return undefined;
  }
  const ofTeam = {
    '--listen': listen,
    '--session-key-file': sessionKeyFile,
    '--session-hours': sessionHours,
    '--hub': hub,
    '--identity-headers': identityHeaders,
    '--identity-secret-file': identitySecretFile,
    '--identity-groups': identityGroups,
  };
  const [used] = Object.entries(ofTeam).find(([, value]) => value !== undefined) ?? [];
  return used && `${used} needs --public-url: without it, the dashboard is for one person on this machine`;
}

/** Parses an origin: a URL without path, query and user. Cookies of a session need https. */
function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || `${url.origin}/` !== url.href) {
    throw new InvalidArgumentError('use an https URL without a path, such as https://dash.example.com.');
  }
  return url.origin;
}

/** Parses the names of one or two headers. */
function parseHeaders(text: string): readonly string[] {
  const names = text.toLowerCase().split(',');
  const isName = (name: string): boolean => /^[a-z][a-z\d-]*$/.test(name) && name !== secretHeader;
  if (names.length > 2 || !names.every(isName) || names[0] === names[1]) {
    throw new InvalidArgumentError(
      'use the names of one or two headers, such as X-Forwarded-Email,X-Forwarded-Groups.',
    );
  }
  return names;
}

/** Parses the names of groups. */
function parseGroups(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every(isGroupName)) {
    throw new InvalidArgumentError('use names of groups, such as developers,operators, and none of system:.');
  }
  return [...new Set(names)];
}

/** Parses the hours of a session. */
function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() === '' || !(hours > 0 && hours <= 168)) {
    throw new InvalidArgumentError('use a number above 0, at most 168.');
  }
  return hours;
}

/** Parses a TCP port from the command line. 0 selects a free one. */
function parsePort(text: string): number {
  const port = Number(text);
  if (text === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('use a whole number from 0 to 65535.');
  }
  return port;
}
