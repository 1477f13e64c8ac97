import { createIndexer, type Pod, configMaps, informer, listWatch } from 'rx-informers';
import {
  newlyOwnedKeys,
  ownedKeys,
  whereOwned,
  type KeyRequest,
  controller,
  membership$,
  whileOwned,
  workqueue,
} from 'rx-informers/controller';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod, aConfigMap, serverFaults } from 'rx-informers/testing';
import {
  of,
  Subject,
  throwError,
  VirtualTimeScheduler,
  Observable,
  Subscription,
  timer,
  finalize,
  ignoreElements,
  type SchedulerLike,
} from 'rxjs';
import type { SchedulerWithElapsed } from '../../../src/scheduling/clock.js';
import { FakeMembership } from './support/fake-membership.js';
import { Group, group } from './support/group.js';

const pod = (name: string): Pod => aPod({ name, namespace: 'web' });

/** Applies another version of it. */
const newer = (name: string): Pod => {
  const old = pod(name);
  return { ...old, metadata: { ...old.metadata, resourceVersion: '99' } };
};

function podsOf(...names: readonly string[]) {
  const indexer = createIndexer<Pod>((object) => metaNamespaceKey(object), {});
  indexer.replace(names.map(pod));
  return indexer;
}

function received(keys: (requests: string[]) => void): readonly string[] {
  const requests: string[] = [];
  keys(requests);
  return requests;
}

/** Keys of one change set arrive within one call in virtual time; otherwise in slices. */
const inVirtualTime = () => ({ scheduler: new VirtualTimeScheduler() });

const line = ({ key, priority, reason }: KeyRequest): string => `${key} ${priority} ${String(reason)}`;

describe('whereOwned', () => {
  it('emits only keys and requests that are owned when they arrive', () => {
    const membership = new FakeMembership('a');
    const inputs = new Subject<string | KeyRequest>();
    const through: unknown[] = [];
    inputs.pipe(whereOwned(membership)).subscribe((input) => through.push(input));
    inputs.next('a');
    inputs.next('b');
    membership.own('b');
    inputs.next('a');
    inputs.next({ key: 'b', reason: 'changed' });
    expect(through).toEqual(['a', { key: 'b', reason: 'changed' }]);
  });

  it('checks ownership for values that arrive during subscription', () => {
    const through: string[] = [];
    of('a', 'b')
      .pipe(whereOwned(new FakeMembership('b')))
      .subscribe((key) => through.push(key));
    expect(through).toEqual(['b']);
  });

  it('emits nothing before the membership has emitted', () => {
    const through: string[] = [];
    of('a')
      .pipe(whereOwned(new Subject()))
      .subscribe((key) => through.push(key));
    expect(through).toEqual([]);
  });

  it('passes completion and errors of the source on, and unsubscribes from both', () => {
    const membership = new FakeMembership('a');
    const ends: unknown[] = [];
    of('a')
      .pipe(whereOwned(membership))
      .subscribe({ complete: () => ends.push('complete') });
    throwError(() => new Error('broken'))
      .pipe(whereOwned<string>(membership))
      .subscribe({ error: (error: Error) => ends.push(error.message) });
    expect(ends).toEqual(['complete', 'broken']);
    expect(membership.observed).toBe(false);
  });
});

describe('newlyOwnedKeys', () => {
  it('emits owned keys that exist, and later the keys that are gained, and no others', () => {
    const membership = new FakeMembership('web/a', 'web/none');
    const requests = received((lines) =>
      newlyOwnedKeys(podsOf('a', 'b', 'c'), membership, inVirtualTime()).subscribe((request) =>
        lines.push(line(request)),
      ),
    );
    expect(requests).toEqual(['web/a -100 gained']);
    membership.own('web/a', 'web/c');
    membership.own('web/c');
    expect(requests).toEqual(['web/a -100 gained', 'web/c -100 gained']);
  });

  it('emits a gained key that was deleted before once, because its former owner may have missed the deletion', () => {
    const membership = new FakeMembership('web/a');
    const pods = podsOf('a', 'b');
    const requests = received((lines) =>
      newlyOwnedKeys(pods, membership, inVirtualTime()).subscribe(({ key }) => lines.push(key)),
    );
    pods.delete(pod('b'));
    membership.own('web/a', 'web/b');
    membership.own('web/a');
    membership.own('web/a', 'web/b');
    expect(requests).toEqual(['web/a', 'web/b']);
  });

  it('remembers the last 10,000 deleted keys', () => {
    const membership = new FakeMembership();
    const names = Array.from({ length: 10_001 }, (_, index) => `pod-${index}`);
    const pods = podsOf(...names);
    const requests = received((lines) =>
      newlyOwnedKeys(pods, membership, inVirtualTime()).subscribe(({ key }) => lines.push(key)),
    );
    for (const name of names) pods.delete(pod(name));
    membership.own(...names.map((name) => `web/${name}`));
    expect(requests).toEqual(names.slice(1).map((name) => `web/${name}`));
  });

  it('unsubscribes from membership and collection with its subscriber', () => {
    const membership = new FakeMembership('web/a');
    newlyOwnedKeys(podsOf('a'), membership).subscribe().unsubscribe();
    expect(membership.observed).toBe(false);
  });
});

