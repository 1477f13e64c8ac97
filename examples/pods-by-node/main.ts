/**
 * Pods by node and by app, live: index queries over a Kubernetes API.
 *
 *   npm start                                   an embedded API server with pods that come and go
 *   npm start -- --context my-cluster           the cluster of a kubeconfig context
 *   npm start -- --duration 10s | head          plain lines when piped
 */
import logUpdate from 'log-update';
import { finalize, fromEvent, merge, NEVER, takeUntil, tap, timer } from 'rxjs';
import { indexByLabel, indexByNode, informer, listWatch, pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { openLiveCluster } from '../support/open-live-cluster.js';
import { stopWith } from '../support/stop-with.js';
import { frames$ } from './frames.js';
import { lines$ } from './lines.js';
import { parseOptions } from './options.js';

const options = parseOptions(process.argv);
const cluster = await openLiveCluster(options).catch(stopWith('cannot open the cluster'));

const client = kubeClient(cluster.kubeConfig);
const podInformer = informer(
  listWatch(client, pods, options.namespace === undefined ? {} : { namespace: options.namespace }),
  { indexers: { node: indexByNode, app: indexByLabel('app') } },
);

const isTerminal = process.stdout.isTTY;
const output$ = isTerminal
  ? frames$(cluster.title, podInformer, () => process.stdout.rows).pipe(
      tap((frame) => {
        logUpdate(frame);
      }),
    )
  : lines$(cluster.title, podInformer).pipe(
      tap((line) => {
        console.log(line);
      }),
    );

const stop$ = merge(
  options.duration === undefined ? NEVER : timer(options.duration),
  fromEvent(process, 'SIGINT'),
  fromEvent(process, 'SIGTERM'),
);

// Errors are on the screen as a status. In a log they are lines of their own, except those that are handled by design.
const errors = podInformer.errors$.subscribe((error) => {
  if (!isTerminal && !error.expected) console.error(error.message);
});

output$
  .pipe(
    takeUntil(stop$),
    finalize(() => {
      errors.unsubscribe();
      podInformer.stop();
      client.close();
      void cluster.close();
    }),
  )
  .subscribe({
    complete: () => {
      if (isTerminal) logUpdate.done();
      console.log('stopped');
    },
  });
