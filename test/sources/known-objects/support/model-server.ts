import type { KubeClient } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import type { VirtualClock } from 'rx-informers/testing';
import { Observable, type Subscriber } from 'rxjs';
import type { Pod } from '../../../fixtures/pods.js';
import { bookmark, endBookmark, errorLine, line } from '../../../fixtures/wire.js';
import { encode } from '../../support/scripted-client.js';

/** The content of one object. Equal numbers stand for equal text. */
interface Stored {
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly labels: number;
  readonly spec: number;
  readonly status: number;
  /** What the server adds when it reads the object, as a default of a schema. It has no version. */
  readonly default: number;
}

/** An operation on the server or on the connection. */
export type Operation =
  | { readonly type: 'create' | 'delete' | 'recreate' | 'status' | 'spec' | 'labels' | 'stale'; readonly name: string }
  /** Shows the object with other content from now on, at its version and without an event. */
  | { readonly type: 'default'; readonly name: string }
  /** Sends the object once more, as an unusual text. */
  | { readonly type: 'odd'; readonly name: string; readonly oddity: number }
  /** Sends the last line once more. */
  | { readonly type: 'again' }
  | { readonly type: 'bookmark' }
  /** Ends the watch with 410. */
  | { readonly type: 'expire' }
  /** Ends the watch. */
  | { readonly type: 'close' }
  /**
   * Restores the server from a backup. All objects have an earlier version, and objects with later
   * versions no longer exist.
   */
  | { readonly type: 'restore' }
  /** Delivers everything since the last delivery as one network read, in this many chunks. */
  | { readonly type: 'deliver'; readonly chunks: number }
  | { readonly type: 'wait' };

/** Returns true if the labels of the object match the selector. */
const selected = (stored: Stored): boolean => stored.labels !== 0;

function textOf({ name, uid, version, labels, spec, status, default: added }: Stored): Pod {
  const managedFields = [{ manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': { 'f:phase': {} } } }];
  const whole = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: 'web',
      uid,
      resourceVersion: String(version),
      labels: { app: `app-${labels}` },
      managedFields,
    },
    spec: { nodeName: `node-${spec}`, containers: [{ name: 'main', image: `registry.example.com/image:${spec % 2}` }] },
    status: {
      phase: added === 0 ? 'Running' : `Default${added}`,
      conditions: [{ type: 'Ready', lastTransitionTime: `2026-01-01T00:00:0${status}Z` }],
    },
  };
  return whole;
}

