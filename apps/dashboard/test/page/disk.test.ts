/** @jest-environment ./test/page/support/browser-environment.js */
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { informer, pods, nodes as nodeKind, resource, type KubernetesObject, type Resource } from 'rx-informers';
import { collectionHistory } from 'rx-informers/history';
import { watchEvent, type WatchEvent } from 'rx-informers/store';
import { aPod, virtualClock, type VirtualClock } from 'rx-informers/testing';
import { lastValueFrom, of, Subject, type Subscription } from 'rxjs';
import { until } from '../../../../test/support/until.js';
import { chooseDisk, type DiskOwner } from '../../page/history/disk-choice.js';
import {
  deleteScopes,
  diskProblem$,
  keepOnDisk,
  outdatedParts,
  scopeOf,
  versionsSince,
} from '../../page/history/disk.js';
import { connectedPast$, type ConnectedPast, type PastReader } from '../../page/history/recordings.js';
import { noContinuation, WorkerPast } from '../../page/history/worker-past.js';
import { memoryDatabase, type MemoryDatabase } from './support/memory-database.js';

const minute = 60_000;
const cookie = 'rx-informers-dashboard--run';
const owner: DiskOwner = { identity: 'me', base: '', name: 'me', expires: Infinity };

let database: MemoryDatabase;
const running: Subscription[] = [];

beforeEach(() => {
  database = memoryDatabase();
  Object.assign(globalThis, { indexedDB: database.indexedDB, IDBKeyRange: database.IDBKeyRange });
  document.cookie = `${cookie}=me`;
  chooseDisk(owner, true);
});

afterEach(() => {
  for (const each of running.splice(0)) each.unsubscribe();
  localStorage.clear();
  jest.restoreAllMocks();
  diskProblem$.next(undefined);
});

/** A tab that reads one kind, whose worker has recorded nothing. */
class Tab {
  readonly events = new Subject<WatchEvent<KubernetesObject>>();
  readonly connected: ConnectedPast;
  readonly #kept: Subscription;

