import { expectTypeOf } from 'expect-type';
import {
  type Collection,
  createIndexer,
  type Informer,
  type Deployment,
  type ReplicaSet,
  type ConfigMap,
  type Pod,
  filterUpdates,
  generationChanged,
  configMaps,
  informer,
  listWatch,
  pods,
} from 'rx-informers';
import {
  type ControllerOptions,
  controller,
  type Controller,
  type ReconcileReason,
  type ReconcileRequest,
  requeueAfter,
  type Readiness,
} from 'rx-informers/controller';
import { changed, type WatchEventBatch, watchEvent } from 'rx-informers/store';
import { aConfigMap, aPod, createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { of, type Observable, Subject } from 'rxjs';
import { step, type Input } from '../../../src/controller/reconcile/controller-run.js';
import { aSite, store, type Thing } from './support/stores.js';

declare const deploymentInformer: Informer<Deployment>;

declare const podInformer: Informer<Pod, 'node'>;

declare const replicaSets: Collection<ReplicaSet>;

declare const configMapInformer: Informer<ConfigMap>;

declare const hooks$: Observable<{ readonly path: string }>;

describe('controller: types', () => {
  it('infers the type of every source without an annotation', () => {
    const make = () =>
      controller({
        for: { source: deploymentInformer, through: filterUpdates(generationChanged) },
        owns: [
          podInformer,
          {
            source: replicaSets,
            everyOwner: true,
            through: filterUpdates(changed((replicaSet) => replicaSet.status?.replicas)),
          },
        ],
        watches: [
          {
            source: configMapInformer,
            through: filterUpdates(generationChanged),
            map: (configMap) => {
              expectTypeOf(configMap).toEqualTypeOf<ConfigMap>();
              return configMap.data?.['site'];
            },
          },
          {
            source: hooks$,
            map: (hook) => {
              expectTypeOf(hook).toEqualTypeOf<{ readonly path: string }>();
              return [hook.path];
            },
          },
        ],
        reconcile: async ({ key, object, reasons, attempt, signal }) => {
          expectTypeOf(key).toEqualTypeOf<string>();
          expectTypeOf(object).toEqualTypeOf<Deployment | undefined>();
          expectTypeOf(reasons).toEqualTypeOf<readonly ReconcileReason[]>();
          expectTypeOf(attempt).toEqualTypeOf<number>();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
          if (!object) return;
          return attempt > 1 ? requeueAfter(5) : (object.spec?.replicas ?? 0);
        },
      });
    expectTypeOf(make).returns.toEqualTypeOf<Controller<number>>();
    expect(typeof make).toBe('function');
  });

  it('accepts plain collections of any content, and results of any form', () => {
    const teams = createIndexer((team: { readonly name: string }) => team.name);
    const texts$ = controller({ for: teams, reconcile: ({ object }) => of(object?.name ?? '') });
    const nothing$ = controller({ for: teams, reconcile: async () => undefined });
    expectTypeOf(texts$).toEqualTypeOf<Controller<string>>();
    expectTypeOf(nothing$).toEqualTypeOf<Controller<never>>();
    expect(teams.hasSynced).toBe(false);
  });

  it('does not compile with mismatching types', () => {
    const reconcile = ({ object }: ReconcileRequest<Deployment>): number => object?.spec?.replicas ?? 0;
    const make = () => [
      // @ts-expect-error a number is no key
      controller({ for: deploymentInformer, watches: [{ source: configMapInformer, map: () => 5 }], reconcile }),
      // @ts-expect-error a promise is no key
      controller({ for: deploymentInformer, watches: [{ source: hooks$, map: async () => 'key' }], reconcile }),
      // @ts-expect-error pods are not what reconcile takes
      controller({ for: podInformer, reconcile }),
      controller({
        // @ts-expect-error a Pod has no such field
        for: { source: podInformer, through: filterUpdates(changed((pod) => pod.replicas)) },
        reconcile: () => 1,
      }),
      // @ts-expect-error an Observable owns nothing
      controller({ for: deploymentInformer, owns: [hooks$], reconcile }),
    ];
    expect(typeof make).toBe('function');
  });

  it('allows options that are defined separately', () => {
    const make = (options: Partial<ControllerOptions<Deployment>>) =>
      controller<Deployment, readonly Pod[], readonly unknown[], number>({
        ...(options as object),
        for: deploymentInformer,
        owns: [podInformer],
        reconcile: () => 1,
      });
    expectTypeOf(make).returns.toEqualTypeOf<Controller<number>>();
    expect(typeof make).toBe('function');
  });
});

const synced: Input = { type: 'synced', took: 1 };

const stop: Input = { type: 'stopping', cause: 'stop' };

const broken: Input = { type: 'stopping', cause: 'stop-failed', error: 'broken' };

const ended: Input = { type: 'stopping', cause: 'collection-ended', trigger: 'for' };

describe('the life of a controller', () => {
  it.each([
    ['syncing', synced, 'running', ['emit', 'start-runs']],
    ['running', synced, 'running', []],
    ['stopping', synced, 'stopping', []],
    ['running', stop, 'stopping', ['emit', 'stop-intake']],
    ['running', broken, 'stopping', ['emit', 'stop-intake']],
    ['running', ended, 'stopping', ['emit', 'stop-intake', 'end-drain']],
    ['syncing', stop, 'stopping', ['emit', 'stop-intake', 'end-drain']],
    ['syncing', ended, 'stopping', ['emit', 'stop-intake', 'end-drain']],
    ['stopping', stop, 'stopping', ['end-drain']],
    ['stopping', ended, 'stopping', ['end-drain']],
  ] as const)('%s, then %j: is %s', (phase, input, next, effects) => {
    expect(step(phase, input)).toEqual({
      state: next,
      effects: effects.map((effect) => (effect === 'emit' ? { type: 'emit', event: input } : effect)),
    });
  });
});

const { listed } = watchEvent;

const ready: Readiness = { isReady: true };

const notReady = (...reasons: readonly string[]): Readiness => ({ isReady: false, reasons });

function record<T>(values$: { subscribe(next: (value: T) => void): unknown }): T[] {
  const values: T[] = [];
  values$.subscribe((value) => values.push(value));
  return values;
}

describe('controller: its name and its caches', () => {
  it('has its name, and each of its collections once', () => {
    const [sites, children] = [store(), store()];
    const sites$ = controller({
      name: 'website',
      for: sites,
      owns: [{ source: children }],
      watches: [
        { source: sites, map: () => [] },
        { source: new Subject(), map: () => [] },
      ],
      reconcile: () => undefined,
    });
    expect(sites$.name).toBe('website');
    expect(sites$.caches).toEqual([sites, children]);
    expect(controller({ for: sites, reconcile: () => undefined }).name).toBe('controller');
  });
});

describe('controller: readiness', () => {
  it('is ready once all caches have synced, with or without a subscriber', () => {
    const sites = store();
    const children = store();
    const sites$ = controller({ for: sites, owns: [children], reconcile: () => undefined });
    const seen = record(sites$.ready$);
    expect([sites$.isReady, seen]).toEqual([
      false,
      [notReady('for: its objects have not been listed yet', 'owns[0]: its objects have not been listed yet')],
    ]);
    sites.replace([]);
    expect(sites$.isReady).toBe(false);
    children.replace([]);
    expect(sites$.isReady).toBe(true);
    expect(seen.slice(1)).toEqual([notReady('owns[0]: its objects have not been listed yet'), ready]);
    expect(record(sites$.ready$)).toEqual([ready]);
  });

  it('connects nothing, and reports that nothing keeps the informer running', () => {
    const source = new Subject<WatchEventBatch<Thing>>();
    const sites = informer(source, { linger: 0 });
    const sites$ = controller({ for: sites, reconcile: () => undefined });
    const seen = record(sites$.ready$);
    expect(source.observed).toBe(false);
    const running = sites.connect();
    source.next([listed([aSite('a')])]);
    running.unsubscribe();
    sites.connect();
    source.next([listed([aSite('a')])]);
    expect(seen).toEqual([
      notReady('for: the informer of its objects is not running'),
      notReady('for: listing its objects, 0 received so far'),
      ready,
      notReady('for: the informer of its objects is not running'),
      notReady('for: listing its objects, 0 received so far'),
      ready,
    ]);
  });

  it('reports which list fails and why, also during the next attempt', () => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler });
    server.faults.always(({ path }) => path.endsWith('/pods'), serverFaults.respond(403));
    const podInformer = informer(listWatch(server.client, pods, { scheduler }), {
      scheduler,
      onUnobservedError: () => undefined,
    });
    const settings = informer(listWatch(server.client, configMaps, { scheduler }), { scheduler });
    const pods$ = controller({
      for: podInformer,
      watches: [{ source: settings, map: () => [] }],
      scheduler,
      reconcile: () => undefined,
    });
    const seen = record(pods$.ready$);
    const running = pods$.subscribe();
    scheduler.advance(60_000);
    const { reasons } = seen.at(-1) as Extract<Readiness, { readonly isReady: false }>;
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/^for: listing .* failed: GET \/api\/v1\/pods: 403 Forbidden: /);
    expect(record(pods$.ready$)).toEqual([notReady(...reasons)]);
    const sinceFailure = seen.slice(seen.findIndex((readiness) => JSON.stringify(readiness).includes('failed')));
    expect(JSON.stringify(sinceFailure)).not.toContain('listing pods, ');
    running.unsubscribe();
  });

  it('stays ready while a cache that has synced has no connection', () => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler });
    server.apply([aPod({ name: 'a' }), aConfigMap({ name: 'b' })]);
    const podInformer = informer(listWatch(server.client, pods, { scheduler }), {
      scheduler,
      onUnobservedError: () => undefined,
    });
    const pods$ = controller({ for: podInformer, scheduler, reconcile: () => undefined });
    const running = pods$.subscribe();
    scheduler.advance(10);
    server.faults.always(() => true, serverFaults.respond(503));
    server.restart();
    scheduler.advance(60_000);
    expect([pods$.isReady, record(pods$.ready$)]).toEqual([true, [ready]]);
    running.unsubscribe();
  });

  it('is not ready from the moment it stops, and ready again with the next subscription', () => {
    const stop$ = new Subject<void>();
    const sites$ = controller({ for: store(aSite('a')), stop$, reconcile: () => new Promise(() => undefined) });
    const seen = record(sites$.ready$);
    const running = sites$.subscribe();
    stop$.next();
    expect(sites$.isReady).toBe(false);
    stop$.next();
    expect(running.closed).toBe(true);
    sites$.subscribe().unsubscribe();
    expect(seen).toEqual([
      ready,
      notReady('the controller is stopping'),
      notReady('the controller has stopped'),
      ready,
    ]);
  });
});

