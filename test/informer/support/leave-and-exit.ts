// A process that unsubscribes from its informer once the informer has synced. It prints the time
// until the exit, in milliseconds.
import { informer, pods, listWatch } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { concat, NEVER, of } from 'rxjs';

const [, , server = '', how] = process.argv;
const listedOnce$ = concat(of({ type: 'LISTED' as const, items: [], resourceVersion: '1' }), NEVER);
const client = kubeClient({ getCurrentCluster: () => ({ server }), applyToHTTPSOptions: () => Promise.resolve() });
// The linger is far longer than an exit takes on the busiest machine. The exit must not wait for
// it.
const options = how === 'stop' || server === 'none' ? { linger: 300_000 } : {};
const informerToLeave = server === 'none' ? informer(listedOnce$, options) : informer(listWatch(client, pods), options);

const connection = informerToLeave.connect();
await informerToLeave.whenSynced();
const left = performance.now();
process.once('exit', () => {
  process.stdout.write(String(Math.round(performance.now() - left)));
});
connection.unsubscribe();
if (how === 'stop') informerToLeave.stop();
