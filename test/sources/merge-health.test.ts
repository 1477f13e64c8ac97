import fc from 'fast-check';
import {
  informer,
  listWatch,
  mergeSources,
  pods,
  replay,
  StatusError,
  type Change,
  type Informer,
  type InformerError,
  type KubeClient,
  type Pod,
  type SourceStatus,
  inNamespaces,
} from 'rx-informers';
import type { MergeOptions, ResponsePart, SourceSet } from 'rx-informers/client';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { aPod, recordSource } from 'rx-informers/testing';
import { concat, NEVER, of, Subject, throwError, VirtualTimeScheduler } from 'rxjs';

const { added, bookmark, listed, modified } = watchEvent;

type Batch = readonly WatchEvent<Pod>[];
type Member = Subject<Batch>;

const request = { method: 'GET', url: '/api/v1/namespaces/a/pods' };
const denied = new StatusError(request, { status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' });
const forbidden: Batch = [
  { type: 'ERROR', error: denied },
  { type: 'STATUS', status: { state: 'forbidden', until: 5, attempt: 1, cause: denied } },
];
const watching: WatchEvent<Pod> = { type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } };
const status = (state: 'listing' | 'reconnecting'): Batch => [
  { type: 'STATUS', status: state === 'listing' ? { state, by: 'pages', received: 0 } : { state } },
];
const pod = (namespace: string, name: string, resourceVersion = 1): Pod => aPod({ namespace, name, resourceVersion });
const list = (...items: readonly Pod[]): Batch => [listed(items, '1'), watching];

/** An informer over members whose times come from `scheduler`. */
function merged(names: readonly string[], options?: MergeOptions) {
  const scheduler = new VirtualTimeScheduler();
  const members = Object.fromEntries(names.map((name) => [name, new Subject<Batch>()])) as Record<string, Member>;
  const sets = new Subject<SourceSet<Pod>>();
  const podInformer = informer(mergeSources(sets, { scheduler, ...options }), {
    scheduler,
    onUnobservedError: () => {},
  });
  const errors: InformerError[] = [];
  const changes: string[] = [];
  podInformer.errors$.subscribe((error) => errors.push(error));
  podInformer.changes$.subscribe((set) => changes.push(set.changes.map(textOf).join(' ')));
  sets.next(members);
  return {
    podInformer,
    members,
    sets,
    errors,
    changes,
    at(time: number, member: Member | undefined, batch: Batch): void {
      scheduler.frame = time;
      member?.next(batch);
    },
    scheduler,
  };
}

function textOf(change: Change<Pod>): string {
  return `${change.type} ${change.key}${change.type === 'deleted' && change.finalStateUnknown ? ' (tombstone)' : ''}`;
}

function statesOf({ status: { members = {} } }: Informer<Pod>): Readonly<Record<string, SourceStatus['state']>> {
  return Object.fromEntries(Object.entries(members).map(([name, { state }]) => [name, state]));
}

describe('lastMessageAt of a merged informer', () => {
  it('G6: is that of the member with the oldest message, regardless of the others', () => {
    const { podInformer, members, at } = merged(['a', 'b']);
    expect(podInformer.lastMessageAt).toBeUndefined();
    at(1, members['a'], list());
    at(2, members['b'], list());
    at(9, members['b'], [bookmark('2')]);

    expect(podInformer.lastMessageAt).toBe(2);
    expect(podInformer.lastMessageAtOf('a')).toBe(2);
    expect(podInformer.lastMessageAtOf('b')).toBe(9);
    expect(podInformer.lastMessageAtOf('c')).toBeUndefined();
    at(11, members['a'], [added(pod('a', 'x', 2))]);
    expect(podInformer.lastMessageAt).toBe(9);
  });

  it('G6: counts a member without messages from the time that it joined', () => {
    const { podInformer, members, sets, at } = merged(['a']);
    at(1, members['a'], list());
    const b = new Subject<Batch>();
    sets.next({ ...members, b });
    at(3, b, status('listing'));
    at(9, members['a'], [bookmark('2')]);

    expect(podInformer.lastMessageAt).toBe(3);
    expect(podInformer.lastMessageAtOf('b')).toBeUndefined();
    at(10, b, list());
    expect(podInformer.lastMessageAt).toBe(9);
  });

  it('ignores a member that left', () => {
    const { podInformer, members, sets, at } = merged(['a', 'b']);
    at(1, members['a'], list());
    at(2, members['b'], list());
    at(9, members['b'], [bookmark('2')]);
    sets.next({ b: members['b'] as Member });

    expect(podInformer.lastMessageAt).toBe(9);
    expect(podInformer.lastMessageAtOf('a')).toBeUndefined();
  });

  it('ignores a member that left, even if no source has a status', () => {
    const { podInformer, members, sets, at } = merged(['a', 'b']);
    at(1, members['a'], [listed([pod('a', 'x')])]);
    at(2, members['b'], [listed([pod('b', 'y')])]);
    at(9, members['b'], [modified(pod('b', 'y', 2))]);
    sets.next({ b: members['b'] as Member });

    expect(podInformer.lastMessageAt).toBe(9);
  });

  it('G6: is the earliest of the last messages of the current members, for any history', () => {
    const names = ['a', 'b', 'c'] as const;
    const step = fc.record({
      name: fc.constantFrom(...names),
      what: fc.constantFrom('message', 'message', 'status', 'error', 'leaves', 'joins'),
      pause: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { podInformer, members, sets, at, scheduler } = merged(names);
        const last = new Map<string, number>();
        for (const name of names) at(0, members[name], list(pod(name, 'x')));
        for (const name of names) last.set(name, 0);
        let version = 1;
        for (const { name, what, pause } of steps) {
          const now = scheduler.frame + pause;
          const isThere = last.has(name);
          if (what === 'message') {
            at(now, members[name], [modified(pod(name, 'x', (version += 1)))]);
            if (isThere) last.set(name, now);
          } else if (what === 'status') at(now, members[name], status('reconnecting'));
          else if (what === 'error') at(now, members[name], [{ type: 'ERROR', error: denied }]);
          else if (what === 'leaves' && isThere) {
            last.delete(name);
            sets.next(Object.fromEntries([...last.keys()].map((each) => [each, members[each]])) as SourceSet<Pod>);
          } else if (what === 'joins' && !isThere) {
            scheduler.frame = now;
            last.set(name, now);
            sets.next(Object.fromEntries([...last.keys()].map((each) => [each, members[each]])) as SourceSet<Pod>);
            at(now, members[name], list(pod(name, 'x')));
          }
          expect(podInformer.lastMessageAt).toBe(last.size === 0 ? undefined : Math.min(...last.values()));
        }
        podInformer.stop();
      }),
      { numRuns: 60 },
    );
  });
});

