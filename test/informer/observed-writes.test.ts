import {
  type Pod as CorePod,
  pods as corePods,
  informer,
  type Informer,
  inNamespaces,
  listWatch,
  type ListWatchOptions,
  mergeSources,
  type Source,
} from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { metaNamespaceKey, partitionedKey, type WatchEvent, watchEvent } from 'rx-informers/store';
import { createInMemoryApiServer, informerTest } from 'rx-informers/testing';
import { concat, NEVER, of, Subject } from 'rxjs';
import { hasObserved, type Seen } from '../../src/informer/observed-writes.js';
import { aPod, type Pod, podOf } from '../fixtures/pods.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

const nothing = undefined;

describe('hasObserved', () => {
  it.each<[string, string, string | undefined, Partial<Seen>, boolean]>([
    ['this version is in the cache', 'a@5', 'a@5', {}, true],
    ['a newer version is in the cache', 'a@5', 'a@10', {}, true],
    ['an older version is in the cache', 'a@5', 'a@4', {}, false],
    ['an older version is in the cache, but the cache is further', 'a@5', 'a@4', { reached: ['9'] }, false],
    ['a later incarnation is in the cache', 'a@5', "a'@6", {}, true],
    ['an earlier incarnation is in the cache', "a'@6", 'a@5', {}, false],
    ['the object is missing, and the cache is further', 'a@5', nothing, { reached: ['6'] }, true],
    ['the object is missing, and the cache is at exactly this version', 'a@5', nothing, { reached: ['5'] }, true],
    ['the object is missing, and the cache is behind', 'a@5', nothing, { reached: ['4'] }, false],
    ['the object no longer matched, and matches again with this version', 'a@5', nothing, { wasCached: true }, false],
    ['the object is missing, and one partition is behind', 'a@5', nothing, { reached: ['6', '4'] }, false],
    ['the object is missing, and all partitions are further', 'a@5', nothing, { reached: ['6', '5'] }, true],
    ['the cache has never listed', 'a@5', nothing, { reached: [''] }, false],
    ['no partition is known', 'a@5', nothing, { reached: [] }, false],
    ['the cached object has no version, and the cache is further', 'a@5', 'a@', { reached: ['5'] }, true],
    ['the cached object has no version, and the cache is behind', 'a@5', 'a@', { reached: ['4'] }, false],
    ['opaque versions: this version is in the cache', 'a@x', 'a@x', {}, true],
    ['opaque versions: another version is in the cache', 'a@x', 'a@y', { wasCached: true }, false],
    [
      'opaque versions: the object is missing, and was in the cache before',
      'a@x',
      nothing,
      { wasCached: true, reached: ['y'] },
      true,
    ],
    ['opaque versions: the object is missing, and was never in the cache', 'a@x', nothing, { reached: ['y'] }, false],
    [
      'opaque versions: another incarnation is in the cache, and this one was before',
      'a@x',
      "a'@y",
      { wasCached: true },
      true,
    ],
    ['opaque versions: another incarnation is in the cache, and this one never was', 'a@x', "a'@y", {}, false],
    ['the object is missing, and the source does not select it', 'a@5', nothing, { isSelected: false }, true],
    ['an older version is in the cache, and this one is not selected', 'a@5', 'a@4', { isSelected: false }, false],
    ['a newer version is in the cache, and is selected again', 'a@5', 'a@6', { isSelected: false }, true],
    [
      'an earlier incarnation is in the cache, and this one is not selected',
      "a'@6",
      'a@5',
      { isSelected: false },
      true,
    ],
  ])('returns the expected value for a write if %s: %s under %s', (_when, object, stored, seen, expected) => {
    const cachedPod = stored === undefined ? undefined : podOf(stored);
    expect(hasObserved({ wasCached: false, reached: ['3'], ...seen, cached: cachedPod }, podOf(object))).toBe(expected);
  });

  it.each<[string, string, string | undefined, Partial<Seen>, boolean]>([
    ['the object is in the cache', 'a@', 'a@9', { reached: ['9'] }, false],
    ['the object is missing', 'a@', nothing, {}, true],
    ['another incarnation is in the cache', 'a@', "a'@2", {}, true],
    ['the object is missing, but its creation is still expected', 'a@5', nothing, { reached: ['4'] }, false],
    ['the object is missing, and the cache has received its creation', 'a@5', nothing, { reached: ['5'] }, true],
  ])('returns the expected value for a deletion if %s: %s under %s', (_when, object, stored, seen, expected) => {
    const cachedPod = stored === undefined ? undefined : podOf(stored);
    const all = { wasCached: false, reached: ['3'], ...seen, cached: cachedPod };
    expect(hasObserved(all, podOf(object), 'deleted')).toBe(expected);
  });

  it('compares only versions if an object has no uid', () => {
    const [four, five] = [4, 5].map((version) => aPod({ name: 'a', version }));
    expect(hasObserved({ cached: five, wasCached: false, reached: [] }, four)).toBe(true);
    expect(hasObserved({ cached: four, wasCached: false, reached: [] }, five)).toBe(false);
  });
});

