import { BehaviorSubject, distinctUntilChanged, EMPTY, filter, map, Observable, Subscription, take } from 'rxjs';
import { internalChanges } from '../collections/log-collection.js';
import type { FeedContent } from '../feeds/feed.js';
import type { Informer } from '../informer/source-informer.js';
import { compareResourceVersions, resourceVersionOf, type KubernetesObject } from '../kubernetes/object.js';
import { hubError } from '../sources/model/errors.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { ChangeReason, ChangeSet } from '../store/change.js';
import type { HubPosition } from './hub-messages.js';
import { ObjectsOfPage } from './objects-of-page.js';
import { KindChange, type Scope } from './scope.js';

/** One commit of the hub's informer. */
interface Entry {
  readonly reason: ChangeReason;
  readonly changes: readonly KindChange[];
  /** The version after the changes. */
  readonly version: string;
}

/** The number of changes that a log keeps for viewers that connect again. */
const maxChanges = 10_000;

/**
 * The latest changes of one kind, in the whole cluster. Viewers receive only what `contentOf`
 * returns: the part in their scope.
 *
 * A position in the log is the version after a commit. Positions before the oldest kept change, and
 * before the latest list, are unknown.
 */
export class KindLog {
  readonly #objects = new Map<string, KubernetesObject>();
  #entries: Entry[] = [];
  #size = 0;
  /** The version before the first entry. */
  #base = '';
  readonly #version = new BehaviorSubject<string | undefined>(undefined);
  readonly #readers = new Set<(entry: Entry) => void>();
  readonly #status: BehaviorSubject<SourceStatus>;
  #contactAt: number | undefined;
  #lists = 0;

  /** @param run differs for each run of each informer */
  constructor(
    private readonly informer: Informer<KubernetesObject>,
    private readonly run: string,
  ) {
    this.#status = new BehaviorSubject(viewerStatus(informer.status));
  }

  /** Names the positions whose versions can be compared for equality. */
  get epoch(): string {
    return `${this.run}.${this.#lists}`;
  }

