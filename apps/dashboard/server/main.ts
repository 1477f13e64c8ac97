/**
 * Starts the dashboard: serves its page, and forwards a Kubernetes API to the page.
 *
 *   npm run dashboard                                an embedded API server whose pods change
 *   npm run dashboard -- --context my-cluster        the cluster of a kubeconfig context, read-only
 *   npm run dashboard -- --context a --context b     two clusters of the kubeconfig
 *   npm run dashboard -- --kubeconfig file --allow-writes
 *   npm run dashboard -- --context my-cluster --public-url https://dash.example.com     for a team
 */
import type { KubeConfig } from '@kubernetes/client-node';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromEvent, merge, take } from 'rxjs';
import { demoScene } from '../demo-cluster/demo-workload.js';
import { startDashboardServer } from './dashboard-server.js';
import { minimumSecretLength, type IdentityOptions } from './identity-headers.js';
import { kubeConfigOf } from './kube-config-of.js';
import { openLiveCluster } from './open-live-cluster.js';
import { parseOptions, type Options } from './options.js';
import { minimumKeyLength } from './session-cookies.js';
import { describeError, stopWith } from './stop-with.js';
import type { TeamOptions } from './team-gate.js';

const options = parseOptions(process.argv);
const page = pageFolder(options.page);
const { context: [context, ...others] = [], ...rest } = options;
const isNamed = context !== undefined;
const team = teamOf(options);
const cluster = await openLiveCluster(isNamed ? { ...rest, context } : rest, demoScene).catch(
  stopWith('cannot open the cluster'),
);
const server = await startDashboardServer({
  kubeConfig: cluster.kubeConfig,
  otherContexts: openContexts(others),
  namespace: options.namespace,
  secrets: options.secrets,
  demo: !isNamed && options.kubeconfig === undefined && team === undefined,
  page,
  port: options.port,
  allowWrites: options.allowWrites,
  team,
  listen: options.listen,
  onError: (error) => {
    console.error(describeError(error));
  },
}).catch(stopWith(`cannot serve on port ${options.port}`));

// Prints the page's address first, so that it is the first address in the output. The title may
// contain the address of the API server.
console.log(server.pageUrl);
console.log(`dashboard of ${cluster.title}${options.allowWrites ? ' (writes allowed)' : ''}`);
if (team !== undefined) {
  const how = team.identity === undefined ? 'viewers sign in' : 'the proxy identifies the viewers';
  console.log(`${how}; send the requests for ${team.publicUrl} to ${server.url}`);
}
if (team?.hub === true) console.log('this program reads for all viewers with its own account, and sends each its part');

merge(fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM'))
  .pipe(take(1))
  .subscribe(() => {
    void server.close().then(() => cluster.close());
  });

function openContexts(names: readonly string[]): readonly KubeConfig[] {
  const file = options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig };
  try {
    return names.flatMap((name) => kubeConfigOf({ ...file, context: name }) ?? []);
  } catch (error) {
    return stopWith('cannot open the cluster')(error);
  }
}

/** Returns how the team is served; `undefined` for one person. */
function teamOf({ publicUrl, sessionKeyFile, sessionHours, hub, ...rest }: Options): TeamOptions | undefined {
  if (publicUrl === undefined) return undefined;
  const sessionKey = sessionKeyFile === undefined ? undefined : keyIn(sessionKeyFile);
  return { publicUrl, sessionHours, sessionKey, hub, identity: identityOf(rest) };
}

/** Returns how a proxy identifies the viewers; `undefined` if they sign in. */
function identityOf({
  identityHeaders,
  identitySecretFile,
  identityGroups = [],
}: Options): IdentityOptions | undefined {
  const [userHeader, groupsHeader] = identityHeaders ?? [];
  if (userHeader === undefined || identitySecretFile === undefined) return undefined;
  return { userHeader, groupsHeader, groups: identityGroups, secret: secretIn(identitySecretFile) };
}

function secretIn(file: string): string {
  const stop = stopWith('cannot read the secret of the proxy');
  try {
    const secret = readFileSync(file, 'latin1').trim();
    if (secret.length >= minimumSecretLength && /^[!-~]+$/.test(secret)) return secret;
    return stop(
      new Error(`${file} needs at least ${minimumSecretLength} letters and digits, without spaces and line breaks`),
    );
  } catch (error) {
    return stop(error);
  }
}

function keyIn(file: string): Buffer {
  const stop = stopWith('cannot read the key of the sessions');
  try {
    const key = readFileSync(file);
    if (key.length >= minimumKeyLength) return key;
    return stop(new Error(`${file} has ${key.length} bytes; write at least ${minimumKeyLength} random bytes into it`));
  } catch (error) {
    return stop(error);
  }
}

/**
 * Returns the folder of the page. Without a folder in the options, this is the output of the last
 * build, or a placeholder if the page is not built.
 */
function pageFolder(requested: string | undefined): string {
  const folder = requested ?? fileURLToPath(new URL('../dist', import.meta.url));
  if (existsSync(`${folder}/index.html`)) return folder;
  if (requested === undefined) return fileURLToPath(new URL('placeholder', import.meta.url));
  return stopWith('cannot serve the page')(new Error(`${folder} has no index.html; build the page, or correct --page`));
}