describe('ownedKeys', () => {
  it('misses nothing: emits owned keys, their changes, and gained keys', () => {
    const membership = new FakeMembership('web/a');
    const pods = podsOf('a', 'b');
    const requests: string[] = [];
    ownedKeys(pods, membership, inVirtualTime()).subscribe((request) => requests.push(line(request)));
    expect(new Set(requests)).toEqual(new Set(['web/a -100 gained', 'web/a -100 added:initial']));
    requests.length = 0;

    pods.update(newer('a'));
    pods.update(newer('b'));
    pods.add(pod('c'));
    expect(requests).toEqual(['web/a 0 updated:watch']);
    membership.own('web/b', 'web/c');
    expect(requests.slice(1)).toEqual(['web/b -100 gained', 'web/c -100 gained']);
  });
});

const names = Array.from({ length: 60 }, (_, index) => `settings-${index}`);

/** Replicas of one controller whose runs take 500 ms, and what they did. */
class Fleet {
  readonly replicas = new Group();
  readonly runs: { readonly key: string; readonly by: string }[] = [];
  readonly overlaps: string[] = [];
  readonly #running = new Map<string, string>();

  constructor() {
    for (const name of names) this.replicas.server.apply(aConfigMap({ name, namespace: 'web' }));
  }

  start(identity: string, kind: 'queue' | 'controller'): Subscription {
    const scheduler = this.replicas.clock;
    const { client } = this.replicas.server;
    const settings = informer(listWatch(client, configMaps, { namespace: 'web', scheduler }), { scheduler });
    const mine$ = membership$(client, { group, identity, scheduler, random: () => 0.5 });
    if (kind === 'queue') {
      return ownedKeys(settings, mine$, { scheduler })
        .pipe(
          workqueue((key, { signal }) => whileOwned(mine$, { key, signal }, () => this.#work(key, identity)), {
            concurrency: 10,
            scheduler,
          }),
        )
        .subscribe();
    }
    return controller({
      for: settings,
      watches: [{ source: newlyOwnedKeys(settings, mine$, { scheduler }), map: ({ key }) => key }],
      reconcile: (request) => whileOwned(mine$, request, () => this.#work(request.key, identity)),
      concurrency: 10,
      scheduler,
    }).subscribe();
  }

  /** The runs of a replica that works at once on its keys, by outcome. */
  outcomes(identity: string): { readonly subscription: Subscription; readonly counts: ReadonlyMap<string, number> } {
    const scheduler = this.replicas.clock;
    const { client } = this.replicas.server;
    const counts = new Map<string, number>();
    const settings = informer(listWatch(client, configMaps, { namespace: 'web', scheduler }), { scheduler });
    const mine$ = membership$(client, { group, identity, scheduler, random: () => 0.5 });
    const subscription = controller({
      for: settings,
      watches: [{ source: newlyOwnedKeys(settings, mine$, { scheduler }), map: ({ key }) => key }],
      reconcile: (request) => whileOwned(mine$, request, () => undefined),
      scheduler,
    }).subscribe(({ type }) => counts.set(type, (counts.get(type) ?? 0) + 1));
    return { subscription, counts };
  }

  #work(key: string, by: string): Observable<never> {
    return new Observable((subscriber) => {
      const other = this.#running.get(key);
      if (other !== undefined) this.overlaps.push(`${key} by ${other} and ${by}`);
      this.#running.set(key, by);
      this.runs.push({ key, by });
      return timer(500, this.replicas.clock)
        .pipe(
          ignoreElements(),
          finalize(() => this.#running.delete(key)),
        )
        .subscribe(subscriber);
    });
  }

  change(name: string, value: string): void {
    this.replicas.server.apply(aConfigMap({ name, namespace: 'web', data: { value } }));
  }

  /** The replica that ran each key last since the mark. */
  lastRuns(from = 0): ReadonlyMap<string, string> {
    return new Map(this.runs.slice(from).map(({ key, by }) => [key, by]));
  }
}

describe.each(['queue', 'controller'] as const)('a %s with sharded keys', (kind) => {
  it('works on each key in one replica, and runs gained keys there, without gaps or overlap', () => {
    const fleet = new Fleet();
    const a = fleet.start('a', kind);
    fleet.replicas.advance(10_000);
    expect(fleet.lastRuns().size).toBe(names.length);

    const b = fleet.start('b', kind);
    fleet.replicas.advance(10_000);
    const shared = new Set(fleet.lastRuns().values());
    expect(shared).toEqual(new Set(['a', 'b']));

    const mark = fleet.runs.length;
    for (const name of names) fleet.change(name, 'new');
    fleet.replicas.advance(10_000);
    expect(fleet.runs.length - mark).toBe(names.length);
    expect(fleet.lastRuns(mark).size).toBe(names.length);

    const beforeLeaving = fleet.runs.length;
    const ofA = [...fleet.lastRuns(mark)].filter(([, by]) => by === 'a').map(([key]) => key);
    a.unsubscribe();
    fleet.replicas.advance(10_000);
    expect([...fleet.lastRuns(beforeLeaving).keys()].sort()).toEqual(ofA.sort());
    b.unsubscribe();
    expect(fleet.overlaps).toEqual([]);
    expect(fleet.replicas.leases).toEqual([]);
  });

  it('stops the run of a lost key, and the new owner starts it', () => {
    const fleet = new Fleet();
    const subscriptions = new Subscription();
    subscriptions.add(fleet.start('a', kind));
    // In the middle of the first runs.
    fleet.replicas.advance(700);
    subscriptions.add(fleet.start('b', kind));
    fleet.replicas.advance(20_000);
    const last = fleet.lastRuns();
    expect(last.size).toBe(names.length);
    expect(new Set(last.values())).toEqual(new Set(['a', 'b']));
    expect(fleet.overlaps).toEqual([]);
    subscriptions.unsubscribe();
  });
});

describe('a controller with sharded keys', () => {
  it('finishes its queued keys on stop$ and leaves the group once, although the event loop runs in between', () => {
    const { server, clock } = new Group();
    const { client } = server;
    server.apply(
      Array.from({ length: 200 }, (_, index) => aConfigMap({ name: `settings-${index}`, namespace: 'web' })),
    );
    const lines: string[] = [];
    const write = (_fields: object, message: string): void => void lines.push(message);
    const logger = { debug: () => undefined, info: write, warn: write, error: write };
    const settings = informer(client, configMaps, { namespace: 'web', scheduler: clock });
    const mine$ = membership$(client, { group, identity: 'a', scheduler: clock, random: () => 0.5, logger });
    const stop$ = new Subject<void>();
    const counts = new Map<string, number>();
    const writes: string[] = [];
    // Each run takes 3 ms, so the controller yields to the event loop after every third run.
    let worked = 0;
    const time = (): number => clock.now() + worked;
    const timers: SchedulerLike = clock;
    const busy: SchedulerWithElapsed = {
      now: time,
      elapsed: time,
      schedule: (work, delay = 0, state) => timers.schedule(work, delay, state as never),
    };
    controller({
      for: settings,
      watches: [{ source: newlyOwnedKeys(settings, mine$, { scheduler: clock }), map: ({ key }) => key }],
      reconcile: (request) => whileOwned(mine$, request, () => void (worked += 3)),
      scheduler: busy,
      stop$,
    }).subscribe(({ type }) => {
      counts.set(type, (counts.get(type) ?? 0) + 1);
      if (counts.get('succeeded') !== 50 || counts.has('stopping')) return;
      lines.length = 0;
      counts.delete('skipped');
      server.requests$.subscribe(({ method, path }) => {
        if (path.includes('/leases') && method !== 'GET') writes.push(method);
      });
      stop$.next();
    });
    clock.advance(15_000);
    expect(lines).toEqual(['left the group; the lease was deleted']);
    expect(writes).toEqual(['PUT', 'DELETE']);
    expect([counts.get('succeeded'), counts.get('skipped'), counts.get('stopped')]).toEqual([200, undefined, 1]);
  });

  it('reports no run as succeeded while the server refuses its lease, and runs all keys once it may write it', () => {
    const fleet = new Fleet();
    const { server } = fleet.replicas;
    server.faults.always('write', serverFaults.respond(403));
    const { subscription, counts } = fleet.outcomes('a');
    fleet.replicas.advance(30_000);
    expect(counts.get('skipped')).toBe(names.length);
    expect(counts.get('succeeded')).toBeUndefined();
    server.faults.clear();
    fleet.replicas.advance(5_000);
    expect(counts.get('skipped')).toBe(names.length);
    expect(counts.get('succeeded')).toBe(names.length);
    subscription.unsubscribe();
  });
});
