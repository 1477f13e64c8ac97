import {
  fromEvents,
  informer,
  listWatch,
  mergeSources,
  pods as corePods,
  type Pod as CorePod,
  type ResourceSource,
  type Source,
} from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { overlay } from 'rx-informers/controller';
import { watchEvent, type WatchEvent, type WatchEventBatch } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { identity, map, NEVER, Observable, share, type OperatorFunction } from 'rxjs';
import { pods, type Pod } from '../fixtures/pods.js';
import { ModelServer } from './known-objects/support/model-server.js';

/** An operator that changes each object. */
function mapObjects<T, R>(change: (object: T) => R): OperatorFunction<WatchEventBatch<T>, WatchEventBatch<R>> {
  const changed = (event: WatchEvent<T>): WatchEvent<R> => {
    switch (event.type) {
      case 'LISTED':
        return { ...event, items: event.items.map(change) };
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return { ...event, object: change(event.object) };
      default:
        return event;
    }
  };
  return map((batch) => batch.map(changed));
}

/** Changes that are not idempotent: each counts how often the object has passed. */
const countedInCopies = mapObjects<Pod, Pod>((pod) => ({
  ...pod,
  metadata: { ...pod.metadata, generation: (pod.metadata.generation ?? 0) + 1 },
}));
const countedInPlace = mapObjects<Pod, Pod>((pod) => {
  Object.assign(pod.metadata, { generation: (pod.metadata.generation ?? 0) + 1 });
  return pod;
});

const client = { exchange: () => NEVER };

describe.each([
  ['copies objects', countedInCopies],
  ['changes objects in place', countedInPlace],
])('an operator that %s', (_which, counted) => {
  it.each<[string, (server: ModelServer) => ResourceSource<Pod>]>([
    ['a list in pages', (server) => listWatch(server.client, pods, { initialList: 'pages' }).through(counted)],
    ['a streaming list', (server) => listWatch(server.client, pods, { initialList: 'stream' }).through(counted)],
    ['a merged source', (server) => mergeSources({ one: listWatch(server.client, pods) }).through(counted)],
    ['a member of a merged source', (server) => mergeSources({ one: listWatch(server.client, pods).through(counted) })],
    ['an overlay', (server) => overlay(listWatch(server.client, pods)).through(counted)],
    ['a source under an overlay', (server) => overlay(listWatch(server.client, pods).through(counted))],
    ['another operator', (server) => listWatch(server.client, pods).through(identity).through(counted)],
  ])('is applied once to each object of each relist: %s', (_name, make) => {
    const scheduler = virtualClock();
    const server = new ModelServer(scheduler);
    for (const name of ['a', 'b']) server.run({ type: 'create', name });
    const cache = informer(make(server), { scheduler, freeze: false });
    cache.errors$.subscribe();
    cache.connect();
    scheduler.advance(1);
    const passes = (): readonly unknown[] => cache.list().map(({ metadata }) => metadata.generation);
    expect(passes()).toEqual([1, 1]);
    for (const name of ['a', 'b']) {
      server.run({ type: 'status', name });
      server.run({ type: 'expire' });
      scheduler.advance(10_000);
      expect(passes()).toEqual([1, 1]);
    }
  });
});

describe('through', () => {
  it('keeps the properties of the source', () => {
    const [scheduler, random] = [virtualClock(), () => 0.5];
    const source = listWatch(client, corePods, { scheduler, random });
    const { resource } = source;
    const kept = { resource, client, scheduler, random };
    expect(resource).toBe(corePods);
    expect(source.through(identity)).toMatchObject(kept);
    expect(source.through(identity).through(identity)).toMatchObject(kept);
    expect(overlay(source.through(identity))).toMatchObject(kept);
    expect(overlay(source).through(identity)).toMatchObject(kept);
    expect(mergeSources({ a: source, b: source.through(identity) })).toMatchObject(kept);
    expect(informer(source.through(identity)).resource).toBe(corePods);
  });

  it('keeps the connection: an informer can reconnect, and knows when bytes arrive', () => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler });
    const requestsOfRecheck = (connect: (source: ResourceSource<CorePod>) => Source<CorePod>): number => {
      let requests = 0;
      const exchange = (request: KubeRequest) => {
        requests++;
        return server.client.exchange(request);
      };
      const cache = informer(connect(listWatch({ ...server.client, exchange }, corePods)), { scheduler });
      cache.connect();
      scheduler.advance(5_000);
      expect(cache.lastHeardAt).toBeLessThanOrEqual(scheduler.now());
      const before = requests;
      cache.recheck();
      scheduler.advance(100);
      cache.stop();
      return requests - before;
    };
    expect(requestsOfRecheck((source) => source.through(identity))).toBe(1);
    expect(requestsOfRecheck((source) => source.pipe(map(identity)))).toBe(0);
    server.stop();
  });

  it('leaves the Observable that the operator returns unchanged', () => {
    const shared$ = fromEvents<CorePod>([watchEvent.listed([])]).pipe(share());
    const source = listWatch(client, corePods).through(() => shared$);
    expect(source).not.toBe(shared$);
    expect('resource' in shared$).toBe(false);
  });

  it('unsubscribes from the source when its subscriber leaves', () => {
    let open = 0;
    const exchange = () =>
      new Observable<never>(() => {
        open++;
        return () => open--;
      });
    const subscription = listWatch({ exchange }, corePods).through(identity).subscribe();
    expect(open).toBe(1);
    subscription.unsubscribe();
    expect(open).toBe(0);
  });

  it.each([
    ['waits for a write that the operator may drop', {}, []],
    ['does not wait for a write outside `selection`', { selection: () => false }, ['observed']],
  ])('%s', (_what, options, expected) => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler });
    const cache = informer(listWatch(server.client, corePods, { namespace: 'other' }).through(identity, options));
    cache.connect();
    const emitted: string[] = [];
    const metadata = { name: 'z', namespace: 'web', uid: 'z', resourceVersion: '9999' };
    cache.observed$({ apiVersion: 'v1', kind: 'Pod', metadata }).subscribe(() => emitted.push('observed'));
    scheduler.advance(1);
    expect(emitted).toEqual(expected);
    cache.stop();
    server.stop();
  });
});
