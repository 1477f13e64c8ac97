import process from 'node:process';
import { fetchClient, informer, inNamespaces, pods } from 'rx-informers';
import { connectHub, type HubSocket } from 'rx-informers/hub';
import { WebSocket } from 'ws';
import { changedAt, counts, viewerOf, type Report, type StudyViewer } from './world.js';

// The process of all viewers: some with an informer; the others read frames, check that each object
// is in a namespace of theirs, and note how late each change is.

const url = process.argv[2] ?? '';
let [forbidden, frames, bytes] = [0, 0, 0];
let latencies: number[] = [];
const fresh = new Set<number>();
const changeTime = new RegExp(`"${changedAt}":"(\\d+)"`, 'g');
const namespaceOf = /"(?:namespace":"|key":")(team-\d+)["/]/g;

/** Starts a viewer that reads frames. Returns how many bytes it has received, and how to cut it. */
function readFrames(index: number): void {
  const viewer = viewerOf(index);
  const mine = new Set(viewer.namespaces);
  const socket = new WebSocket(addressOf(viewer), { perMessageDeflate: false });
  const send = (message: object): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.on('open', () => {
    send({ type: 'hello', protocol: 1 });
    const resource = { group: '', version: 'v1', plural: 'pods' };
    const request = { resource, namespaces: viewer.namespaces, labelSelector: '', fieldSelector: '', isWhole: false };
    send({ type: 'subscribe', id: 1, request });
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    fresh.delete(index);
    setTimeout(readFrames, 500 + Math.random() * 1_500, index);
  });
  socket.on('message', (data: Buffer) => {
    const frame = data.toString();
    frames++;
    bytes += data.length;
    const end = frame.indexOf('\n');
    if (end < 0) {
      if (frame.includes('"ping"')) send({ type: 'alive' });
      return;
    }
    const head = JSON.parse(frame.slice(0, end)) as { readonly end?: object };
    send({ type: 'taken', id: 1, amount: frame.length - end - 1 });
    if (!mine.has(''))
      for (const [, namespace = ''] of frame.matchAll(namespaceOf)) if (!mine.has(namespace)) forbidden++;
    if (fresh.has(index)) for (const [, time] of frame.matchAll(changeTime)) latencies.push(Date.now() - Number(time));
    if (head.end !== undefined) fresh.add(index);
  });
}

/** Starts a viewer with an informer over the hub, as a page has it. */
function follow(index: number): void {
  const viewer = viewerOf(index);
  const hub = connectHub(() => new WebSocket(addressOf(viewer)) as unknown as HubSocket);
  const namespace = viewer.namespaces[0] === '' ? '' : inNamespaces([...viewer.namespaces]);
  const podInformer = informer(hub.listWatch(fetchClient(), pods, { namespace }));
  podInformer.status$.subscribe(({ state }) => {
    if (state === 'watching') fresh.add(index);
    else fresh.delete(index);
  });
  podInformer.errors$.subscribe();
  podInformer.changes$.subscribe(({ reason, changes }) => {
    if (reason !== 'watch') return;
    for (const change of changes) {
      const time = change.type !== 'deleted' && change.object.metadata.annotations?.[changedAt];
      if (typeof time === 'string') latencies.push(Date.now() - Number(time));
    }
  });
}

function addressOf({ user, groups }: StudyViewer): string {
  return `${url}/?${new URLSearchParams([['user', user], ...groups.map((group) => ['group', group])]).toString()}`;
}

// The viewers of all pods are spread over both kinds of viewers.
for (let index = 0; index < counts.viewers; index++) {
  if (index % Math.floor(counts.viewers / counts.withInformer) === 0) follow(index);
  else readFrames(index);
}
setInterval(() => {
  const report: Report = { type: 'viewers', fresh: fresh.size, forbidden, frames, bytes, latencies };
  process.send?.(report);
  latencies = [];
}, 500);
