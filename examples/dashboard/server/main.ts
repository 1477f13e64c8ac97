/**
 * The dashboard: its page, and behind it a Kubernetes API.
 *
 *   npm run dashboard                                an embedded API server with pods that come and go
 *   npm run dashboard -- --context my-cluster        the cluster of a kubeconfig context, to look at
 *   npm run dashboard -- --kubeconfig file --allow-writes
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromEvent, merge, take } from 'rxjs';
import { openLiveCluster } from '../../support/open-live-cluster.js';
import { describeError, stopWith } from '../../support/stop-with.js';
import { startDashboardServer } from './dashboard-server.js';
import { parseOptions } from './options.js';

const options = parseOptions(process.argv);
const page = pageFolder(options.page);
const cluster = await openLiveCluster(options).catch(stopWith('cannot open the cluster'));
const server = await startDashboardServer({
  kubeConfig: cluster.kubeConfig,
  page,
  port: options.port,
  allowWrites: options.allowWrites,
  onError: (error) => {
    console.error(describeError(error));
  },
}).catch(stopWith(`cannot serve on port ${options.port}`));

console.log(`the dashboard of ${cluster.title}${options.allowWrites ? ', which it may change' : ''}`);
console.log(`${server.url}/`);

merge(fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM'))
  .pipe(take(1))
  .subscribe(() => {
    void server.close().then(() => cluster.close());
  });

/** The folder that is asked for; else the page of this example where it is built, or one that says that it is not. */
function pageFolder(asked: string | undefined): string {
  const folder = asked ?? fileURLToPath(new URL('../dist', import.meta.url));
  if (existsSync(`${folder}/index.html`)) return folder;
  if (asked === undefined) return fileURLToPath(new URL('placeholder', import.meta.url));
  return stopWith('cannot serve the page')(new Error(`there is no index.html in ${folder}`));
}
