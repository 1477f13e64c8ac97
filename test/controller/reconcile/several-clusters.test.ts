import {
  configMaps,
  indexByOwner,
  informer,
  listWatch,
  mergeSources,
  type ConfigMap,
  type KubeClient,
} from 'rx-informers';
import {
  controller,
  leader$,
  setControllerReference,
  whileLeading,
  type ReconcileRequest,
} from 'rx-informers/controller';
import { partitionedKey, splitPartitionedKey } from 'rx-informers/store';
import { aConfigMap, createInMemoryApiServer, randomFromSeed, virtualClock } from 'rx-informers/testing';
import { BehaviorSubject, concat, EMPTY, ignoreElements, merge, mergeMap, Subject, timer, type Observable } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { Link } from '../membership/support/link.js';
import { scale, scales, type Scale } from './support/scaling.js';
import { notify } from './support/words.js';

type Name = 'eu' | 'us';
type ClientOfPartition = (partition: string) => KubeClient | undefined;

const clock = virtualClock();
const scheduler = clock;

/** A cluster, and the writes that it has received. */
function cluster(name: Name, seed: number) {
  const server = createInMemoryApiServer({ scheduler, random: randomFromSeed(seed), resources: [scales] });
  const writes: string[] = [];
  server.requests$.subscribe(({ method, path }) => {
    if (method !== 'GET') writes.push(`${method} ${path}`);
  });
  const children = (): readonly ConfigMap[] => server.objects.list(configMaps);
  return { name, server, writes, children };
}

/** Two clusters, and a controller that creates the children of the scales of both. */
function twoClusters() {
  const eu = cluster('eu', 1);
  const us = cluster('us', 2);
  return { eu, us };
}

type Clusters = ReturnType<typeof twoClusters>;

/** One replica of the controller. Its watches of ConfigMaps are late by `lag`. */
function replica({ eu, us }: Clusters, lag: Readonly<Record<Name, number>> = { eu: 0, us: 0 }) {
  const input = { scheduler, random: () => 0 };
  const keyOf = partitionedKey();
  const linkTo = ({ name, server }: Clusters[Name]): KubeClient => {
    if (lag[name] === 0) return server.client;
    const link = new Link(server.client, clock);
    link.lag = lag[name];
    return link.client;
  };
  const clients = { eu: linkTo(eu), us: linkTo(us) };
  const options = { keyOf, scheduler, linger: 0 };
  const parents = informer(
    mergeSources({ eu: listWatch(eu.server.client, scales, input), us: listWatch(us.server.client, scales, input) }),
    options,
  );
  const children = informer(
    mergeSources({ eu: listWatch(clients.eu, configMaps, input), us: listWatch(clients.us, configMaps, input) }),
    { ...options, resource: configMaps, indexers: { owner: indexByOwner } },
  );
  const clientOfPartition: ClientOfPartition = (partition) =>
    (clients as Readonly<Record<string, KubeClient>>)[partition];
  const reconcile = ({ key, object, clientOf }: ReconcileRequest<Scale, KubeClient>): Observable<unknown> => {
    if (!object) return EMPTY;
    const { partition } = splitPartitionedKey(key);
    const { name, namespace, uid } = object.metadata;
    const own = children.byIndex('owner', uid);
    const missing = Math.max(0, object.spec.replicas - own.length);
    const direct = clientOf(configMaps, { scheduler });
    return merge(
      ...Array.from({ length: missing }, () => {
        const child = { metadata: { generateName: `${name}-`, namespace }, data: { cluster: partition } };
        return direct.create(setControllerReference(object, child));
      }),
      ...own.slice(object.spec.replicas).map(({ metadata }) => direct.delete(`${namespace}/${metadata.name}`)),
    ).pipe(mergeMap(() => EMPTY));
  };
  const stop$ = new Subject<void>();
  const controlled = (client: ClientOfPartition = clientOfPartition) =>
    controller({ for: parents, owns: [children], client, scheduler, stop$, concurrency: 8, reconcile });
  return { parents, children, clients, clientOfPartition, controlled, stop$, reconcile };
}

const names = Array.from({ length: 250 }, (_, index) => `scale-${index}`);

