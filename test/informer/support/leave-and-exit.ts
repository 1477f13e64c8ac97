// A process that leaves its informer when it has synced, and prints how many milliseconds it lives afterwards.
import { concat, NEVER, of } from 'rxjs';
import { informer, pods, listWatch } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';

const [, , server = '', how] = process.argv;
const listedOnce$ = concat(of({ type: 'LISTED' as const, items: [], resourceVersion: '1' }), NEVER);
const client = kubeClient({ getCurrentCluster: () => ({ server }), applyToHTTPSOptions: () => Promise.resolve() });
const informerToLeave = server === 'none' ? informer(listedOnce$) : informer(listWatch(client, pods));

const connection = informerToLeave.connect();
await informerToLeave.whenSynced();
const left = performance.now();
process.once('exit', () => {
  process.stdout.write(String(Math.round(performance.now() - left)));
});
connection.unsubscribe();
if (how === 'stop') informerToLeave.stop();
