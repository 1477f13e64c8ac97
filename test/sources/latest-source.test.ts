import { fromEvents, informer, listWatch, pods as corePods, type ResourceSource, type Source } from 'rx-informers';
import { latestSource } from 'rx-informers/client';
import { watchEvent } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { BehaviorSubject, map, NEVER, of, Subject, throwError, type Observable } from 'rxjs';
import { pods, type Pod } from '../fixtures/pods.js';
import { ModelServer } from './known-objects/support/model-server.js';

const pod = (name: string): Pod => ({ metadata: { name, uid: name, resourceVersion: '1' } }) as Pod;

describe('latestSource', () => {
  it('reads from the latest source, whose list replaces the objects of the earlier one', () => {
    const [one, other] = [new Subject<readonly Pod[]>(), new Subject<readonly Pod[]>()];
    const sourceOf = (lists$: Observable<readonly Pod[]>) =>
      fromEvents(lists$.pipe(map((list) => watchEvent.listed([...list]))));
    const sources$ = new BehaviorSubject(sourceOf(one));
    const shown = informer(latestSource(sources$, { resource: pods }), { freeze: false });
    shown.connect();
    one.next([pod('a'), pod('b')]);
    expect(shown.keys()).toEqual(['a', 'b']);

    sources$.next(sourceOf(other));
    expect([one.observed, other.observed, shown.keys()]).toEqual([false, true, ['a', 'b']]);
    other.next([pod('c')]);
    expect(shown.keys()).toEqual(['c']);

    shown.stop();
    expect([other.observed, sources$.observed]).toEqual([false, false]);
  });

  it('has the connection of the latest source: the time of its last byte, and recheck', () => {
    const clock = virtualClock({ now: 1_000 });
    const servers = [1, 2].map(() => createInMemoryApiServer({ scheduler: clock }));
    const [first, second] = servers.map(({ client }) => listWatch(client, corePods));
    const requests = servers.map(() => 0);
    for (const [index, { requests$ }] of servers.entries())
      requests$.subscribe(() => (requests[index] = (requests[index] ?? 0) + 1));
    const sources$ = new BehaviorSubject(first!);
    const shown = informer(latestSource(sources$, { resource: corePods, scheduler: clock }), { scheduler: clock });
    shown.connect();
    clock.advance(1_000);
    const lastContact = shown.lastHeardAt;
    sources$.next(second!);
    clock.advance(1_000);
    servers[1]?.apply(aPod({ name: 'a' }));
    clock.advance(1_000);
    expect(shown.lastHeardAt).toBeGreaterThan(lastContact ?? Infinity);

    const before = [...requests];
    shown.recheck();
    clock.advance(5_000);
    expect([requests[0] === before[0], (requests[1] ?? 0) > (before[1] ?? 0)]).toEqual([true, true]);
    shown.stop();
  });

  it('lends the objects of the informer to the latest source, which then parses no object again', () => {
    const scheduler = virtualClock();
    const server = new ModelServer(scheduler);
    for (const name of ['a', 'b']) server.run({ type: 'create', name });
    const relisted = (source: ResourceSource<Pod>): boolean => {
      const cache = informer(source, { scheduler, freeze: false });
      cache.errors$.subscribe();
      cache.connect();
      scheduler.advance(1);
      const before = cache.list();
      server.run({ type: 'expire' });
      scheduler.advance(10_000);
      const isSame = cache.list().every((object, index) => object === before[index]);
      cache.stop();
      return isSame;
    };
    expect(relisted(latestSource(of(listWatch(server.client, pods)), { resource: pods, scheduler }))).toBe(true);
  });

  it('passes an error and the completion of a source on, and reports what is no watch event', () => {
    const events: unknown[] = [];
    const seen = { next: (batch: unknown) => events.push(batch), error: () => events.push('error') };
    latestSource(of(throwError(() => new Error('broken')))).subscribe(seen);
    latestSource(of(of('no event') as unknown as Source<Pod>)).subscribe({
      ...seen,
      complete: () => events.push('complete'),
    });
    expect(events).toEqual(['error', [expect.objectContaining({ type: 'ERROR' })], 'complete']);
    latestSource(NEVER).subscribe(seen).unsubscribe();
  });
});
