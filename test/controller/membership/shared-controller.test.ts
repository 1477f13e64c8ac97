import { Observable, Subscription, timer, finalize, ignoreElements } from 'rxjs';
import { configMaps, informer, listWatch } from 'rx-informers';
import { controller, gainedKeys, ownedKeys, membership$, whileOwned, workqueue } from 'rx-informers/controller';
import { aConfigMap, serverFaults } from 'rx-informers/testing';
import { Group, group } from './support/group.js';

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
      watches: [{ source: gainedKeys(settings, mine$, { scheduler }), map: ({ key }) => key }],
      reconcile: (request) => whileOwned(mine$, request, () => this.#work(request.key, identity)),
      concurrency: 10,
      scheduler,
    }).subscribe();
  }

  /** What a replica that works at once on what it owns tells of its runs, by outcome. */
  outcomes(identity: string): { readonly subscription: Subscription; readonly counts: ReadonlyMap<string, number> } {
    const scheduler = this.replicas.clock;
    const { client } = this.replicas.server;
    const counts = new Map<string, number>();
    const settings = informer(listWatch(client, configMaps, { namespace: 'web', scheduler }), { scheduler });
    const mine$ = membership$(client, { group, identity, scheduler, random: () => 0.5 });
    const subscription = controller({
      for: settings,
      watches: [{ source: gainedKeys(settings, mine$, { scheduler }), map: ({ key }) => key }],
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

  /** Who ran each key last since the mark. */
  lastRuns(from = 0): ReadonlyMap<string, string> {
    return new Map(this.runs.slice(from).map(({ key, by }) => [key, by]));
  }
}

describe.each(['queue', 'controller'] as const)('a %s that shares its keys', (kind) => {
  it('works on each key in one replica, and what is gained runs there, with nothing missed and no overlap', () => {
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

  it('stops the run of a key that is lost, and the new owner begins it', () => {
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

describe('a controller that shares its keys', () => {
  it('reports no run as succeeded while the server refuses its lease, and each of them once it may write it', () => {
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