const oddities: readonly ((line: string) => string)[] = [
  (text) => text.replace('"spec":', '"spec":{"nodeName":"another"},"spec":'),
  (text) => text.replace('"status":', '"spec":{"nodeName":"another"},"status":'),
  (text) => text.replace('"spec":', '"sp\\u0065c":{"nodeName":"another"},"spec":'),
  (text) => text.replace('"status":', '"sp\\u0065c":{"nodeName":"another"},"status":'),
  (text) => text.replace('"uid":', '"uid":"another","uid":'),
  (text) => text.replace('"namespace":', '"uid":"another","namespace":'),
  (text) => text.replace('"resourceVersion":', '"u\\u0069d":"another","resourceVersion":'),
  (text) => text.replace('"metadata":', '"metadata":{"name":"z","uid":"z","resourceVersion":"1"},"metadata":'),
  (text) => text.replace('"status":', '"metadata":{"name":"z","uid":"z","resourceVersion":"1"},"status":'),
  (text) =>
    text.replace('"object":', '"object":{"kind":"Pod","metadata":{"name":"z","resourceVersion":"1"}},"object":'),
  (text) => text.replace('"type":"MODIFIED"', '"type":"DELETED","type":"MODIFIED"'),
  (text) => text.replace('"type":"MODIFIED"', '"type":"MODIFIED","type":"DELETED"'),
  (text) => text.replace('"type":"MODIFIED"', '"type":"MODI\\u0046IED"'),
  (text) => text.replace('"nodeName"', '"node\\u004eame"'),
  (text) => text.replace(/:/g, ' : ').replace(/,/g, ' ,\t'),
  (text) => text.replace('"metadata":{', '"metadata": {'),
  (text) => text.replace('"metadata":{', '"metadata":{"__proto__":{"name":"z"},'),
  (text) => text.replace('"resourceVersion":"', '"resourceVersion":"\\u0030'),
  (text) => text.replace(/"resourceVersion":"(\d+)"/, '"resourceVersion":$1'),
  (text) => text.replace(/"resourceVersion":"\d+",?/, ''),
  (text) => text.replace('"spec":{', '"spec": {'),
  (text) => text.replace('"spec":{', '"spec":{ '),
  (text) => text.replace(/"spec":\{.*\},"status"/, '"spec":null,"status"'),
  (text) => text.replace(/"spec":\{.*\},"status"/, '"spec":0,"status"'),
  (text) => text.replace(/"spec":\{.*\},"status"/, '"spec":[],"status"'),
  (text) => text.replace(/"spec":\{.*\},"status"/, '"status"'),
  (text) => text.replace('"containers"', 'containers'),
  (text) => text.replace('"image"', '"image'),
  (text) => text.replace('"phase"', '"__proto__":{"phase":1},"phase"'),
  (text) => text.replace('"nodeName"', '"__proto__":{"nodeName":1},"nodeName"'),
  (text) => text.replace('"Running"', '"Run\u00ef\u{1f600}ning"'),
  (text) => text.replace('}\n', '\n'),
  (text) => text.replace('}\n', '}}\n'),
  (text) => text.replace('}\n', '} \n'),
];

/** The number of unusual ways to write a line. */
export const oddityCount = oddities.length;

function oddLine(text: string, oddity: number): string {
  return (oddities[oddity] ?? String)(text);
}

interface Watcher {
  readonly subscriber: Subscriber<ResponsePart>;
  /** The number of lines that were sent or that must not be sent. */
  position: number;
}

/** An API server of one kind. It sends what a test decides, to any number of clients. */
export class ModelServer {
  readonly client: KubeClient;
  #version = 10;
  #objects = new Map<string, Stored>();
  readonly #backups: ReadonlyMap<string, Stored>[] = [];
  readonly #history: { readonly version: number; readonly line: string; readonly stored: Stored }[] = [];
  readonly #lines: string[] = [];
  readonly #watchers = new Set<Watcher>();

  constructor(
    scheduler: VirtualClock,
    /** The prefix of uids. Another prefix makes them differ from the uids of another server. */
    private readonly prefix = 'uid',
  ) {
    this.client = { scheduler, random: () => 0.5, exchange: (request) => this.#exchange(request) };
  }

  get(name: string): Pod | undefined {
    const stored = this.#objects.get(name);
    return stored && textOf(stored);
  }

  run(operation: Operation): void {
    switch (operation.type) {
      case 'create':
      case 'recreate':
        if (operation.type === 'recreate') this.#delete(operation.name);
        if (!this.#objects.has(operation.name)) this.#create(operation.name);
        break;
      case 'delete':
        this.#delete(operation.name);
        break;
      case 'status':
      case 'spec':
      case 'labels':
        this.#change(operation.name, operation.type);
        break;
      case 'default': {
        const stored = this.#objects.get(operation.name);
        if (stored) this.#objects.set(stored.name, { ...stored, default: (stored.default + 1) % 3 });
        break;
      }
      case 'stale': {
        const early = this.#history.find(({ stored }) => stored.name === operation.name);
        if (early !== undefined) this.#lines.push(early.line);
        break;
      }
      case 'odd': {
        const stored = this.#objects.get(operation.name);
        if (stored === undefined) break;
        const version = ++this.#version;
        this.#lines.push(oddLine(line('MODIFIED', textOf({ ...stored, version })), operation.oddity));
        break;
      }
      case 'again':
        this.#lines.push(...this.#lines.slice(-1));
        break;
      case 'bookmark':
        this.#lines.push(bookmark(String(this.#version)));
        break;
      case 'expire':
        this.#lines.push(errorLine(410, { reason: 'Expired' }));
        this.#deliver(1);
        this.#endWatches();
        break;
      case 'close':
        this.#endWatches();
        break;
      case 'restore':
        this.#objects = new Map(this.#backups[Math.floor(this.#backups.length / 2)] ?? []);
        this.run({ type: 'expire' });
        break;
      case 'deliver':
        this.#deliver(operation.chunks);
        break;
      case 'wait':
        break;
      default:
        operation satisfies never;
    }
  }

  #create(name: string): void {
    const version = ++this.#version;
    this.#put('ADDED', { name, uid: `${this.prefix}-${version}`, version, labels: 1, spec: 1, status: 1, default: 0 });
  }

  #change(name: string, part: 'status' | 'spec' | 'labels'): void {
    const before = this.#objects.get(name);
    if (before === undefined) return;
    const stored = { ...before, version: ++this.#version, [part]: (before[part] + 1) % 4 };
    this.#put(!selected(stored) ? 'DELETED' : selected(before) ? 'MODIFIED' : 'ADDED', stored);
  }

  #delete(name: string): void {
    const before = this.#objects.get(name);
    if (before === undefined) return;
    this.#put('DELETED', { ...before, version: ++this.#version });
    this.#objects.delete(name);
  }