describe('controller({ client: (partition) => … }): several clusters', () => {
  it('sends 1,000 writes to the cluster of the reconciled object, and none to the other cluster', () => {
    const clusters = twoClusters();
    for (const { server } of Object.values(clusters)) server.apply(names.map((name) => scale(name, 2)));
    const { subscription, words } = notify(replica(clusters).controlled());
    clock.advance(1_000);
    for (const { name, writes, children } of Object.values(clusters)) {
      expect(writes).toHaveLength(500);
      expect(children().filter(({ data }) => data?.['cluster'] !== name)).toEqual([]);
    }
    expect(words.filter((word) => /failed|held|released/.test(word))).toEqual([]);
    subscription.unsubscribe();
  });

  it('reconciles the owner in the cluster of an owned object that was deleted', () => {
    const clusters = twoClusters();
    for (const { server } of Object.values(clusters)) server.apply(scale('a', 1));
    const { subscription, news } = notify(replica(clusters).controlled());
    clock.advance(1_000);
    news();
    const [child] = clusters.us.children();
    clusters.us.server.remove(configMaps, child?.metadata.name ?? '', 'default');
    clock.advance(1_000);
    expect(new Set(news().map((word) => word.split(' ')[0]))).toEqual(new Set(['us:default/a']));
    expect([clusters.eu.children().length, clusters.us.children().length]).toEqual([1, 1]);
    subscription.unsubscribe();
  });

  it('holds a key until the cache shows its writes in its own cluster, and keys of other clusters run meanwhile', () => {
    const clusters = twoClusters();
    const { eu, us } = clusters;
    for (const { server } of [eu, us]) server.apply(scale('a', 1));
    const { subscription, words } = notify(replica(clusters, { eu: 3_000, us: 0 }).controlled());
    clock.advance(3_001);
    for (const replicas of [2, 3, 2]) {
      for (const { server } of [eu, us]) server.apply(scale('a', replicas));
      clock.advance(100);
    }
    expect([eu.children().length, us.children().length]).toEqual([1, 2]);
    clock.advance(30_000);
    expect([eu.children().length, us.children().length]).toEqual([2, 2]);
    // One child, then one more: the cache in eu has never led to a surplus child.
    expect([eu.writes.length, us.writes.length]).toEqual([2, 4]);
    expect(words.filter((word) => /failed|released/.test(word))).toEqual([]);
    subscription.unsubscribe();
  });

  it('does not wait for a cache that reads another cluster than the written one', () => {
    const clusters = twoClusters();
    clusters.eu.server.apply(scale('a', 1));
    const { parents, children, clientOfPartition, reconcile } = replica(clusters);
    const hub = createInMemoryApiServer({ scheduler });
    const settings = informer(hub.client, configMaps, { scheduler, linger: 0 });
    const { subscription, words } = notify(
      controller({
        for: parents,
        owns: [children],
        watches: [{ source: settings, map: () => [] }],
        client: clientOfPartition,
        scheduler,
        reconcile,
      }),
    );
    clock.advance(1_000);
    clusters.eu.server.apply(scale('a', 2));
    clock.advance(60_000);
    expect(clusters.eu.children()).toHaveLength(2);
    expect(words.filter((word) => /held|released/.test(word))).toEqual([]);
    subscription.unsubscribe();
  });

  it.each([
    ['returns no client', (): undefined => undefined],
    [
      'throws',
      (): never => {
        throw new Error('not connected');
      },
    ],
  ])('refuses to write, with RXI_UNKNOWN_PARTITION, if the function %s for a partition', (_what, unknown) => {
    const clusters = twoClusters();
    for (const { server } of Object.values(clusters)) server.apply(scale('a', 1));
    const { controlled, clientOfPartition } = replica(clusters);
    const running = controlled((partition) => (partition === 'us' ? unknown() : clientOfPartition(partition)));
    const { subscription, events } = notify(running);
    clock.advance(500);
    expect([clusters.eu.writes.length, clusters.us.writes.length]).toEqual([1, 0]);
    const failed = events.filter((event) => event.type === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    for (const { key, error } of failed) {
      expect(key).toBe('us:default/a');
      expect(error).toEqual(errorWith('RXI_UNKNOWN_PARTITION'));
    }
    subscription.unsubscribe();
  });

  describe('if a cluster leaves while a run writes to it', () => {
    /** A controller whose runs write one child at once, and one a second later. */
    function leaving() {
      const { eu, us } = twoClusters();
      const other = cluster('us', 3);
      for (const { server } of [eu, us, other]) server.apply(scale('a', 1));
      const sourceOf = ({ server }: Clusters[Name]) => listWatch(server.client, scales, { scheduler });
      const ofEu = sourceOf(eu);
      const sources$ = new BehaviorSubject<Readonly<Record<string, typeof ofEu>>>({ eu: ofEu, us: sourceOf(us) });
      const clients = new Map<string, KubeClient>([
        ['eu', eu.server.client],
        ['us', us.server.client],
      ]);
      const parents = informer(mergeSources(sources$), { keyOf: partitionedKey(), resource: scales, scheduler });
      const notified = notify(
        controller({
          for: parents,
          client: (partition) => clients.get(partition),
          scheduler,
          concurrency: 2,
          reconcile: ({ object, clientOf }) => {
            if (!object) return clientOf(configMaps).delete('default/first').pipe(ignoreElements());
            const create = (name: string) =>
              clientOf(configMaps).create({
                metadata: { name, namespace: 'default' },
                data: { uid: object.metadata.uid },
              });
            return concat(create('first'), timer(1_000, scheduler).pipe(mergeMap(() => create('second')))).pipe(
              ignoreElements(),
            );
          },
        }),
      );
      clock.advance(500);
      const uidsIn = ({ children }: Clusters[Name]) => new Set(children().map(({ data }) => data?.['uid']));
      return { eu, us, other, ofEu, ofOther: sourceOf(other), sources$, clients, uidsIn, ...notified };
    }

    it('finishes the run in that cluster only, and refuses the next run with RXI_UNKNOWN_PARTITION', () => {
      const { eu, us, ofEu, sources$, clients, subscription, events } = leaving();
      sources$.next({ eu: ofEu });
      clients.delete('us');
      clock.advance(60_000);
      expect([eu, us].map(({ children }) => children().length)).toEqual([2, 2]);
      expect(eu.writes).toHaveLength(2);
      const ends = events.filter(({ type }) => type === 'succeeded' || type === 'failed');
      expect(ends.slice(0, 3)).toMatchObject([
        { type: 'succeeded', key: 'eu:default/a' },
        { type: 'succeeded', key: 'us:default/a' },
        { type: 'failed', key: 'us:default/a', error: errorWith('RXI_UNKNOWN_PARTITION') },
      ]);
      subscription.unsubscribe();
    });

    it('never writes to another cluster that takes its name', () => {
      const { us, other, ofEu, ofOther, sources$, clients, uidsIn, subscription } = leaving();
      sources$.next({ eu: ofEu });
      clients.set('us', other.server.client);
      sources$.next({ eu: ofEu, us: ofOther });
      clock.advance(60_000);
      const uidOf = ({ server }: Clusters[Name]) => server.objects.get(scales, 'a', 'default')?.metadata.uid;
      expect(uidsIn(us)).toEqual(new Set([uidOf(us)]));
      expect(uidsIn(other)).toEqual(new Set([uidOf(other)]));
      subscription.unsubscribe();
    });
  });

  it('refuses a function if the keys of the collection have no partition', () => {
    const { server } = cluster('eu', 1);
    const parents = informer(server.client, scales, { scheduler });
    const make = () => controller({ for: parents, client: () => server.client, reconcile: () => undefined });
    expect(make).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('lets a new leader wait for the writes of the former leader in the cluster of the key only', () => {
    const clusters = twoClusters();
    // The versions of us are far ahead of those of eu.
    for (let count = 0; count < 100; count++) clusters.us.server.apply(aConfigMap({ name: `other-${count}` }));
    const hub = createInMemoryApiServer({ scheduler });
    const start = (identity: string, lag: Readonly<Record<Name, number>>) => {
      const { controlled, stop$, parents, children } = replica(clusters, lag);
      for (const warm of [parents, children]) warm.connect();
      const succeeded = new Map<string, number>();
      const lease = { namespace: 'default', name: 'scaler' };
      const election$ = leader$(hub.client, { identity, scheduler, random: () => 0.5, lease });
      const subscription = election$.pipe(whileLeading(controlled(), { stop$ })).subscribe((event) => {
        if (event.type === 'succeeded' && !succeeded.has(event.key)) succeeded.set(event.key, clock.now());
      });
      return { stop$, succeeded, subscription };
    };
    const first = start('first', { eu: 0, us: 0 });
    const second = start('second', { eu: 5_000, us: 0 });
    clock.advance(10_000);
    for (const { server } of Object.values(clusters)) server.apply(scale('a', 3));
    clock.advance(500);
    const leftAt = clock.now();
    first.stop$.next();
    clock.advance(20_000);
    const at = (name: Name): number => (second.succeeded.get(`${name}:default/a`) ?? NaN) - leftAt;
    expect(at('us')).toBeLessThan(4_000);
    expect(at('eu')).toBeGreaterThan(4_000);
    // Three children each: neither leader has created one twice.
    expect([clusters.eu.writes.length, clusters.us.writes.length]).toEqual([3, 3]);
    for (const { subscription } of [first, second]) subscription.unsubscribe();
  });
});