describe('controller: stop()', () => {
  it('ends it like a value of stop$: running keys are finished, and a second call aborts them', () => {
    const events: string[] = [];
    const sites$ = controller({ for: store(aSite('a')), reconcile: () => new Promise(() => undefined) });
    sites$.subscribe({ next: ({ type }) => events.push(type), complete: () => events.push('complete') });
    sites$.stop();
    expect(events).toEqual(['synced', 'started', 'stopping']);
    sites$.stop();
    expect(events.slice(3)).toEqual(['failed', 'stopped', 'complete']);
    expect(record(sites$.ready$)).toEqual([notReady('the controller has stopped')]);
  });

  it('works after stop$ has failed', () => {
    const stop$ = new Subject<void>();
    const sites$ = controller({ for: store(aSite('a')), stop$, reconcile: () => new Promise(() => undefined) });
    const running = sites$.subscribe();
    stop$.error(new Error('broken'));
    expect(running.closed).toBe(false);
    sites$.stop();
    expect(running.closed).toBe(true);
  });

  it('is permanent: a later subscription runs nothing and connects nothing', () => {
    const source = new Subject<WatchEventBatch<Thing>>();
    const events: string[] = [];
    const sites$ = controller({ for: informer(source), reconcile: () => undefined });
    const seen = record(sites$.ready$);
    sites$.stop();
    sites$.subscribe(({ type }) => {
      events.push(type);
      expect(source.observed).toBe(false);
    });
    expect(events).toEqual(['stopping', 'stopped']);
    expect(seen.every(({ isReady }) => !isReady)).toBe(true);
    expect(sites$.isReady).toBe(false);

    const warm$ = controller({ for: store(aSite('a')), reconcile: () => undefined });
    const warm = record(warm$.ready$);
    warm$.stop();
    warm$.subscribe();
    expect(warm.map(({ isReady }) => isReady)).toEqual([true, false, false, false]);
  });
});
