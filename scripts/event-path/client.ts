import { KubeConfig } from '@kubernetes/client-node';
import { fork } from 'node:child_process';
import { Session } from 'node:inspector/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { indexByLabel, indexByNode, informer, pods } from '../../src/index.js';
import { kubeClient } from '../../src/node.js';
import { projectRoot } from '../project/entry-points.js';

/*
 * Prints, as JSON, the functions of src that run while one MODIFIED event of a pod travels from the
 * socket to a subscriber of `byIndex$`: an array of `[file, names of its functions]`. V8's precise
 * coverage counts them. The server is another process, so that only the client is counted. Five
 * events come before, so that the functions of the first event are not counted. A function counts
 * if it runs for most of nine events. So neither a timer that happens to end nor a busy machine
 * changes the result.
 */
const server = fork(new URL('./server.ts', import.meta.url));
const kubeconfig = await new Promise<string>((resolve) => server.once('message', resolve as (text: unknown) => void));
const config = new KubeConfig();
config.loadFromString(kubeconfig);

const podInformer = informer(kubeClient(config), pods, {
  indexers: { node: indexByNode, app: indexByLabel('app') },
});
let onEmission = (): void => undefined;
podInformer.byIndex$('node', 'n1').subscribe(() => onEmission());
await podInformer.whenSynced();
for (let label = 1; label <= 5; label++) await change(String(label));

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
const runs = new Map<string, { readonly file: string; readonly name: string; events: number }>();
for (let label = 6; label <= 14; label++) {
  for (const [place, { file, name }] of await functionsOf(String(label)))
    runs.set(place, { file, name, events: (runs.get(place)?.events ?? 0) + 1 });
}

const files = new Map<string, string[]>();
for (const { file, name, events } of runs.values())
  if (events >= 5) files.set(file, [...(files.get(file) ?? []), name]);
const path = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
console.log(JSON.stringify(path));
server.kill();
process.exit(0);

/** Changes a pod, and waits until the subscriber has received the change and the event is over. */
async function change(label: string): Promise<void> {
  const emitted = new Promise<void>((resolve) => {
    onEmission = resolve;
  });
  server.send(label);
  await emitted;
  await wait(50);
}

/** Changes a pod, and returns the functions of src that ran meanwhile, by their place. */
async function functionsOf(
  label: string,
): Promise<ReadonlyMap<string, { readonly file: string; readonly name: string }>> {
  await change(label);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const source = `file://${projectRoot}src/`;
  const ran = new Map<string, { readonly file: string; readonly name: string }>();
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue;
    const file = url.slice(source.length).replace(/\?.*$/, '');
    for (const { functionName: name, ranges } of functions) {
      const [{ startOffset, count } = { startOffset: 0, count: 0 }] = ranges;
      // The function that begins at the first character is the module itself.
      if (startOffset > 0 && count > 0) ran.set(`${file}:${startOffset}`, { file, name });
    }
  }
  return ran;
}