describe('observed$', () => {
  const marbles = (
    test: (helpers: {
      observed: (
        events: string,
        object: string,
        values: Readonly<Record<string, WatchEvent<Pod> | WatchEvent<Pod>[]>>,
      ) => {
        toBe: (diagram: string) => void;
      };
    }) => void,
  ): void => {
    informerTest(({ cold, expectObservable }) => {
      test({
        observed: (events, object, values) => {
          const pods = informer<Pod>(cold(events, values));
          const connection = pods.connect();
          const assertion = expectObservable(pods.observed$(podOf(object)), '^ 50ms !');
          return {
            toBe: (diagram) => {
              assertion.toBe(diagram, { o: undefined });
              expect(connection.closed).toBe(false);
            },
          };
        },
      });
    });
  };

  const values = {
    L: listed([podOf('a@3'), podOf('b@2')], '3'),
    O: listed([podOf('a@3')], '9'),
    a: modified(podOf('a@5')),
    n: modified(podOf('a@7')),
    b: modified(podOf('b@4')),
    c: modified(podOf('b@8')),
    D: deleted(podOf('a@6')),
    R: added(podOf("a'@8")),
    K: bookmark('9'),
    X: [modified(podOf('a@5')), deleted(podOf('a@6'))],
  };

  it.each([
    ['emits at the event of the write, and completes', '-L-b-a---', 'a@5', '-----(o|)'],
    ['emits at a newer version', '-L-b-n---', 'a@5', '-----(o|)'],
    ['emits at once if the cache already has the version', 'L', 'a@3', '(o|)'],
    ['emits if a delete has overtaken the write', '-L-b-D---', 'a@5', '-----(o|)'],
    ['emits if the object was added and deleted within one batch', '-L-b-X---', 'a@5', '-----(o|)'],
    ['emits if another incarnation has the name', '-L-b-R---', 'a@5', '-----(o|)'],
    ['emits at a newer relist', '-L-b-O---', 'z@5', '-----(o|)'],
    ['does not emit at a relist with an older version of the object', '-L-b-O---', 'a@5', ''],
    [
      'emits when another object has a later version, for an object that is not selected',
      '-L-b-c---',
      'z@5',
      '-----(o|)',
    ],
    ['emits at a bookmark, for an object that is not selected', '-L-b-K---', 'z@5', '-----(o|)'],
    ['waits until the cache has reached the version', '-L-b-----', 'a@5', ''],
    ['waits for the first list', '-----L---', 'a@2', '-----(o|)'],
    ['completes without a value when the source completes', '-L-b-|', 'a@5', '-----|'],
  ])('observed$ and the cache: %s', (_sentence, events, object, expected) => {
    marbles(({ observed }) => {
      observed(events, object, values).toBe(expected);
    });
  });

  it('does not keep the informer running, and leaves nothing behind', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { linger: 0 });
    const waiting = pods.observed$(podOf('a@5')).subscribe();
    expect([pods.isRunning, source.observed]).toEqual([false, false]);
    const connection = pods.connect();
    waiting.unsubscribe();
    connection.unsubscribe();
    expect(pods.isRunning).toBe(false);
  });

  it('continues to wait in the next run after the last subscriber has unsubscribed', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { linger: 0 });
    const notified: string[] = [];
    pods
      .observed$(podOf('a@5'))
      .subscribe({ next: () => notified.push('observed'), complete: () => notified.push('complete') });
    pods.connect().unsubscribe();
    pods.connect();
    source.next(listed([podOf('a@5')], '5'));
    expect(notified).toEqual(['observed', 'complete']);
  });

  it('completes without a value when the informer is stopped', () => {
    const pods = informer<Pod>(NEVER);
    const notified: string[] = [];
    pods
      .observed$(podOf('a@5'))
      .subscribe({ next: () => notified.push('observed'), complete: () => notified.push('complete') });
    pods.connect();
    pods.stop();
    expect(notified).toEqual(['complete']);
  });

  it('completes at once if the source has completed without the version', () => {
    const pods = informer(of(listed([podOf('a@3')], '3')));
    const notified: string[] = [];
    pods.connect();
    for (const object of ['a@3', 'a@5']) {
      pods
        .observed$(podOf(object))
        .subscribe({ next: () => notified.push(object), complete: () => notified.push('complete') });
    }
    expect(notified).toEqual(['a@3', 'complete', 'complete']);
  });

  it('emits when every read and every other stream contains the write', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source);
    const seen: string[] = [];
    pods.get$('web/a').subscribe((object) => seen.push(object?.metadata.resourceVersion ?? 'none'));
    source.next(listed([podOf('a@3')], '3'));
    pods.observed$(podOf('a@5')).subscribe(() => seen.push(`observed ${pods.get('web/a')?.metadata.resourceVersion}`));
    source.next(modified(podOf('a@5')));
    expect(seen).toEqual(['3', '5', 'observed 5']);
  });

  it('throws at once for an object without a resourceVersion, or without a key', () => {
    const pods = informer<Pod>(NEVER);
    expect(() => pods.observed$(aPod({ name: 'a' }))).toThrow(
      expect.objectContaining({ code: 'RXI_UNVERSIONED_OBJECT', key: 'a' }),
    );
    expect(() => pods.observed$({ metadata: { name: '' }, spec: {} })).toThrow(
      expect.objectContaining({ code: 'RXI_INVALID_OBJECT' }),
    );
  });
});

