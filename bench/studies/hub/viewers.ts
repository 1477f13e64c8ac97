import process from 'node:process';
import { fetchClient, informer, inNamespaces, pods } from 'rx-informers';
import { connectHub, type HubSocket } from 'rx-informers/hub';
import { randomFromSeed } from 'rx-informers/testing/in-memory';
import { WebSocket } from 'ws';
import { seedOf } from '../../../test/support/seed.js';
import { changedAt, counts, namespaceName, viewerOf, type Report, type StudyViewer } from './world.js';

// The process of all viewers: some with an informer; the others read frames, check that each object
// is in a namespace of theirs, and note how late each change is.

const url = process.argv[2] ?? '';
let [forbidden, frames, bytes] = [0, 0, 0];
let latencies: number[] = [];
const fresh = new Set<number>();
const readers: FrameReader[] = [];
const random = randomFromSeed(seedOf('viewers of a hub'));
const changeTime = new RegExp(`"${changedAt}":"(\\d+)"`, 'g');
const namespaceOf = /"(?:namespace":"|key":")(team-\d+)["/]/g;
const versionOf = /"name":"pod-(\d+)","namespace":"[^"]+","uid":"[^"]+","resourceVersion":"(\d+)"/g;
/** The longest list of versions in one frame. */
const versionsPerFrame = 400;

/** A viewer that reads frames. It connects again 0.5 to 2 s after its socket has closed. */
class FrameReader {
  bytes = 0;
  #socket: WebSocket;
  /**
   * The version of each pod, by its number; 0 for a pod that this viewer does not have. A million
   * objects in the heap of this process would delay what it measures.
   */
  readonly #versions = new Int32Array(counts.pods);
  #known = 0;
  #epoch = '';
  #resourceVersion = '';
  /** Called once when the content is complete again. */
  #onFresh: (() => void) | undefined;

  constructor(
    readonly index: number,
    private readonly viewer = viewerOf(index),
  ) {
    this.#socket = this.#connect();
  }

  /** Closes the socket for some time. Calls `onFresh` when the viewer is fresh again. */
  cut(milliseconds: number, onFresh: () => void): void {
    this.#onFresh = onFresh;
    this.#wait = milliseconds;
    this.#socket.terminate();
  }

  #wait: number | undefined;

  #connect(): WebSocket {
    const socket = new WebSocket(addressOf(this.viewer), { perMessageDeflate: false });
    socket.on('open', () => {
      this.#send({ type: 'hello', protocol: 2 });
      const { namespaces } = this.viewer;
      const resume = this.#resourceVersion && { epoch: this.#epoch, resourceVersion: this.#resourceVersion };
      const resource = { group: '', version: 'v1', plural: 'pods' };
      const request = { resource, namespaces, labelSelector: '', fieldSelector: '', isWhole: false };
      this.#send({ type: 'subscribe', id: 1, request: { ...request, ...(resume && { resume }) } });
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      fresh.delete(this.index);
      setTimeout(() => (this.#socket = this.#connect()), this.#wait ?? 500 + random() * 1_500);
      this.#wait = undefined;
    });
    socket.on('message', (data: Buffer) => {
      frames++;
      bytes += data.length;
      this.bytes += data.length;
      this.#read(data.toString());
    });
    return socket;
  }

  #read(frame: string): void {
    const end = frame.indexOf('\n');
    if (end >= 0) this.#readPart(JSON.parse(frame.slice(0, end)) as Part, frame.slice(end + 1));
    else if (frame.includes('"ping"')) this.#send({ type: 'alive' });
    else if (frame.includes('"compare"')) this.#sendVersions();
    else if (frame.includes('"status"') && frame.includes('watching')) this.#becomeFresh();
    else if (frame.includes('"opened"')) {
      const { epoch, isResumed } = JSON.parse(frame) as { readonly epoch: string; readonly isResumed: boolean };
      this.#epoch = epoch;
      if (isResumed) return;
      this.#versions.fill(0);
      this.#known = 0;
    }
  }

  #readPart({ end }: Part, text: string): void {
    this.#send({ type: 'taken', id: 1, amount: text.length });
    const { namespaces } = this.viewer;
    if (!namespaces.includes(''))
      for (const [, namespace = ''] of text.matchAll(namespaceOf)) if (!namespaces.includes(namespace)) forbidden++;
    for (const [, pod, version] of text.matchAll(versionOf)) {
      if (this.#versions[Number(pod)] === 0) this.#known++;
      this.#versions[Number(pod)] = Number(version);
    }
    if (fresh.has(this.index))
      for (const [, time] of text.matchAll(changeTime)) latencies.push(Date.now() - Number(time));
    if (end === undefined) return;
    this.#resourceVersion = end.resourceVersion;
    this.#becomeFresh();
  }

  #becomeFresh(): void {
    const expected = this.viewer.namespaces.includes('')
      ? counts.pods
      : (counts.pods / counts.namespaces) * this.viewer.namespaces.length;
    if (this.#known !== expected) return;
    fresh.add(this.index);
    this.#onFresh?.();
    this.#onFresh = undefined;
  }

  #sendVersions(): void {
    const objects = Array.from(this.#versions, (version, pod) => [
      `${namespaceName(pod)}/pod-${pod}`,
      String(version),
    ]).filter(([, version]) => version !== '0');
    for (let from = 0; from < objects.length; from += versionsPerFrame) {
      const isLast = from + versionsPerFrame >= objects.length;
      this.#send({ type: 'has', id: 1, objects: objects.slice(from, from + versionsPerFrame), isLast });
    }
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

interface Part {
  readonly end?: { readonly resourceVersion: string };
}

/**
 * Cuts some viewers for some time, and reports the bytes that each has received when it is fresh
 * again, beside those of another viewer with the same rights, which was connected all the time.
 */
function cutSome(milliseconds: number): void {
  const inSets = readers.filter(({ index }) => index >= counts.viewers / 2);
  const chosen = inSets.slice(0, counts.ruleSets);
  let missing = 0;
  let [own, ofOthers] = [0, 0];
  for (const reader of chosen) {
    const twin = inSets.find(
      ({ index }) => index !== reader.index && index % counts.ruleSets === reader.index % counts.ruleSets,
    );
    if (twin === undefined) continue;
    missing++;
    const before = [reader.bytes, twin.bytes] as const;
    reader.cut(milliseconds, () => {
      own += reader.bytes - before[0];
      ofOthers += twin.bytes - before[1];
      if (--missing === 0) send({ type: 'resumed', bytes: own, bytesOfOthers: ofOthers });
    });
  }
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
  else readers.push(new FrameReader(index));
}
setInterval(() => {
  send({ type: 'viewers', fresh: fresh.size, forbidden, frames, bytes, latencies });
  latencies = [];
}, 500);
process.on('message', (milliseconds: number) => cutSome(milliseconds));

function send(report: Report): void {
  process.send?.(report);
}
