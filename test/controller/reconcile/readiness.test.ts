import { Subject } from 'rxjs';
import { configMaps, informer, listWatch, pods, type WatchEventBatch, watchEvent } from 'rx-informers';
import { controller, type Readiness } from 'rx-informers/controller';
import { aConfigMap, aPod, createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { aSite, store, type Thing } from './support/stores.js';

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
  it('is ready once all caches have synced, whether anything subscribes to it or not', () => {
    const sites = store();
    const children = store();
    const sites$ = controller({ for: sites, owns: [children], reconcile: () => undefined });
    const told = record(sites$.ready$);
    expect([sites$.isReady, told]).toEqual([
      false,
      [notReady('for: its objects have not been read yet', 'owns[0]: its objects have not been read yet')],
    ]);
    sites.replace([]);
    expect(sites$.isReady).toBe(false);
    children.replace([]);
    expect(sites$.isReady).toBe(true);
    expect(told.slice(1)).toEqual([notReady('owns[0]: its objects have not been read yet'), ready]);
    expect(record(sites$.ready$)).toEqual([ready]);
  });

  it('connects nothing, and says that nothing keeps the informer running', () => {
    const source = new Subject<WatchEventBatch<Thing>>();
    const sites = informer(source, { linger: 0 });
    const sites$ = controller({ for: sites, reconcile: () => undefined });
    const told = record(sites$.ready$);
    expect(source.observed).toBe(false);
    const running = sites.connect();
    source.next([listed([aSite('a')])]);
    running.unsubscribe();
    sites.connect();
    source.next([listed([aSite('a')])]);
    expect(told).toEqual([
      notReady('for: the informer of its objects is not running'),
      notReady('for: listing its objects, 0 received so far'),
      ready,
      notReady('for: the informer of its objects is not running'),
      notReady('for: listing its objects, 0 received so far'),
      ready,
    ]);
  });

  it('says which list fails and why, also while the next attempt is under way', () => {
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
    const told = record(pods$.ready$);
    const running = pods$.subscribe();
    scheduler.advance(60_000);
    const { reasons } = told.at(-1) as Extract<Readiness, { readonly isReady: false }>;
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/^for: listing .* failed: GET \/api\/v1\/pods\?\S*: 403 Forbidden: /);
    expect(record(pods$.ready$)).toEqual([notReady(...reasons)]);
    const sinceFailure = told.slice(told.findIndex((readiness) => JSON.stringify(readiness).includes('failed')));
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
    const told = record(sites$.ready$);
    const running = sites$.subscribe();
    stop$.next();
    expect(sites$.isReady).toBe(false);
    stop$.next();
    expect(running.closed).toBe(true);
    sites$.subscribe().unsubscribe();
    expect(told).toEqual([
      ready,
      notReady('the controller is stopping'),
      notReady('the controller was stopped'),
      ready,
    ]);
  });
});

describe('controller: stop()', () => {
  it('ends it as a value of stop$ does: what runs is finished, and a second call aborts it', () => {
    const events: string[] = [];
    const sites$ = controller({ for: store(aSite('a')), reconcile: () => new Promise(() => undefined) });
    sites$.subscribe({ next: ({ type }) => events.push(type), complete: () => events.push('complete') });
    sites$.stop();
    expect(events).toEqual(['synced', 'started', 'stopping']);
    sites$.stop();
    expect(events.slice(3)).toEqual(['failed', 'stopped', 'complete']);
    expect(record(sites$.ready$)).toEqual([notReady('the controller was stopped')]);
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

  it('lasts: a subscription that comes later runs nothing and connects nothing', () => {
    const source = new Subject<WatchEventBatch<Thing>>();
    const events: string[] = [];
    const sites$ = controller({ for: informer(source), reconcile: () => undefined });
    const told = record(sites$.ready$);
    sites$.stop();
    sites$.subscribe(({ type }) => {
      events.push(type);
      expect(source.observed).toBe(false);
    });
    expect(events).toEqual(['stopping', 'stopped']);
    expect(told.every(({ isReady }) => !isReady)).toBe(true);
    expect(sites$.isReady).toBe(false);

    const warm$ = controller({ for: store(aSite('a')), reconcile: () => undefined });
    const warm = record(warm$.ready$);
    warm$.stop();
    warm$.subscribe();
    expect(warm.map(({ isReady }) => isReady)).toEqual([true, false, false, false]);
  });
});
