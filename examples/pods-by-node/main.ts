/**
 * Shows the pods by node and by app, live, with the zone of each node and the CPU that its pods
 * request. It uses groups and a join over two informers.
 *
 *   npm start                                   an embedded API server whose pods change
 *   npm start -- --context my-cluster           the cluster of a kubeconfig context
 *   npm start -- --duration 10s | head          plain lines when piped
 */
import { kubeClient } from 'rx-informers/node';
import { finalize, fromEvent, merge, NEVER, takeUntil, tap, timer } from 'rxjs';
import { clusterView } from './cluster-view.js';
import { openCluster } from './cluster.js';
import { frames$ } from './frames.js';
import { lines$ } from './lines.js';
import { parseOptions, stopWith } from './options.js';

const options = parseOptions();
const cluster = await openCluster(options).catch(stopWith('cannot open the cluster'));

const client = kubeClient(cluster.kubeConfig);
const view = clusterView(client, options.namespace);

const isTerminal = process.stdout.isTTY;
const output$ = isTerminal
  ? frames$(cluster.title, view, () => process.stdout.rows).pipe(
      tap((frame) => {
        // On a terminal, `clear` moves the cursor to the top left and erases what is below it.
        console.clear();
        process.stdout.write(frame);
      }),
    )
  : lines$(cluster.title, view).pipe(
      tap((line) => {
        console.log(line);
      }),
    );

// The reader of a pipe may close it early, as `head` does. This is a normal end, not a failure.
process.stdout.on('error', () => process.exit());

const stop$ = merge(
  options.duration === undefined ? NEVER : timer(options.duration),
  fromEvent(process, 'SIGINT'),
  fromEvent(process, 'SIGTERM'),
);

// A terminal shows errors as a status. Without a terminal, errors are written to stderr, except
// expected ones.
const errors = merge(view.podInformer.errors$, view.nodeInformer.errors$).subscribe((error) => {
  if (!isTerminal && !error.expected) console.error(error.message);
});

output$
  .pipe(
    takeUntil(stop$),
    finalize(() => {
      errors.unsubscribe();
      view.podInformer.stop();
      view.nodeInformer.stop();
      client.close();
      void cluster.close();
    }),
  )
  .subscribe({
    complete: () => {
      console.log('stopped');
    },
  });
