import { configMaps, informer, listWatch, mergeSources, type ConfigMap, type Informer } from 'rx-informers';
import {
  controller,
  newlyOwnedKeys,
  leader$,
  membership$,
  whileLeading,
  whileOwned,
  type Leading,
  type ReconcileEvent,
  type ReconcileRequest,
} from 'rx-informers/controller';
import { aConfigMap, createInMemoryApiServer, randomFromSeed, virtualClock } from 'rx-informers/testing';
import { merge, Subject, switchMap, timer } from 'rxjs';
import { Link } from '../membership/support/link.js';
import { scale, scales, scaleTo, type Scale } from './support/scaling.js';

type Mode = 'leader' | 'membership';

const names = Array.from({ length: 20 }, (_, index) => `scale-${index}`);

/** Two replicas of one controller, which creates ConfigMaps with generated names. */
class Replicas {
  readonly clock = virtualClock();
  readonly server = createInMemoryApiServer({ scheduler: this.clock, random: randomFromSeed(1), resources: [scales] });
  /** The lists and watches of ConfigMaps since the last call of `clear`. */
  readonly reads: string[] = [];
  /** The number of children that were created. */
  created = 0;

  constructor(readonly mode: Mode) {
    this.server.requests$.subscribe(({ method, path, query }) => {
      if (!path.endsWith('/configmaps')) return;
      if (method === 'POST') this.created++;
      if (method !== 'GET') return;
      const version = query.get('resourceVersion') === null ? '' : ' at a version';
      this.reads.push(`${query.get('watch') === null ? 'list' : 'watch'}${version}`);
    });
  }

  /** Starts a replica. Its watches of ConfigMaps are `lag` milliseconds late. */
  start(identity: string, { lag, ...options }: { readonly lag: number; readonly observeTimeout?: number }) {
    const { clock: scheduler, server, mode } = this;
    const { client } = server;
    const late = new Link(client, scheduler);
    late.lag = lag;
    const input = { scheduler, random: () => 0, linger: 0 };
    const scaleInformer = informer(client, scales, input);
    const children: Informer<ConfigMap> = informer(late.client, configMaps, input);
    for (const warm of [scaleInformer, children]) warm.connect();
    const work = scaleTo(client, children, scheduler);
    const stop$ = new Subject<void>();
    const events: ReconcileEvent[] = [];
    const common = {
      for: scaleInformer,
      owns: [children],
      client,
      stop$,
      scheduler,
      concurrency: 4,
      ...options,
    } as const;
    const election = { identity, scheduler, random: () => 0.5 };
    const group = { namespace: 'default', name: 'scaler' };
    const running$ = (): ReturnType<typeof controller> => {
      if (mode === 'leader') return controller({ ...common, reconcile: work });
      const mine$ = membership$(client, { ...election, group });
      return controller({
        ...common,
        watches: [{ source: newlyOwnedKeys(scaleInformer, mine$, { scheduler }), map: ({ key }) => key }],
        reconcile: (request: ReconcileRequest<Scale>) => whileOwned(mine$, request, () => work(request)),
      });
    };
    const controlled$ = running$();
    const events$ =
      mode === 'membership'
        ? controlled$
        : leader$(client, { ...election, lease: group }).pipe(whileLeading(controlled$, { stop$ }));
    const subscription = events$.subscribe((event) => events.push(event));
    const runs = (type: ReconcileEvent['type']): number => events.filter((event) => event.type === type).length;
    return { children, late, stop: () => stop$.next(), subscription, events, runs };
  }

  scaleAll(replicas: number): void {
    this.server.apply(names.map((name) => scale(name, replicas)));
  }
}

/** Returns the Lease that an earlier leader has released, with the versions that it left. */
const leftLease = (written: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: 'scaler',
    namespace: 'default',
    annotations: { 'rx-informers.github.io/written-versions': written },
  },
  spec: { holderIdentity: '' },
});

describe.each<Mode>(['leader', 'membership'])('%s: a new owner never acts on a cache that lags behind', (mode) => {
  it.each([3_000, 5_000])('creates no child twice if its watch is %i ms late, and lists once', (lag) => {
    const replicas = new Replicas(mode);
    const a = replicas.start('a', { lag: 0 });
    replicas.clock.advance(5_000);
    const b = replicas.start('b', { lag });
    replicas.clock.advance(15_000);
    replicas.scaleAll(3);
    replicas.clock.advance(10_000);
    expect(replicas.created).toBe(60);
    replicas.scaleAll(6);
    replicas.clock.advance(100);
    a.stop();
    replicas.reads.length = 0;
    replicas.clock.advance(20_000);
    expect(replicas.created).toBe(120);
    expect(replicas.reads).toEqual(['list at a version', 'watch at a version']);
    expect(b.runs('released')).toBe(0);
    b.subscription.unsubscribe();
  });

  it('sends no request and holds no key if the caches have the writes already', () => {
    const replicas = new Replicas(mode);
    const a = replicas.start('a', { lag: 0 });
    replicas.clock.advance(5_000);
    const b = replicas.start('b', { lag: 0 });
    replicas.clock.advance(5_000);
    replicas.scaleAll(3);
    replicas.clock.advance(5_000);
    replicas.reads.length = 0;
    const skipped = b.runs('skipped');
    a.stop();
    replicas.clock.advance(10_000);
    expect([replicas.created, replicas.reads, b.runs('skipped') - skipped]).toEqual([60, [], 0]);
    b.subscription.unsubscribe();
  });
});