describe('the status of a merged informer', () => {
  it('G6: has the status of each member, and emits again when one changes that is not the least healthy', () => {
    const { podInformer, members, sets, at } = merged(['a', 'b']);
    const seen: unknown[] = [];
    podInformer.status$.subscribe(() => seen.push(statesOf(podInformer)));
    at(1, members['a'], forbidden);
    at(2, members['b'], status('listing'));
    at(3, members['b'], list());
    at(4, members['b'], [watching]);
    sets.next({ b: members['b'] as Member });

    expect(seen).toEqual([
      {},
      { a: 'forbidden' },
      { a: 'forbidden', b: 'listing' },
      { a: 'forbidden', b: 'watching' },
      { b: 'watching' },
    ]);
    expect(podInformer.status.state).toBe('watching');
  });

  it('is not that of the last member when the set becomes empty', () => {
    const { podInformer, members, sets, at } = merged(['a']);
    at(1, members['a'], forbidden);
    sets.next({});
    sets.next({});

    expect(podInformer.status).toEqual({ state: 'watching', since: 1, resourceVersion: '', members: {} });
    expect(podInformer.hasSynced).toBe(true);
  });

  it('names the members of a member that is itself merged outer/inner', () => {
    const lasting = (batch: Batch) => concat(of(batch), NEVER);
    const inner = mergeSources({ x: lasting(forbidden), y: NEVER, z: lasting(status('listing')) });
    const podInformer = informer(mergeSources({ east: inner, west: lasting(status('reconnecting')) }), {
      onUnobservedError: () => undefined,
    });
    podInformer.connect();

    expect(statesOf(podInformer)).toEqual({ 'east/x': 'forbidden', 'east/z': 'listing', west: 'reconnecting' });
    podInformer.stop();
  });

  it('a source named __proto__ has its status under this name', () => {
    const reconnecting = { type: 'STATUS', status: { state: 'reconnecting' } } as const;
    const lasting = concat(of(reconnecting), NEVER);
    const sources = { ['__proto__']: lasting, west: lasting };
    const podInformer = informer(mergeSources(sources), { onUnobservedError: () => undefined });
    podInformer.connect();
    const { members = {} } = podInformer.status;
    expect(Object.keys(members)).toEqual(['__proto__', 'west']);
    expect(Object.getPrototypeOf(members)).toBe(Object.prototype);
    podInformer.stop();
  });

  it('is kept by record and replay', () => {
    const [error, event] = forbidden as [WatchEvent<Pod>, WatchEvent<Pod>];
    const source = mergeSources({ a: concat(of([error, event]), NEVER), b: NEVER }, { startWithout: ['forbidden'] });
    const scheduler = new VirtualTimeScheduler();
    let text = '';
    const original: Batch[] = [];
    recordSource(source, (line) => (text += line), { redact: false, scheduler })
      .subscribe((batch) => original.push(batch))
      .unsubscribe();
    const replayed: Batch[] = [];
    replay<Pod>(text, { speed: Infinity, scheduler }).subscribe((batch) => replayed.push(batch));

    expect(replayed).toHaveLength(1);
    const statusIn = (batches: readonly Batch[]) => batches.flat().find(({ type }) => type === 'STATUS');
    expect(statusIn(replayed)).toMatchObject({
      partition: 'a',
      status: { members: { a: { state: 'forbidden', cause: { name: 'StatusError', statusCode: 403 } } } },
    });
    expect(statusIn(original)).toMatchObject({ status: { members: { a: { state: 'forbidden' } } } });
  });
});