  constructor(clock: VirtualClock, { user = owner, kind = pods, namespace }: TabOptions = {}) {
    const collection = informer<KubernetesObject>(this.events, { linger: 0, scheduler: clock });
    const history = collectionHistory(collection, { every: 0, for: 60 * minute });
    const past = new WorkerPast(history, () => of(''));
    const read: PastReader = () => of('');
    this.connected = { informer: collection, resource: kind, namespace, history, past, read };
    const connection = collection.connect();
    this.#kept = keepOnDisk(user, read).subscribe();
    this.#kept.add(connection);
    running.push(this.#kept);
    connectedPast$.next(this.connected);
  }

  /** Shows the objects that the server lists. */
  list(...objects: readonly KubernetesObject[]): this {
    this.events.next(watchEvent.listed([...objects], '1'));
    return this;
  }

  get names(): readonly string[] {
    return this.namesAt(Infinity);
  }

  /** The names and versions at a time. */
  namesAt(time: number): readonly string[] {
    return [...this.connected.history.at(Math.min(time, 8e15)).list()]
      .map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`)
      .sort();
  }

  /** Reads back as far as possible. */
  async readBack(): Promise<void> {
    const { past } = this.connected;
    await until(() => past.continuation !== noContinuation, { what: 'the tab reads from the disk' });
    await lastValueFrom(past.readBack(0), { defaultValue: undefined });
  }

  /** Writes what is new, as when the tab becomes hidden. */
  async write(): Promise<void> {
    const before = rowOf(this.connected);
    document.dispatchEvent(new Event('visibilitychange'));
    await until(() => rowOf(this.connected) !== before, { what: 'the tab has written' });
  }

  close(): void {
    this.#kept.unsubscribe();
  }
}

interface TabOptions {
  readonly user?: DiskOwner;
  readonly kind?: Resource<unknown>;
  readonly namespace?: string;
}

/** The row of the scope of a tab. */
function rowOf({ resource: kind, namespace }: ConnectedPast): unknown {
  const scope = scopeOf(owner, kind, namespace);
  return database.rows('scopes').find(({ key }) => key === scope)?.value;
}

const everything = (): readonly unknown[] => ['scopes', 'objects', 'log'].flatMap((store) => database.rows(store));

const pod = (name: string, version: number): KubernetesObject => {
  const made = aPod({ name });
  return { ...made, metadata: { ...made.metadata, resourceVersion: String(version), uid: name } };
};

/** Waits until the scope of a tab is on disk. */
const isOnDisk = (opened: Tab): Promise<void> =>
  until(() => rowOf(opened.connected) !== undefined, { what: 'the history is on disk' });

describe('the history on disk', () => {
  it('shows after a restart what the page showed before, with the changes that happened meanwhile', async () => {
    const clock = virtualClock({ now: Date.now() - 10 * minute });
    const begin = clock.now();
    const first = new Tab(clock).list(pod('a', 1), pod('b', 2));
    await isOnDisk(first);
    clock.advance(minute);
    first.events.next(watchEvent.added(pod('c', 3)));
    clock.advance(minute);
    first.events.next(watchEvent.modified(pod('a', 4)));
    await first.write();
    first.close();
    clock.advance(minute);

    const second = new Tab(clock).list(pod('a', 5), pod('c', 3), pod('d', 6));
    expect(second.namesAt(begin)).toEqual(['a@5', 'c@3', 'd@6']);
    await second.readBack();
    expect(second.namesAt(begin)).toEqual(['a@1', 'b@2']);
    expect(second.namesAt(begin + minute)).toEqual(['a@1', 'b@2', 'c@3']);
    expect(second.namesAt(begin + 2 * minute)).toEqual(['a@4', 'b@2', 'c@3']);
    expect(second.namesAt(begin + 3 * minute)).toEqual(['a@5', 'c@3', 'd@6']);
    expect(second.connected.past.outline$.value.since).toBe(begin);
    // What happened while nothing ran is an outage.
    expect(second.connected.history.asOf(begin + 2.5 * minute)).toBe(begin + 2 * minute);
  });

  it('has every recorded state, after any writes and restarts', async () => {
    const write = fc.record({ name: fc.constantFrom('a', 'b', 'c'), isDeletion: fc.boolean(), isOnDisk: fc.boolean() });
    const restarts = fc.array(fc.array(write, { maxLength: 6 }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(restarts, async (runs) => {
        database = memoryDatabase();
        Object.assign(globalThis, { indexedDB: database.indexedDB });
        const clock = virtualClock({ now: Date.now() - 30 * minute });
        const current = new Map<string, KubernetesObject>();
        const onDisk: { readonly time: number; readonly names: readonly string[] }[] = [];
        let version = 0;
        let last!: Tab;
        for (const writes of runs) {
          last = new Tab(clock).list(...current.values());
          const states = [{ time: clock.now(), names: last.names }];
          // From here on, this tab is the writer.
          await last.readBack();
          for (const [position, { name, isDeletion, isOnDisk: isWritten }] of writes.entries()) {
            clock.advance(1_000);
            const known = current.get(name);
            const object = pod(name, ++version);
            if (isDeletion && known !== undefined) {
              current.delete(name);
              last.events.next(watchEvent.deleted(object));
            } else {
              current.set(name, object);
              last.events.next(known === undefined ? watchEvent.added(object) : watchEvent.modified(object));
            }
            states.push({ time: clock.now(), names: last.names });
            if (isWritten || position === writes.length - 1) await last.write();
          }
          onDisk.push(...states);
          for (const { time, names } of onDisk) expect([time, last.namesAt(time)]).toEqual([time, names]);
          last.close();
          clock.advance(1_000);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('is written by one tab at a time, the latest one', async () => {
    const clock = virtualClock({ now: Date.now() - minute });
    const writer = new Tab(clock).list(pod('a', 1));
    await isOnDisk(writer);
    const writerOf = (opened: Tab) => (rowOf(opened.connected) as { readonly writer: string }).writer;
    const first = writerOf(writer);
    const other = new Tab(clock).list(pod('a', 1));
    await until(() => writerOf(other) !== first, { what: 'the later tab writes' });
    const second = writerOf(other);
    clock.advance(1_000);
    for (const { events } of [writer, other]) events.next(watchEvent.modified(pod('a', 2)));
    await other.write();
    expect(writerOf(writer)).toBe(second);
    await other.readBack();
    expect(other.namesAt(clock.now() - 1_000)).toEqual(['a@1']);
  });

  it('never has Secrets, of any API and version', async () => {
    const clock = virtualClock({ now: Date.now() });
    const kinds = ['', 'example.com'].flatMap((group) =>
      ['v1', 'v2alpha1'].map((version) =>
        resource<KubernetesObject>({ group, version, plural: 'secrets', namespaced: true, kind: 'Any' }),
      ),
    );
    const ofKind = resource<KubernetesObject>({
      group: 'x',
      version: 'v1',
      plural: 'hidden',
      namespaced: true,
      kind: 'Secret',
    });
    for (const kind of [...kinds, ofKind]) new Tab(clock, { kind }).list(pod('password', 1));
    const pods = new Tab(clock).list(pod('harmless', 2));
    await isOnDisk(pods);
    expect(JSON.stringify(everything())).not.toContain('password');
    expect(database.rows('scopes')).toHaveLength(1);
  });

  it.each<[string, Partial<DiskOwner>, number]>([
    ['of another session', { identity: 'other' }, 0],
    ['of a session that has expired', { expires: Date.now() + minute }, minute],
    ['older than an hour', {}, 61 * minute],
  ])('is deleted unread at the next start if it is %s', async (_, changed, later) => {
    const user = { ...owner, ...changed };
    document.cookie = `${cookie}=${user.identity}`;
    const clock = virtualClock({ now: Date.now() });
    const earlier = new Tab(clock, { user }).list(pod('a', 1));
    await until(() => database.rows('objects').length > 0);
    earlier.close();
    document.cookie = `${cookie}=me`;
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + later);
    new Tab(clock);
    await until(() => everything().length === 0);
    expect(everything()).toEqual([]);
  });

  it('is deleted when the session ends while the page is open', async () => {
    const opened = new Tab(virtualClock({ now: Date.now() }), { user: { ...owner, expires: Date.now() + 1_000 } });
    opened.list(pod('a', 1));
    await isOnDisk(opened);
    await until(() => everything().length === 0);
    expect(everything()).toEqual([]);
  });

  it('does not have a kind whose right was withdrawn', async () => {
    const clock = virtualClock({ now: Date.now() - minute });
    const opened = new Tab(clock).list(pod('a', 1));
    const nodes = new Tab(clock, { kind: nodeKind });
    nodes.list(pod('n', 2));
    await isOnDisk(opened);
    await isOnDisk(nodes);
    opened.events.next([{ type: 'STATUS', status: { state: 'forbidden' } }] as never);
    await until(() => rowOf(opened.connected) === undefined);
    expect(rowOf(nodes.connected)).toBeDefined();
    document.dispatchEvent(new Event('visibilitychange'));
    await deleteScopes(() => false);
    expect(JSON.stringify(everything())).not.toContain('v1","pods');
  });

  it.each<[string, () => void]>([
    ['opted out', () => chooseDisk(owner, false)],
    ['signed out', () => (document.cookie = `${cookie}=; Max-Age=0`)],
  ])('is not written any more after the user has %s, in this tab or in another one', async (_, act) => {
    const clock = virtualClock({ now: Date.now() - minute });
    const opened = new Tab(clock).list(pod('a', 1));
    await isOnDisk(opened);
    act();
    await deleteScopes(() => true);
    clock.advance(1_000);
    opened.events.next(watchEvent.added(pod('b', 2)));
    document.dispatchEvent(new Event('visibilitychange'));
    await deleteScopes(() => false);
    expect(everything()).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['without IndexedDB', () => Reflect.deleteProperty(globalThis, 'indexedDB')],
    ['if the disk is full', () => database.fail('the quota is exceeded')],
  ])('is missing %s, which the page says, and the page works as before', async (_, prepare) => {
    prepare();
    const opened = new Tab(virtualClock({ now: Date.now() - minute })).list(pod('a', 1));
    await until(() => diskProblem$.value !== undefined);
    await lastValueFrom(opened.connected.past.readBack(0), { defaultValue: undefined });
    expect(opened.names).toEqual(['a@1']);
    expect(everything()).toEqual([]);
  });
});

describe('the size of the history on disk', () => {
  it('is limited by an hour and by its bytes, from the oldest part on', () => {
    const hour = 60 * minute;
    const part = (until: number, size: number) => ['s', until - minute, until, 1, size] as const;
    const parts = [part(hour, 10), part(2 * hour, 60), part(2.5 * hour, 60), part(2.9 * hour, 30)];
    const untils = (limit: number) => outdatedParts(parts, 2.95 * hour, limit).map((key) => key[2] / hour);
    expect(untils(1_000)).toEqual([1]);
    expect(untils(100)).toEqual([1, 2]);
    expect(untils(20)).toEqual([1, 2, 2.5, 2.9]);
  });

  it('joins the versions of a part that is too long', () => {
    const clock = virtualClock({ now: 1_000 });
    const { connected, events } = new Tab(clock).list(pod('a', 1));
    for (const version of [2, 3, 4]) {
      clock.advance(1_000);
      events.next(watchEvent.modified(pod('a', version)));
    }
    const [first] = connected.history.versions;
    const shapes = (size: number) =>
      versionsSince(connected.history, first!, size).map(({ time, isThinned, objects }) => [
        time,
        isThinned ?? false,
        objects.map(({ next }) => next),
      ]);
    expect(shapes(1_000)).toEqual([
      [3_000, false, ['4']],
      [2_000, false, ['3']],
      [1_000, false, ['2']],
    ]);
    expect(shapes(10)).toEqual([[1_000, true, ['4']]]);
  });
});