describe('the versions that a former leader left', () => {
  it('are awaited for at most observeTimeout; then a released event names the resource and the version', () => {
    const replicas = new Replicas('leader');
    replicas.server.apply(leftLease('configmaps: 999999999, pods: 7'));
    replicas.scaleAll(1);
    const b = replicas.start('b', { lag: 0, observeTimeout: 30_000 });
    replicas.clock.advance(29_000);
    expect([b.runs('held'), b.runs('skipped'), replicas.created]).toEqual([20, 20, 0]);
    replicas.clock.advance(2_000);
    expect(b.events.find(({ type }) => type === 'released')).toMatchObject({
      because: 'unobserved',
      heldFor: 30_000,
      writes: [{ resource: 'configmaps', resourceVersion: '999999999', trigger: 'owns[0]', verb: undefined }],
    });
    expect(replicas.created).toBe(20);
    replicas.scaleAll(2);
    replicas.clock.advance(2_000);
    expect([b.runs('released'), replicas.created]).toEqual([20, 40]);
    b.subscription.unsubscribe();
  });

  it('are not awaited if they cannot be compared', () => {
    const replicas = new Replicas('leader');
    replicas.server.apply(leftLease('configmaps: v7, everything else'));
    replicas.scaleAll(1);
    const b = replicas.start('b', { lag: 0 });
    replicas.clock.advance(1_000);
    expect([replicas.created, b.runs('skipped')]).toEqual([20, 0]);
    b.subscription.unsubscribe();
  });

  it('are awaited by the controller that is the work, and by each one that takes part, and by no other', () => {
    const { clock: scheduler, server } = new Replicas('leader');
    const { client } = server;
    server.apply([leftLease('configmaps: 999999999'), aConfigMap({ name: 'a', namespace: 'default' })]);
    const cache = informer(client, configMaps, { scheduler, random: () => 0, linger: 0 });
    const ran: string[] = [];
    const named = (name: string) =>
      controller({ name, for: cache, client, scheduler, reconcile: () => void ran.push(name) });
    const works = (leading: Leading) =>
      merge(
        named('merged').within(leading),
        timer(100, scheduler).pipe(switchMap(() => named('later').within(leading))),
      );
    const lease = { namespace: 'default', name: 'scaler' };
    const lifetime = named('before').subscribe();
    const leadership$ = leader$(client, { identity: 'b', lease, scheduler, random: () => 0 });
    lifetime.add(leadership$.pipe(whileLeading(works)).subscribe());
    lifetime.add(leadership$.pipe(whileLeading(named('alone'))).subscribe());
    lifetime.add(leadership$.pipe(whileLeading(() => named('apart'))).subscribe());
    scheduler.advance(1_000);
    lifetime.add(named('after').subscribe());
    scheduler.advance(5_000);
    expect(ran).toEqual(['before', 'apart', 'after']);
    lifetime.unsubscribe();
  });

  it('are awaited in a merged cache only in the cluster to which the controller writes', () => {
    const replicas = new Replicas('leader');
    const { clock: scheduler, server } = replicas;
    const west = createInMemoryApiServer({ scheduler, random: randomFromSeed(2) });
    const merged = (version: string) => {
      server.apply(leftLease(`configmaps: ${version}`));
      const sources = { east: server.client, west: west.client };
      const cache = informer(
        mergeSources({
          east: listWatch(sources.east, configMaps, { scheduler }),
          west: listWatch(sources.west, configMaps, { scheduler }),
        }),
        { scheduler, linger: 0 },
      );
      const keys: string[] = [];
      const subscription = leader$(server.client, {
        identity: version,
        lease: { namespace: 'default', name: 'scaler' },
        scheduler,
        random: () => 0,
      })
        .pipe(
          whileLeading(
            controller({ for: cache, client: server.client, scheduler, reconcile: ({ key }) => void keys.push(key) }),
          ),
        )
        .subscribe();
      scheduler.advance(1_000);
      subscription.unsubscribe();
      scheduler.advance(1_000);
      return keys;
    };
    server.apply(aConfigMap({ name: 'a', namespace: 'default' }));
    const reached = server.objects.get<ConfigMap>(configMaps, 'a', 'default')?.metadata.resourceVersion ?? '';
    expect(west.objects.list(configMaps)).toEqual([]);
    expect(merged(reached)).toEqual(['default/a']);
    expect(merged('999999999')).toEqual([]);
  });
});