  /** Follows the informer until the result is unsubscribed. The informer starts with it. */
  open(): Subscription {
    const following = new Subscription();
    const status$ = this.informer.status$.pipe(map(viewerStatus), distinctUntilChanged(isSameStatus));
    following.add(status$.subscribe((status) => this.#status.next(status)));
    following.add(internalChanges(this.informer).subscribe((set) => this.#take(set)));
    return following;
  }

  /**
   * Records that the objects are current. Viewers receive bookmarks only from here, by a clock, so
   * that no message shows the time of a change that they may not see.
   */
  bookmark(now: number): void {
    const { snapshot, status } = this.informer;
    if (status.state !== 'watching' || this.#version.value === undefined) return;
    this.#contactAt = now;
    const version = snapshot.resourceVersion;
    if (this.#isLater(version)) this.#append({ reason: 'watch', changes: [], version });
  }

  /** The number of objects in the whole cluster. */
  get size(): number {
    return this.#objects.size;
  }

  /** Emits once when the objects are at least as new as `version`. */
  reached$(version: string): Observable<unknown> {
    const hasReached = (own: string | undefined): boolean =>
      own !== undefined && (compareResourceVersions(own, version) ?? 0) >= 0;
    return this.#version.pipe(filter(hasReached), take(1));
  }

  /** Returns true if the log has all changes since a position. */
  knows({ epoch, resourceVersion }: HubPosition): boolean {
    return epoch === this.epoch && this.#indexAfter(resourceVersion) !== undefined;
  }

  /**
   * Returns what a viewer of a scope receives: all its objects, or their changes since a position
   * that `knows` accepts or since what it has, and then each change. Errors of the informer are not
   * part of it, because they contain addresses and names.
   */
  contentOf(scope: Scope, since?: HubPosition | ObjectsOfPage): FeedContent {
    let version = '';
    const { informer } = this;
    const contactAt = (): number | undefined => this.#contactAt;
    const status$ = this.#status;
    return {
      resourceVersion: () => version,
      changes$: new Observable((subscriber) => {
        const read = ({ reason, changes, version: next }: Entry): void => {
          version = next;
          const visible = changes.map((change) => change.in(scope)).filter((change) => change !== undefined);
          if (visible.length > 0 || reason === 'initial') subscriber.next({ reason, changes: visible });
        };
        this.#readers.add(read);
        subscriber.add(() => this.#readers.delete(read));
        if (since instanceof ObjectsOfPage) {
          version = this.#version.value ?? '';
          subscriber.next({ reason: 'relist', changes: since.changesTo(this.#objects, scope) });
          return;
        }
        const index = since && this.#indexAfter(since.resourceVersion);
        if (index !== undefined) read(together(this.#entries.slice(index), since?.resourceVersion ?? ''));
        else if (this.#version.value !== undefined) read(this.#everything(this.#version.value));
      }),
      reports: {
        errors$: EMPTY,
        status$,
        get status() {
          return status$.value;
        },
        get isRunning() {
          return informer.isRunning;
        },
        get hasSynced() {
          return version !== '';
        },
        get lastMessageAt() {
          return contactAt();
        },
        get lastHeardAt() {
          return contactAt();
        },
        // A viewer must not make the hub connect again.
        recheck: () => undefined,
      },
    };
  }

  #everything(version: string): Entry {
    const changes = Array.from(
      this.#objects,
      ([key, object]) => new KindChange({ type: 'added', key, object }, undefined),
    );
    return { reason: 'initial', changes, version };
  }

  #take({ reason, changes }: ChangeSet<KubernetesObject>): void {
    const last = changes.at(-1);
    const own = reason === 'watch' && last !== undefined ? resourceVersionOf(last.object) : undefined;
    const version = own ?? this.informer.snapshot.resourceVersion;
    const isLater = reason === 'watch' && this.#isLater(version);
    const taken = changes.map((change) => {
      const known = new KindChange(change, this.#objects.get(change.key));
      if (change.type === 'deleted') this.#objects.delete(change.key);
      else this.#objects.set(change.key, change.object);
      return known;
    });
    this.#append({ reason, changes: taken, version });
    if (isLater) return;
    // After a list, and if the API server was restored, an earlier version says nothing any more.
    this.#lists++;
    this.#entries = [];
    this.#size = 0;
    this.#base = version;
  }

  #append(entry: Entry): void {
    this.#entries.push(entry);
    this.#size += entry.changes.length + 1;
    while (this.#size > maxChanges) {
      const dropped = this.#entries.shift();
      if (dropped === undefined) break;
      this.#size -= dropped.changes.length + 1;
      this.#base = dropped.version;
    }
    // A reader that joins during these calls reads the entry from the log.
    const readers = [...this.#readers];
    this.#version.next(entry.version);
    for (const read of readers) if (this.#readers.has(read)) read(entry);
  }

  #isLater(version: string): boolean {
    return (compareResourceVersions(version, this.#version.value ?? '') ?? 0) > 0;
  }

  /** Returns the index of the first entry after a version; `undefined` if that is not known. */
  #indexAfter(version: string): number | undefined {
    if (version === '') return undefined;
    const index = this.#entries.findLastIndex((entry) => entry.version === version);
    if (index >= 0) return index + 1;
    return version === this.#base ? 0 : undefined;
  }
}

/** Returns the entries as one, so that a viewer catches up in one commit. */
function together(entries: readonly Entry[], since: string): Entry {
  const changes = entries.flatMap((entry) => entry.changes);
  return { reason: 'watch', changes, version: entries.at(-1)?.version ?? since };
}

/** Returns a status without what a viewer must not see: counts, addresses, names and causes. */
function viewerStatus(status: SourceStatus): SourceStatus {
  switch (status.state) {
    case 'listing':
      return { state: 'listing', by: 'stream', received: 0 };
    case 'watching':
      return { state: 'watching', since: status.since, resourceVersion: '' };
    case 'reconnecting':
    case 'stopped':
      return { state: status.state };
    case 'backing-off':
    case 'forbidden':
    case 'not-found': {
      const { state, until, attempt, cause } = status;
      return { state, until, attempt, cause: hubError('upstream', 'it cannot read from the API server', cause.code) };
    }
  }
}

function isSameStatus(one: SourceStatus, other: SourceStatus): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
