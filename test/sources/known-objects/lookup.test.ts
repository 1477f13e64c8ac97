import { informer, inNamespaces, listWatch, mergeSources, type Informer } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { dropManagedFields } from 'rx-informers/resources';
import { partitionedKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { BehaviorSubject, Observable, Subject } from 'rxjs';
import { sourceWithKnownObjects, type KnownObjects, type Source } from '../../../src/sources/model/source.js';
import { podOf, pods, type Pod } from '../../fixtures/pods.js';
import { collectUntil } from '../../support/collect-until.js';
import { scriptedClient } from '../support/scripted-client.js';
import { ModelServer } from './support/model-server.js';

const { listed, modified } = watchEvent;

/** A source that records what its subscriber holds. */
function askingSource() {
  const events$ = new Subject<WatchEvent<Pod>>();
  const seen: KnownObjects<Pod>[] = [];
  let subscriptions = 0;
  const withKnownObjects = (known: KnownObjects<unknown>): Source<Pod> =>
    new Observable((subscriber) => {
      seen.push(known as KnownObjects<Pod>);
      subscriptions++;
      return events$.subscribe(subscriber);
    });
  return {
    source: Object.assign(events$.asObservable(), { withKnownObjects }),
    events$,
    get known() {
      return seen.at(-1);
    },
    get subscriptions() {
      return subscriptions;
    },
  };
}

describe('a source of an informer', () => {
  it('can look up the objects that the informer contains', () => {
    const asking = askingSource();
    const informed = informer(asking.source, { scheduler: virtualClock() });
    informed.connect();
    asking.events$.next(listed([podOf('a@1')], '1'));
    expect(asking.known?.get('web/a')).toBe(informed.get('web/a'));
    asking.events$.next(modified(podOf('a@2')));
    expect(asking.known?.get('web/a')).toBe(informed.get('web/a'));
    expect(asking.known?.get('web/b')).toBeUndefined();
    informed.stop();
    expect(asking.known?.get('web/a')).toBeUndefined();
  });

  it('cannot look up objects of an informer with keys of its own', () => {
    const asking = askingSource();
    informer(asking.source, { keyOf: partitionedKey(), scheduler: virtualClock() }).connect();
    expect(asking.known).toBeUndefined();
  });

  it('cannot look up objects through an overlay, which also contains objects that no source has delivered', () => {
    const asking = askingSource();
    informer(overlay(asking.source), { scheduler: virtualClock() }).connect();
    expect(asking.known).toBeUndefined();
  });
});

describe('the references of a list-watch to the objects of its subscriber', () => {
  /** Returns references to an object and its spec, which nothing else refers to. */
  function runOnce(cache: Informer<Pod>, server: ModelServer, clock: VirtualClock): readonly WeakRef<object>[] {
    cache.connect();
    clock.advance(1);
    server.run({ type: 'status', name: 'a' });
    server.run({ type: 'expire' });
    clock.advance(10_000);
    const pod = cache.get('web/a') as Pod;
    expect(pod.metadata.resourceVersion).toBe(server.get('a')?.metadata.resourceVersion);
    cache.stop();
    return [new WeakRef(pod), new WeakRef(pod.spec)];
  }

  it.each(['pages', 'stream'] as const)(
    'keep none of them alive when the informer is stopped (%s)',
    async (initialList) => {
      const clock = virtualClock();
      const server = new ModelServer(clock);
      server.run({ type: 'create', name: 'a' });
      const source = listWatch(server.client, pods, { initialList });
      const cache = informer(source, { scheduler: clock });
      const references = runOnce(cache, server, clock);
      await collectUntil(() => references.every((reference) => reference.deref() === undefined));
      // Both are still in use.
      expect(cache.isRunning).toBe(false);
      expect(source).toBeDefined();
    },
  );
});

describe('the members of a merged source', () => {
  it('can look up their own objects, and no others', () => {
    const [east, west] = [askingSource(), askingSource()];
    const informed = informer(mergeSources({ east: east.source, west: west.source }), { scheduler: virtualClock() });
    informed.connect();
    east.events$.next(listed([podOf('a@1')], '1'));
    west.events$.next(listed([podOf('b@1')], '1'));
    expect(east.known?.get('web/a')).toBe(informed.get('web/a'));
    expect(east.known?.get('web/b')).toBeUndefined();
    expect(west.known?.get('web/a')).toBeUndefined();
    expect(west.known?.get('web/b')).toBe(informed.get('web/b'));
  });

  it('can look up their objects also in nested merged sources', () => {
    const asking = askingSource();
    const inner = mergeSources({ inner: asking.source });
    const informed = informer(mergeSources({ outer: inner }), { scheduler: virtualClock() });
    informed.connect();
    asking.events$.next(listed([podOf('a@1')], '1'));
    expect(asking.known?.get('web/a')).toBe(informed.get('web/a'));
    expect(asking.known?.get('web/a', 'inner')).toBeUndefined();
  });

  it('stay subscribed when the set changes and still contains them', () => {
    const [east, west] = [askingSource(), askingSource()];
    const sets$ = new BehaviorSubject<Readonly<Record<string, Source<Pod>>>>({ east: east.source });
    const informed = informer(mergeSources(sets$), { scheduler: virtualClock() });
    informed.connect();
    east.events$.next(listed([podOf('a@1')], '1'));
    sets$.next({ east: east.source, west: west.source });
    expect([east.subscriptions, west.subscriptions]).toEqual([1, 1]);
    expect(east.known?.get('web/a')).toBe(informed.get('web/a'));
  });
});

describe('a list-watch', () => {
  const client = scriptedClient([]);

  it.each<[string, Source<unknown>]>([
    ['without options', listWatch(client, pods)],
    ['with metadataOnly', listWatch(client, pods, { metadataOnly: true })],
    ['with the default transform', listWatch(client, pods, { transform: dropManagedFields })],
    ['of several namespaces', listWatch(client, pods, { namespace: inNamespaces(['web', 'api']) })],
  ])('%s reuses the objects of its subscriber', (_which, source) => {
    expect(sourceWithKnownObjects(source, { get: () => undefined, size: 0 })).not.toBe(source);
  });

  it('with a custom transform reuses no objects, because its result does not tell what was received', () => {
    const source = listWatch(client, pods, { transform: (pod) => pod });
    expect(sourceWithKnownObjects(source, { get: () => undefined, size: 0 })).toBe(source);
  });
});