describe('observed$ of a deletion', () => {
  it('emits when the cache no longer holds the uid, though another object may have taken the name', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source);
    const notified: string[] = [];
    pods.connect();
    pods.observed$(podOf('a@'), { deleted: true }).subscribe(() => notified.push('a gone'));
    pods.observed$(podOf('b'), { deleted: true }).subscribe(() => notified.push('b gone'));
    pods.observed$(podOf('c'), { deleted: true }).subscribe(() => notified.push('c gone'));
    expect(notified).toEqual([]);
    source.next(listed([podOf('a@3'), podOf('b@2')], '3'));
    expect(notified).toEqual(['c gone']);
    source.next(modified(podOf('a@5')));
    source.next(deleted(podOf('b@6')));
    expect(notified).toEqual(['c gone', 'b gone']);
    source.next(listed([podOf("a'@8")], '8'));
    expect(notified).toEqual(['c gone', 'b gone', 'a gone']);
  });

  it('throws for an object with neither uid nor resourceVersion', () => {
    const pods = informer<Pod>(NEVER);
    expect(() => pods.observed$({ metadata: { name: 'a' }, spec: {} }, { deleted: true })).toThrow(
      expect.objectContaining({ code: 'RXI_UNVERSIONED_OBJECT' }),
    );
  });
});

describe('observed$ of an object that the source filters out', () => {
  it.each<[string, ListWatchOptions<CorePod>]>([
    ['the namespace', { namespace: 'other' }],
    ['several namespaces', { namespace: inNamespaces(['other', 'another']) }],
    ['the label selector', { labelSelector: 'app=web' }],
    ['a label selector in object form', { labelSelector: { matchLabels: { app: 'web' } } }],
  ])('emits without waiting for the watch if %s filters it out, also through an overlay', (_what, options) => {
    const server = createInMemoryApiServer();
    for (const wrap of [(source: Source<CorePod>) => source, (source: Source<CorePod>) => overlay(source)]) {
      const cache = informer(wrap(listWatch(server.client, corePods, options)));
      const connection = cache.connect();
      const notified: string[] = [];
      const metadata = { name: 'z', namespace: 'web', uid: 'z', resourceVersion: '9999' };
      const written: CorePod = { apiVersion: 'v1', kind: 'Pod', metadata };
      cache.observed$(written).subscribe(() => notified.push('observed'));
      expect(notified).toEqual(['observed']);
      connection.unsubscribe();
    }
    server.stop();
  });

  it.each<[string, ListWatchOptions<CorePod>]>([
    ['no filter applies', {}],
    ['one of the namespaces is the empty string, which means all', { namespace: inNamespaces(['']) }],
    ['only the server can evaluate the filter (a field selector)', { fieldSelector: 'spec.nodeName=n1' }],
    ['its namespace and labels match', { namespace: 'web', labelSelector: 'app' }],
  ])('waits for the watch if %s', (_what, options) => {
    const server = createInMemoryApiServer();
    const cache = informer(listWatch(server.client, corePods, options));
    const connection = cache.connect();
    const notified: string[] = [];
    const metadata = { name: 'z', namespace: 'web', uid: 'z', resourceVersion: '9999', labels: { app: 'a' } };
    cache.observed$({ apiVersion: 'v1', kind: 'Pod', metadata }).subscribe(() => notified.push('observed'));
    expect(notified).toEqual([]);
    connection.unsubscribe();
    server.stop();
  });
});