  #put(type: string, stored: Stored): void {
    this.#backups.push(new Map(this.#objects));
    this.#objects.set(stored.name, stored);
    const text = line(type, textOf(stored));
    this.#history.push({ version: stored.version, line: text, stored });
    this.#lines.push(text);
  }

  #deliver(chunks: number): void {
    for (const watcher of [...this.#watchers]) {
      const text = this.#lines.slice(watcher.position).join('');
      watcher.position = this.#lines.length;
      if (text !== '') send(watcher.subscriber, text, chunks);
    }
  }

  #endWatches(): void {
    for (const { subscriber } of [...this.#watchers]) subscriber.complete();
  }

  #exchange({ query = {} }: KubeRequest): Observable<ResponsePart> {
    return new Observable((subscriber) => {
      subscriber.next({ type: 'head', status: 200, headers: { 'content-type': 'application/json' } });
      if (query['watch'] !== true) {
        send(subscriber, this.#page(Number(query['limit'] ?? Infinity), Number(query['continue'] ?? 0)), 3);
        subscriber.complete();
        return;
      }
      const watcher: Watcher = { subscriber, position: this.#lines.length };
      this.#watchers.add(watcher);
      subscriber.add(() => this.#watchers.delete(watcher));
      const text = query['sendInitialEvents'] === true ? this.#stream() : this.#since(Number(query['resourceVersion']));
      if (text !== '') send(subscriber, text, 2);
    });
  }

  get #selected(): readonly Stored[] {
    const stored = [...this.#objects.values()].filter(selected);
    return stored.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #page(limit: number, start: number): string {
    const all = this.#selected.map((stored) => ({ ...textOf(stored), kind: undefined, apiVersion: undefined }));
    const items = all.slice(start, start + limit);
    const end = start + items.length;
    const metadata = { resourceVersion: String(this.#version), ...(end < all.length && { continue: String(end) }) };
    return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items });
  }

  #stream(): string {
    const initial = this.#selected.map((stored) => line('ADDED', textOf(stored)));
    return [...initial, endBookmark(String(this.#version))].join('');
  }

  #since(version: number): string {
    return this.#history
      .filter((change) => change.version > version)
      .map((change) => change.line)
      .join('');
  }
}

function send(subscriber: Subscriber<ResponsePart>, text: string, chunks: number): void {
  const bytes = encode(text);
  const size = Math.ceil(bytes.length / chunks);
  for (let from = 0; from < bytes.length; from += size) {
    subscriber.next({ type: 'bytes', bytes: bytes.slice(from, from + size) });
  }
}
