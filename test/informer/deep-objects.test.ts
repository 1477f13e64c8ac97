import {
  createIndexer,
  dedupDeltas,
  informer,
  listWatch,
  reduceStore,
  toDeltas,
  type KubernetesObject,
} from 'rx-informers';
import { serveInformers, sharedListWatch } from 'rx-informers/shared-worker';
import { type Commit, type WatchEvent, watchEvent, latestOnly } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { of, Subject, VirtualTimeScheduler, type Observable } from 'rxjs';
import { pods, type Pod } from '../fixtures/pods.js';
import { endBookmark } from '../fixtures/wire.js';
import { testChannel } from '../shared-worker/support/ports.js';
import { respond, scriptedClient } from '../sources/support/scripted-client.js';
import { dataTimeline } from '../sources/support/timeline.js';

const { deleted, listed, modified } = watchEvent;

interface Thing extends KubernetesObject {
  readonly spec?: unknown;
}

const depth = 100_000;

/** As it comes from `JSON.parse`, which has no limit. */
const nested = (name: string, version: number, levels = depth): Thing =>
  JSON.parse(textOfNested(name, version, levels)) as Thing;

function textOfNested(name: string, version: number, levels = depth): string {
  const spec = '{"a":['.repeat(levels / 2) + `"${name}"` + ']}'.repeat(levels / 2);
  return `{"metadata":{"name":"${name}","uid":"${name}","resourceVersion":"${version}"},"spec":${spec}}`;
}

const plain = (name: string, version: number): Thing => ({
  metadata: { name, uid: name, resourceVersion: String(version) },
});

/** Matchers of jest recurse: depth is counted in a loop. */
function depthOf(object: Thing | undefined): number {
  let levels = 0;
  let value: unknown = object?.spec;
  while (typeof value === 'object' && value !== null) {
    levels++;
    value = Object.values(value)[0];
  }
  return levels;
}

const facts = (objects: readonly Thing[]): readonly string[] =>
  objects.map((object) => `${object.metadata?.name}@${object.metadata?.resourceVersion} ${depthOf(object)}`);

const batches: readonly WatchEvent<Thing>[][] = [
  [listed([nested('deep', 1), nested('deeper', 1), plain('other', 1)])],
  [modified(nested('deep', 2)), modified(plain('other', 2)), deleted(nested('deeper', 2))],
  [modified(nested('deep', 3)), modified(plain('other', 3))],
];
const final = [`deep@3 ${depth}`, 'other@3 0'];

describe.each([{ freeze: true }, { freeze: false }])('with %o, an object nested 100,000 levels deep', (options) => {
  it('passes through an informer, like the other objects of its batches (G4)', () => {
    const source = new Subject<readonly WatchEvent<Thing>[]>();
    const things = informer<Thing>(source, { ...options, scheduler: new VirtualTimeScheduler() });
    const errors: unknown[] = [];
    const seen: string[] = [];
    things.errors$.subscribe((error) => errors.push(error));
    things.changes$.subscribe(({ changes }) => seen.push(changes.map(({ type, key }) => `${type} ${key}`).join()));
    for (const batch of batches) source.next(batch);
    expect(facts(things.list())).toEqual(final);
    expect(seen).toEqual([
      'added deep,added deeper,added other',
      'updated deep,updated other,deleted deeper',
      'updated deep,updated other',
    ]);
    expect(errors).toEqual([]);
    things.stop();
  });

  it('passes through createIndexer', () => {
    const things = createIndexer<Thing>((thing) => thing.metadata?.name ?? '', {}, options);
    things.replace([nested('deep', 1), plain('other', 1)]);
    things.update(nested('deep', 2));
    things.update(nested('deep', 3));
    things.update(plain('other', 3));
    expect(facts(things.list())).toEqual(final);
  });

  it('passes through toDeltas, dedupDeltas and reduceStore', () => {
    let last: Commit<Thing> | undefined;
    of(...batches)
      .pipe(toDeltas(), dedupDeltas(latestOnly), reduceStore<Thing>(options))
      .subscribe((commit) => {
        last = commit;
      });
    expect(facts(last?.snapshot.list() ?? [])).toEqual(final);
    expect(last?.errors).toEqual([]);
  });
});

describe('an object nested 100,000 levels deep', () => {
  it('passes through a shared worker, like the other objects', () => {
    const scheduler = virtualClock();
    const { client } = createInMemoryApiServer({ scheduler });
    const source = new Subject<readonly WatchEvent<Thing>[]>();
    const worker = serveInformers(client, { listWatch: (() => source) as unknown as typeof listWatch });
    const { listWatch: shared } = sharedListWatch(
      () => {
        const channel = testChannel();
        worker.accept(channel.worker);
        return { port: channel.page };
      },
      { identity: '', scheduler },
    );
    const things = informer<Thing>(shared(client, pods), { scheduler });
    things.connect();
    for (const batch of batches) source.next(batch);
    expect(facts(things.list())).toEqual(final);
    things.stop();
    worker.stop();
  });
});

describe.each([{ freeze: true }, { freeze: false }])('with %o, an object that refers to itself', (options) => {
  it('can be added to createIndexer, updated without sharing, and deleted', () => {
    interface Cyclic extends Thing {
      self?: Cyclic;
    }
    const cyclic = (version: number): Cyclic => {
      const thing: Cyclic = { ...plain('cyclic', version), spec: [{}] };
      thing.self = thing;
      return thing;
    };
    const things = createIndexer<Cyclic>((thing) => thing.metadata?.name ?? '', {}, options);
    const second = cyclic(2);
    things.add(cyclic(1));
    things.update(second);
    expect(things.get('cyclic') === second).toBe(true);
    expect(second.self === second).toBe(true);
    expect(Object.isFrozen(second.spec)).toBe(options.freeze);
    things.delete(cyclic(3));
    expect(things.keys()).toEqual([]);
  });
});

describe('two neighbours in a list that are nested 100,000 levels deep', () => {
  const items = [textOfNested('a', 1), textOfNested('b', 2), '{"metadata":{"name":"c","resourceVersion":"3"}}'];
  const page = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[${items.join()}]}`;
  const stream = items.map((item) => `{"type":"ADDED","object":${item}}\n`).join('') + endBookmark('9');

  it.each([
    ['pages', page],
    ['stream', stream],
  ] as const)('are delivered by listWatch with initialList %p', (initialList, text) => {
    const answers = [respond([[0, text]], initialList === 'pages' ? { end: 1 } : {}), respond([])];
    const source = (): Observable<readonly WatchEvent<Pod>[]> =>
      listWatch(scriptedClient(answers), pods, { initialList });
    expect(dataTimeline(source, 100)).toEqual([expect.stringContaining('LISTED 9(a@1 b@2 c@3)')]);
  });
});
