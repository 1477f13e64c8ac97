import type { Change, KubernetesObject, Resource, Snapshot } from 'rx-informers';
import type { CollectionHistory, HistoryVersion } from 'rx-informers/history';
import {
  BehaviorSubject,
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  filter,
  finalize,
  from,
  fromEvent,
  ignoreElements,
  interval,
  merge,
  mergeMap,
  NEVER,
  of,
  switchMap,
  take,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs';
import { recorded } from '../cluster/reading.js';
import { identityOfPage, isOnDisk, type DiskOwner } from './disk-choice.js';
import { versionText, type PastPart, type VersionText } from './past-text.js';
import { connectedPast$, reach, type ConnectedPast, type PastReader } from './recordings.js';
import { shownTime } from './shown-time.js';
import { noContinuation, type ContinuePart } from './worker-past.js';

/*
 * The history on disk, in IndexedDB. A scope is one kind in one namespace or in all, for one owner.
 * It has its latest objects, and a log of parts, each of which leads back from the state of the next
 * part. So old parts are deleted without reading them. One tab writes a scope at a time.
 */

/** Milliseconds between two parts of the log. */
const pace = 20_000;

/** The size of a part above which its versions are joined, so that an hour has at most `recorded.bytes`. */
const partSize = (recorded.bytes * pace) / reach;

/** Objects that are written in one step, so that the page stays responsive. */
const objectsPerStep = 200;

/** What is known of a scope without reading its objects. */
export interface ScopeRow {
  /** The name of the writer, and when it last wrote. */
  readonly writer: string;
  readonly written: number;
  /** The time of the latest version on disk. */
  readonly until: number;
  readonly expires: number;
}

/** The key of a part: `until` is the time of the version that follows it. */
type PartKey = readonly [scope: string, from: number, until: number, changes: number, size: number];
type ObjectKey = readonly [scope: string, key: string, resourceVersion: string];

/** Why the history is not on disk; `undefined` if there is no problem. */
export const diskProblem$ = new BehaviorSubject<string | undefined>(undefined);

/** Returns false for Secrets, regardless of the API and version that serve them. */
export function mayBeOnDisk({ plural, kind = '' }: Pick<Resource<unknown>, 'plural' | 'kind'>): boolean {
  return plural.toLowerCase() !== 'secrets' && kind.toLowerCase() !== 'secret';
}

/** Returns the name of a scope. */
export function scopeOf(
  { identity, base }: Pick<DiskOwner, 'identity' | 'base'>,
  { group, version, plural }: Pick<Resource<unknown>, 'group' | 'version' | 'plural'>,
  namespace = '',
): string {
  return JSON.stringify([identity, base, group, version, plural, namespace]);
}

/** Returns whether a scope belongs to the session of an owner, in its cluster. */
export function isOfOwner(scope: string, { identity, base }: Pick<DiskOwner, 'identity' | 'base'>): boolean {
  const [ofIdentity, ofBase] = JSON.parse(scope) as readonly string[];
  return ofIdentity === identity && ofBase === base;
}

/** Returns whether a scope must be deleted unread: of another session, expired, or too old. */
export function isStale(scope: string, { expires, written }: ScopeRow, identity: string, now: number): boolean {
  const [ofIdentity] = JSON.parse(scope) as readonly string[];
  return ofIdentity !== identity || expires <= now || written <= now - reach;
}

/** Returns the keys of parts to delete: older than an hour, or the oldest ones above the limit. */
export function outdatedParts(keys: readonly PartKey[], now: number, limit: number): readonly PartKey[] {
  let size = keys.reduce((sum, key) => sum + key[4], 0);
  return keys.filter(([, , until, , bytes]) => {
    const isOutdated = until <= now - reach || size > limit;
    if (isOutdated) size -= bytes;
    return isOutdated;
  });
}

/**
 * Returns the versions of a history from one version to the newest, the newest first, without the
 * newest. Joins them if their text is longer than `size`.
 */
export function versionsSince(
  history: CollectionHistory<KubernetesObject>,
  first: HistoryVersion,
  size: number,
): readonly VersionText[] {
  const versions = history.versions.filter(({ version }) => version >= first.version);
  const texts = versions
    .slice(0, -1)
    .map((version, index) => versionText(version, history.diff(version, versions[index + 1] ?? version).changes));
  if (texts.length < 2 || JSON.stringify(texts).length <= size) return texts.reverse();
  return [versionText({ time: first.time, isThinned: true }, history.diff(first, versions.at(-1) ?? first).changes)];
}

/** Keeps the history of a cluster on disk while it is subscribed to, if the owner has chosen it. */
export function keepOnDisk(owner: DiskOwner, read: PastReader): Observable<never> {
  const swept$ = defer(() => deleteScopes((scope, row) => isStale(scope, row, owner.identity, Date.now())));
  const hasEnded$ = owner.expires === Infinity ? NEVER : timer(new Date(owner.expires));
  const kept$ = connectedPast$.pipe(
    filter((connected) => isOnDisk(owner) && connected.read === read && mayBeOnDisk(connected.resource)),
    mergeMap((connected) => keepScope(new DiskScope(owner, connected), connected)),
    takeUntil(hasEnded$),
  );
  const ended$ = defer(() => deleteScopes((scope) => isOfOwner(scope, owner)));
  return swept$.pipe(
    switchMap(() => (owner.identity === '' ? EMPTY : concat(kept$, ended$))),
    catchError((error: unknown) => {
      diskProblem$.next(error instanceof Error ? error.message : String(error));
      return EMPTY;
    }),
    ignoreElements(),
  );
}

function keepScope(scope: DiskScope, { informer, history, past }: ConnectedPast): Observable<unknown> {
  past.continuation = scope.continuation;
  const first$ = history.newest$.pipe(
    filter((newest) => newest !== undefined),
    take(1),
  );
  const isWithdrawn$ = informer.status$.pipe(filter(({ state }) => state === 'forbidden'));
  return merge(
    // After a restart, this tab continues at once, although the last writer wrote a moment ago.
    first$.pipe(
      concatMap(() => scope.write(true)),
      concatMap(() => concat(past.readOutline(), shownBack(past))),
    ),
    merge(interval(pace), fromEvent(document, 'visibilitychange')).pipe(concatMap(() => scope.write())),
    isWithdrawn$.pipe(mergeMap(() => deleteScopes((name) => name === scope.name))),
  ).pipe(
    finalize(() => {
      past.continuation = noContinuation;
    }),
  );
}

/** Reads back to the shown time, which maybe only the disk has. */
function shownBack(past: ConnectedPast['past']): Observable<void> {
  return shownTime.time === undefined ? EMPTY : past.readBack(() => shownTime.time ?? Infinity);
}

/** One scope, as one tab writes and reads it. */
class DiskScope {
  readonly name: string;
  readonly #writer = `${Date.now()} ${Math.random()}`;
  readonly #informer: ConnectedPast['informer'];
  readonly #history: ConnectedPast['history'];
  /** The latest version that this tab has written. */
  #last: number | undefined;

  constructor(
    private readonly owner: DiskOwner,
    { informer, resource, namespace, history }: ConnectedPast,
  ) {
    this.#informer = informer;
    this.name = scopeOf(owner, resource, namespace);
    this.#history = history;
  }

  /** Continues with the parts on disk where the worker has no earlier versions. */
  readonly continuation: ContinuePart = (part, request) =>
    from(this.#continued(part, request)).pipe(catchError(() => of(part)));

  /**
   * Writes the versions since the last part.
   *
   * @param isNeeded true to write even if another tab is the writer
   */
  async write(isNeeded = false): Promise<void> {
    const { name, owner } = this;
    // The user may have opted out or signed out in another tab, and then nothing may be written.
    if (!isOnDisk(owner) || identityOfPage() !== owner.identity || Date.now() >= owner.expires) return;
    const last = await transaction('readwrite', async ({ scopes, objects, log }) => {
      const history = this.#history;
      const now = Date.now();
      const row = (await done(scopes.get(name))) as ScopeRow | undefined;
      const { newest } = history;
      if (newest === undefined || this.#informer.status.state === 'forbidden') return undefined;
      if (row !== undefined && row.writer !== this.#writer && !isNeeded && row.written > now - 2 * pace)
        return undefined;
      const known =
        row?.writer === this.#writer ? history.versions.find(({ version }) => version === this.#last) : undefined;
      if (known?.version === newest.version) return undefined;

      // The state on disk is that of `known`. Otherwise it is compared with the version of its time.
      const first = known ?? history.versionAt(row?.until ?? 0) ?? newest;
      const latest = history.at(newest);
      const onDisk = known === undefined ? await versionsOnDisk(objects, name) : new Map<string, string>();
      const since = row?.until ?? first.time;
      const isGap = row !== undefined && known === undefined;
      const versions = [
        ...versionsSince(history, first, partSize).map((each) => ({ ...each, time: Math.max(each.time, since) })),
        ...(isGap
          ? [versionText({ time: since }, await changesFromDisk(history.at(first), name, onDisk, objects))]
          : []),
      ];
      const outdated =
        known === undefined
          ? [...new Set([...onDisk.keys(), ...latest.keys()])].filter(
              (key) => onDisk.get(key) !== resourceVersionOf(latest.get(key)),
            )
          : history.diff(known, newest).changes.map(({ key }) => key);
      await writeObjects(objects, name, outdated, (key) => latest.get(key));
      const [oldest] = versions.slice(-1);
      if (oldest !== undefined) {
        const outages = [...endedOutages(history), ...(first.time > since ? [[since, first.time]] : [])];
        const text = JSON.stringify({ versions, outages });
        const changes = versions.reduce((sum, { objects: changed }) => sum + changed.length, 0);
        log.put(text, [name, oldest.time, newest.time, changes, text.length]);
      }
      const parts = (await done(log.getAllKeys(allOf(name)))) as unknown as readonly PartKey[];
      for (const key of outdatedParts(parts, now, recorded.bytes)) log.delete(key as unknown as IDBValidKey);
      const { expires } = owner;
      scopes.put({ writer: this.#writer, written: now, until: newest.time, expires } satisfies ScopeRow, name);
      return newest.version;
    });
    if (last !== undefined) this.#last = last;
    diskProblem$.next(undefined);
  }

  async #continued(part: PastPart, { before, size }: Parameters<ContinuePart>[1]): Promise<PastPart> {
    const isLast = part.isComplete && part.versions.length === 0 && size > 0;
    // The parts on disk lead back from the state that this tab has.
    if (isLast) await this.write(true);
    return transaction('readonly', async ({ log }) => {
      const all = (await done(log.getAllKeys(allOf(this.name)))) as unknown as readonly PartKey[];
      const keys = all.filter(([, , until]) => until > Date.now() - reach);
      const { outline } = part;
      const earlier = keys.filter(([, time]) => time < (outline.since ?? Infinity));
      const [oldest] = earlier;
      const joined = {
        since: oldest?.[1] ?? outline.since,
        spans: [...earlier.map(([, time, , changes]) => ({ time, changes })), ...outline.spans],
      };
      if (!isLast) return { ...part, outline: joined, isComplete: part.isComplete && oldest === undefined };
      const key = keys.findLast(([, time]) => time < before);
      if (key === undefined) return { ...part, outline: joined };
      const text = (await done(log.get(key as unknown as IDBValidKey))) as string;
      const { versions, outages } = JSON.parse(text) as Pick<PastPart, 'versions' | 'outages'>;
      const wanted = versions.filter(({ time }) => time < before);
      return { outline: joined, versions: wanted, outages, isComplete: key === keys[0] };
    });
  }
}

/** Deletes scopes with all they have, without reading their objects. */
export async function deleteScopes(isGone: (scope: string, row: ScopeRow) => boolean): Promise<void> {
  await transaction('readwrite', async ({ scopes, objects, log }) => {
    const names = (await done(scopes.getAllKeys())) as string[];
    const rows = (await done(scopes.getAll())) as ScopeRow[];
    names.forEach((name, position) => {
      if (!isGone(name, rows[position] as ScopeRow)) return;
      for (const each of [objects, log]) each.delete(allOf(name));
      scopes.delete(name);
    });
  });
}

async function versionsOnDisk(objects: IDBObjectStore, scope: string): Promise<ReadonlyMap<string, string>> {
  const keys = (await done(objects.getAllKeys(allOf(scope)))) as unknown as readonly ObjectKey[];
  return new Map(keys.map(([, key, resourceVersion]) => [key, resourceVersion]));
}

/** Returns the changes from the state on disk to a later one. */
async function changesFromDisk(
  next: Snapshot<KubernetesObject>,
  scope: string,
  onDisk: ReadonlyMap<string, string>,
  objects: IDBObjectStore,
): Promise<readonly Change<KubernetesObject>[]> {
  const changes: Change<KubernetesObject>[] = [];
  for (const key of new Set([...onDisk.keys(), ...next.keys()])) {
    const object = next.get(key);
    const known = onDisk.get(key);
    if (known === resourceVersionOf(object)) continue;
    const previous =
      known === undefined ? undefined : ((await done(objects.get([scope, key, known]))) as KubernetesObject);
    if (previous !== undefined) changes.push({ type: 'deleted', key, object: previous, finalStateUnknown: true });
    if (object !== undefined) changes.push({ type: 'added', key, object });
  }
  return changes;
}

async function writeObjects(
  objects: IDBObjectStore,
  scope: string,
  keys: readonly string[],
  objectOf: (key: string) => KubernetesObject | undefined,
): Promise<void> {
  for (const [position, key] of keys.entries()) {
    const object = objectOf(key);
    const deleted = objects.delete(IDBKeyRange.bound([scope, key], [scope, key, []]));
    if (object !== undefined) objects.put(object, [scope, key, resourceVersionOf(object) ?? '']);
    if (position % objectsPerStep === 0) await done(deleted);
  }
}

function endedOutages(history: CollectionHistory<KubernetesObject>): readonly (readonly number[])[] {
  return history.outages.flatMap(({ from: begin, until }) => (until === undefined ? [] : [[begin, until]]));
}

/** Returns `undefined` if there is no object. */
function resourceVersionOf(object: KubernetesObject | undefined): string | undefined {
  return object && (object.metadata?.resourceVersion ?? '');
}

function allOf(scope: string): IDBKeyRange {
  return IDBKeyRange.bound([scope], [scope, []]);
}

const stores = ['scopes', 'objects', 'log'] as const;

type Stores = Readonly<Record<(typeof stores)[number], IDBObjectStore>>;

async function transaction<R>(mode: IDBTransactionMode, work: (all: Stores) => Promise<R>): Promise<R> {
  const database = await opened();
  const running = database.transaction(stores, mode);
  const committed = new Promise<void>((resolve, reject) => {
    running.oncomplete = () => {
      resolve();
    };
    running.onabort = () => {
      reject(running.error ?? new Error('the database stopped'));
    };
  });
  const [scopes, objects, log] = stores.map((name) => running.objectStore(name)) as [
    IDBObjectStore,
    IDBObjectStore,
    IDBObjectStore,
  ];
  const worked = work({ scopes, objects, log }).catch((error: unknown) => {
    running.abort();
    throw error;
  });
  try {
    const [result] = await Promise.all([worked, committed]);
    return result;
  } finally {
    database.close();
  }
}

async function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open('rx-informers-dashboard', 1);
  request.onupgradeneeded = () => {
    for (const name of stores) request.result.createObjectStore(name);
  };
  return done(request);
}

async function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('the database failed'));
    };
  });
}