describe('observed$ of merged sources', () => {
  function merged(keyOf = metaNamespaceKey as (object: Pod) => string) {
    const [east, west] = [new Subject<WatchEvent<Pod>>(), new Subject<WatchEvent<Pod>>()];
    const pods = informer(mergeSources({ east, west }), { keyOf });
    pods.connect();
    east.next(listed([podOf('a@3')], '3'));
    west.next(listed<Pod>([], '3'));
    const notified: string[] = [];
    const notify = (name: string) => () => notified.push(name);
    return { east, west, pods, notified, notify };
  }

  it('waits for every partition if the partition of the object is unknown', () => {
    const { east, west, pods, notified, notify } = merged();
    pods.observed$(podOf('z@5')).subscribe(notify('z'));
    east.next(bookmark('9'));
    expect(notified).toEqual([]);
    west.next(modified(podOf('c@6')));
    expect(notified).toEqual(['z']);
  });

  it('waits for the given partition', () => {
    const { east, west, pods, notified, notify } = merged(partitionedKey<Pod>());
    pods.observed$(podOf('a@5'), { partition: 'east' }).subscribe(notify('a in the east'));
    pods.observed$(podOf('z@5'), { partition: 'west' }).subscribe(notify('z in the west'));
    west.next(modified(podOf('a@6')));
    expect(notified).toEqual(['z in the west']);
    east.next(modified(podOf('a@5')));
    expect(notified).toEqual(['z in the west', 'a in the east']);
  });

  it('forgets the versions with the cache', () => {
    const { pods, notified, notify } = merged();
    pods.stop();
    pods.observed$(podOf('z@2')).subscribe(notify('z'));
    pods.connect();
    expect(notified).toEqual([]);
  });

  it('does not wait for a partition that has left', () => {
    const [east, west] = [of(listed([podOf('a@3')], '9')), concat(of(listed<Pod>([], '3')), NEVER)];
    const sets = new Subject<Readonly<Record<string, typeof west>>>();
    const pods = informer(mergeSources(sets));
    const notified: string[] = [];
    pods.connect();
    sets.next({ east: concat(east, NEVER), west });
    pods.observed$(podOf('z@5')).subscribe(() => notified.push('z'));
    expect(notified).toEqual([]);
    sets.next({});
    sets.next({ east: concat(east, NEVER) });
    expect(notified).toEqual(['z']);
  });
});

describe('whenObserved', () => {
  function running(): { readonly source: Subject<WatchEvent<Pod>>; readonly pods: Informer<Pod> } {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source);
    pods.connect();
    source.next(listed([podOf('a@3')], '3'));
    return { source, pods };
  }

  it('resolves when the cache has caught up, and leaves no listener on the signal', async () => {
    const { source, pods } = running();
    const { signal } = new AbortController();
    const removed: string[] = [];
    const remove = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (...input: Parameters<typeof remove>) => {
      removed.push(input[0]);
      remove(...input);
    };
    const observed = pods.whenObserved(podOf('a@5'), { signal });
    source.next(modified(podOf('a@5')));
    await expect(observed).resolves.toBeUndefined();
    expect(removed).toEqual(['abort']);
  });

  it('resolves if the cache is up to date already, aborted or not', async () => {
    const { pods } = running();
    await expect(pods.whenObserved(podOf('a@3'), { signal: AbortSignal.abort() })).resolves.toBeUndefined();
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const observed = running().pods.whenObserved(podOf('a@5'), { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(observed).rejects.toThrow('enough');
  });

  it('rejects if nothing keeps the informer running, because it would wait forever', async () => {
    await expect(informer<Pod>(NEVER).whenObserved(podOf('a@5'))).rejects.toMatchObject({
      code: 'RXI_NOT_RUNNING',
      when: 'never-started',
    });
  });

  it.each([
    ['stop() is called', ({ pods }: ReturnType<typeof running>) => pods.stop()],
    ['the source completes', ({ source }: ReturnType<typeof running>) => source.complete()],
  ])('rejects if %s before', async (_when, act) => {
    const made = running();
    const observed = made.pods.whenObserved(podOf('a@5'));
    act(made);
    await expect(observed).rejects.toMatchObject({ code: 'RXI_NOT_RUNNING', when: 'stopped-before-observed' });
  });

  it('rejects for an object without a resourceVersion', async () => {
    await expect(running().pods.whenObserved(aPod({ name: 'a' }))).rejects.toMatchObject({
      code: 'RXI_UNVERSIONED_OBJECT',
      key: 'a',
    });
  });
});