describe('a forbidden source of a merged source', () => {
  const startWithout = ['forbidden', 'not-found'] as const;

  it('delays the first lists of the others by default', () => {
    const { podInformer, members, at } = merged(['a', 'b']);
    at(1, members['a'], list(pod('a', 'x')));
    at(2, members['b'], forbidden);

    expect(podInformer.hasSynced).toBe(false);
    expect(podInformer.list()).toEqual([]);
  });

  it('counts as synced and empty with startWithout, and its error and status stay readable', () => {
    const { podInformer, members, errors, at } = merged(['a', 'b'], { startWithout });
    at(1, members['a'], list(pod('a', 'x')));
    expect(podInformer.hasSynced).toBe(false);
    at(2, members['b'], forbidden);

    expect(podInformer.hasSynced).toBe(true);
    expect(podInformer.list().map(({ metadata }) => metadata.name)).toEqual(['x']);
    expect(errors).toEqual([denied]);
    expect(podInformer.status.state).toBe('forbidden');
    expect(statesOf(podInformer)).toEqual({ a: 'watching', b: 'forbidden' });
    at(9, members['a'], [bookmark('2')]);
    expect(podInformer.lastMessageAt).toBe(2);
  });

  it('does not prevent an informer from syncing if all of its sources are forbidden', () => {
    const { podInformer, members, at } = merged(['a', 'b'], { startWithout });
    at(1, members['a'], forbidden);
    expect(podInformer.hasSynced).toBe(false);
    at(2, members['b'], forbidden);

    expect(podInformer.hasSynced).toBe(true);
  });

  it('has its objects added once listing is allowed, with no deletion and no duplicate', () => {
    const { members, changes, at } = merged(['a', 'b'], { startWithout });
    at(1, members['b'], forbidden);
    at(2, members['a'], list(pod('a', 'x')));
    at(3, members['b'], list(pod('b', 'y')));

    expect(changes).toEqual(['added a/x', 'added b/y']);
  });

  it('is part of the first lists if listing is allowed before the others have listed', () => {
    const { members, changes, at } = merged(['a', 'b'], { startWithout });
    at(1, members['b'], forbidden);
    at(2, members['b'], list(pod('b', 'y')));
    at(3, members['a'], list(pod('a', 'x')));

    expect(changes).toEqual(['added a/x added b/y']);
  });

  it('G7: keeps its earlier objects, and infers deletions meanwhile from its next list', () => {
    const { podInformer, members, changes, at } = merged(['a', 'b'], { startWithout });
    at(1, members['a'], list(pod('a', 'x')));
    at(2, members['b'], list(pod('b', 'y'), pod('b', 'z')));
    at(3, members['b'], forbidden);

    expect(podInformer.list()).toHaveLength(3);
    expect(podInformer.status.state).toBe('forbidden');
    at(4, members['b'], list(pod('b', 'z')));
    expect(changes.slice(1)).toEqual(['deleted b/y (tombstone)']);
  });

  it('may leave the set before it has listed, and may join it later without removing anything', () => {
    const { podInformer, members, sets, changes, at } = merged(['a', 'b'], { startWithout });
    at(1, members['b'], forbidden);
    at(2, members['a'], list(pod('a', 'x')));
    sets.next({ a: members['a'] as Member });
    expect(statesOf(podInformer)).toEqual({ a: 'watching' });
    sets.next(members);
    at(3, members['b'], forbidden);

    expect(podInformer.hasSynced).toBe(true);
    expect(changes).toEqual(['added a/x']);
    expect(statesOf(podInformer)).toEqual({ a: 'watching', b: 'forbidden' });
  });

  it('is skipped by listWatch too, for one of several namespaces', () => {
    const head: ResponsePart = { type: 'head', status: 200, headers: {} };
    const body = { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [pod('web', 'x')] };
    const bytes: ResponsePart = { type: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(body)) };
    const client: KubeClient = {
      exchange: ({ path, query }) => {
        if (path.includes('/secret/')) return throwError(() => denied);
        return query?.['watch'] === undefined ? of(head, bytes) : concat(of(head), NEVER);
      },
    };
    const scheduler = new VirtualTimeScheduler();
    const follow = (options: MergeOptions): Informer<Pod> => {
      const namespace = inNamespaces(['web', 'secret'], options);
      const source = listWatch(client, pods, { namespace, initialList: 'pages', scheduler });
      const podInformer = informer(source, { scheduler });
      podInformer.connect();
      return podInformer;
    };
    const waiting = follow({});
    const starting = follow({ startWithout });

    expect(waiting.hasSynced).toBe(false);
    expect(starting.hasSynced).toBe(true);
    expect(starting.list()).toHaveLength(1);
    expect(statesOf(starting)).toEqual({ web: 'watching', secret: 'forbidden' });
    waiting.stop();
    starting.stop();
  });
});
