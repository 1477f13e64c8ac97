import { isSameIncarnation, isSameVersion } from '../kubernetes/object.js';
import { isEqualContent } from '../kubernetes/share-structure.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import type { Change } from '../store/change.js';
import { retainedBytes } from './estimate-bytes.js';
import type { HistoryClock } from './history-clock.js';

/** One version of a history. */
export interface HistoryVersion {
  /** The number of the version, counted from 1. Later versions have higher numbers. */
  readonly version: number;
  /**
   * When its first change was announced, in milliseconds since 1970, as the clock of the machine is
   * set now. Times never decrease from version to version.
   */
  readonly time: number;
  /** The number of objects that differ from the previous version; 0 for the first version. */
  readonly changes: number;
  /** True if it was joined from several versions to save memory: the states between are lost. */
  readonly isThinned?: boolean;
}

/** A version before the oldest one of a history, for `prepend`. */
export interface EarlierVersion<T> extends Pick<HistoryVersion, 'time' | 'isThinned'> {
  /**
   * The objects that differ in the next version, as they are in this one; `undefined` for an object
   * that does not exist in this version.
   */
  readonly objects: ReadonlyMap<string, T | undefined>;
}

/** The object under one key before and after; `undefined` where there was none. */
export interface Difference<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** A version, with its differences from the previous one. */
export interface RecordedVersion<T> extends HistoryVersion {
  /** The elapsed time of its first change, which decides. `time` is only its label. */
  readonly moment: number;
  readonly resourceVersion: string;
  /** Calls `visit` for each object that differs from the previous version. */
  forEach(visit: (key: string, before: T | undefined, after: T | undefined) => void): void;
  /** Returns the difference of one object, if any. Costs one comparison for each change. */
  differenceOf(key: string): Difference<T> | undefined;
  /** The number of changes from the beginning of the history up to this version. */
  readonly total: number;
}

/**
 * The bytes that the record of a change takes in addition to the object: its entry, and its share
 * of the checkpoints.
 */
const bytesOfChange = 500;

/**
 * One version. While it is open, later changes can still be added to it. Afterwards its differences
 * are stored in one array, because a map takes four times as much memory.
 */
class LoggedVersion<T> implements RecordedVersion<T> {
  resourceVersion = '';
  total = 0;
  bytes = 0;
  isThinned = false;
  /** The elapsed time of the last version that was joined into this one. */
  lastMoment: number;
  #open: Map<string, Difference<T>> | undefined = new Map<string, Difference<T>>();
  /** The changes in order, each with its key, the object before and the object after. */
  #sealed: readonly (string | T | undefined)[] = [];

  readonly #clock: HistoryClock;

  constructor(
    readonly version: number,
    public moment: number,
    clock: HistoryClock,
  ) {
    this.#clock = clock;
    this.lastMoment = moment;
  }

  get time(): number {
    return this.#clock.timeOf(this.moment);
  }

  get changes(): number {
    return this.#open?.size ?? this.#sealed.length / 3;
  }

  note(key: string, before: T | undefined, after: T | undefined): void {
    if (this.#open !== undefined) fold(this.#open, key, before, after);
  }

  forEach(visit: (key: string, before: T | undefined, after: T | undefined) => void): void {
    const sealed = this.#sealed;
    for (let position = 0; position < sealed.length; position += 3) {
      visit(sealed[position] as string, sealed[position + 1] as T | undefined, sealed[position + 2] as T | undefined);
    }
  }

  differenceOf(key: string): Difference<T> | undefined {
    const sealed = this.#sealed;
    for (let position = 0; position < sealed.length; position += 3) {
      if (sealed[position] !== key) continue;
      return { before: sealed[position + 1] as T | undefined, after: sealed[position + 2] as T | undefined };
    }
    return undefined;
  }

  seal(before: number): void {
    const open = this.#open ?? new Map<string, Difference<T>>();
    this.total = before + open.size;
    this.set(open);
  }

  /** Sets the differences from the previous version, and closes this version. */
  set(differences: ReadonlyMap<string, Difference<T>>): void {
    this.#open = undefined;
    this.bytes = 0;
    const sealed: (string | T | undefined)[] = [];
    for (const [key, { before: earlier, after: later }] of differences) {
      sealed.push(key, earlier, later);
      this.bytes +=
        bytesOfChange + retainedBytes(earlier, isSameIncarnation(earlier, later) === false ? undefined : later);
    }
    // Copy the array, because `push` has reserved memory for more items.
    this.#sealed = sealed.slice();
  }

  /** Drops the changes that led to this version, which keep dropped objects in memory. */
  forget(): void {
    this.bytes = 0;
    this.#open?.clear();
    this.#sealed = [];
  }
}

/** Adds a later difference of a key. One that leads back to the first object is removed. */
function fold<T>(all: Map<string, Difference<T>>, key: string, before: T | undefined, after: T | undefined): void {
  const known = all.get(key);
  const first = known === undefined ? before : known.before;
  if (first === after) all.delete(key);
  else all.set(key, { before: first, after });
}

/** The limits of a history, in milliseconds and bytes. */
export interface HistoryLimits {
  readonly for: number;
  readonly bytes: number;
  readonly every: number;
  readonly thinTo: number;
}

/** A version may be joined up to this part of its age: the past gets coarser as it gets older. */
const partOfAge = 1 / 8;

/** After a limit was reached, the memory is reduced to this part of it, so that it is rare work. */
const partAfterThinning = 7 / 8;

/**
 * Versions as a log of differences, oldest first; each refers to the objects before and after,
 * which share unchanged parts. The last version takes announced changes until it is `every`
 * milliseconds old, or is read.
 */
export class VersionLog<T> {
  #versions: LoggedVersion<T>[] = [];
  #isOpen = false;
  #bytes = 0;
  #last = 0;
  #all: readonly RecordedVersion<T>[] | undefined;

  constructor(
    public limits: HistoryLimits,
    private readonly clock: HistoryClock,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  get oldest(): RecordedVersion<T> | undefined {
    return this.#versions[0];
  }

  /** The last version. Reading it closes it. */
  get newest(): RecordedVersion<T> | undefined {
    this.seal();
    return this.#versions.at(-1);
  }

  /** All versions. Reading them closes the last one. */
  get recorded(): readonly RecordedVersion<T>[] {
    this.seal();
    return (this.#all ??= Object.freeze([...this.#versions]));
  }

  /** Drops all versions. Later versions have higher numbers than the dropped ones. */
  clear(): void {
    this.#versions = [];
    this.#isOpen = false;
    this.#bytes = 0;
    this.#all = undefined;
  }

  /** Returns the version for changes that are announced now. `isNew`: it has just begun. */
  open(): { readonly version: HistoryVersion; readonly isNew: boolean } {
    const now = this.clock.now();
    const last = this.#versions.at(-1);
    if (last !== undefined && this.#isOpen && Math.abs(now - last.moment) < this.limits.every) {
      return { version: last, isNew: false };
    }
    this.seal();
    const opened = new LoggedVersion<T>(++this.#last, Math.max(now, last?.moment ?? now), this.clock);
    this.#versions.push(opened);
    this.#isOpen = true;
    this.#all = undefined;
    return { version: opened, isNew: true };
  }

  /** Adds a change to the open version. */
  note(key: string, before: T | undefined, after: T | undefined): void {
    this.#versions.at(-1)?.note(key, before, after);
  }

  setResourceVersion(resourceVersion: string): void {
    const last = this.#versions.at(-1);
    if (last !== undefined) last.resourceVersion = resourceVersion;
  }

  /** Closes the open version. */
  seal(): void {
    const last = this.#versions.at(-1);
    if (!this.#isOpen || last === undefined) return;
    this.#isOpen = false;
    last.seal(this.#versions.at(-2)?.total ?? 0);
    this.#bytes += last.bytes;
  }

  /**
   * Adds versions before the oldest one, which is closed. Differences are computed from the newest
   * to the oldest.
   *
   * @param objectOf returns an object of the oldest version
   * @param isSame returns true if two states of an object are equal
   */
  prepend(
    earlier: readonly EarlierVersion<T>[],
    objectOf: (key: string) => T | undefined,
    isSame: (a: T | undefined, b: T | undefined) => boolean,
  ): void {
    const known = new Map<string, T | undefined>();
    const added: LoggedVersion<T>[] = [];
    let next = this.#versions[0] as LoggedVersion<T>;
    for (const { time, objects, isThinned = false } of [...earlier].reverse()) {
      const differences = new Map<string, Difference<T>>();
      for (const [key, before] of objects) {
        const after = known.has(key) ? known.get(key) : objectOf(key);
        if (isSame(before, after)) continue;
        differences.set(key, { before, after });
        known.set(key, before);
      }
      const moment = Math.min(this.clock.momentOf(time), next.moment);
      if (differences.size === 0) {
        // Nothing differs, so the next version begins here.
        next.moment = moment;
        next.isThinned ||= isThinned;
        continue;
      }
      next.set(differences);
      this.#bytes += next.bytes;
      const version = new LoggedVersion<T>(next.version - 1, moment, this.clock);
      version.set(new Map());
      version.total = next.total - differences.size;
      version.isThinned = isThinned;
      added.push(version);
      next = version;
    }
    this.#versions.unshift(...added.reverse());
    this.#all = undefined;
  }

  /** Returns a recorded version; `undefined` if it was dropped. Costs O(log n). */
  get(version: number): RecordedVersion<T> | undefined {
    const found = this.#versions[this.#positionOf(version)];
    return found?.version === version ? found : undefined;
  }

  /**
   * Returns the last version that is not after `moment`. If `moment` is before all versions,
   * returns the oldest one. Costs O(log n).
   */
  at(moment: number): RecordedVersion<T> | undefined {
    return this.#versions[Math.max(this.#positionAfter(moment) - 1, 0)];
  }

  /** Returns the first version after a moment. Costs O(log n). */
  after(moment: number): RecordedVersion<T> | undefined {
    return this.#versions[this.#positionAfter(moment)];
  }

  /**
   * Joins old versions, the oldest first, while the log takes too much memory. A joined version has
   * the number of its last one, and the time of its first one.
   *
   * @param isNeeded returns true if the version with a number must stay a version of its own
   */
  thin(isNeeded: (version: number) => boolean): void {
    const { bytes, thinTo } = this.limits;
    if (thinTo === 0 || this.#bytes <= bytes) return;
    const enough = bytes * partAfterThinning;
    const now = this.clock.now();
    const versions = this.#versions;
    const kept = versions.slice(0, 1);
    let position = 1;
    // The newest version may be open.
    while (position < versions.length - 1 && this.#bytes > enough) {
      const first = versions[position] as LoggedVersion<T>;
      const longest = Math.min(thinTo, (now - first.moment) * partOfAge);
      let end = position + 1;
      while (end < versions.length - 1) {
        const last = versions[end] as LoggedVersion<T>;
        if (last.lastMoment - first.moment > longest || isNeeded((versions[end - 1] as LoggedVersion<T>).version))
          break;
        end++;
      }
      kept.push(end - position === 1 ? first : this.#joined(versions.slice(position, end)));
      position = end;
    }
    this.#versions = [...kept, ...versions.slice(position)];
    this.#all = undefined;
  }

  /** Returns the oldest version that both limits allow now. */
  oldestToKeep(): RecordedVersion<T> | undefined {
    const now = this.clock.now();
    const versions = this.#versions;
    const { bytes: limit, thinTo, for: reach } = this.limits;
    const allowed = thinTo > 0 && this.#bytes > limit ? limit * partAfterThinning : limit;
    let position = 0;
    let bytes = this.#bytes;
    // The newest version always stays. An older version is needed until the version after it is too
    // old as well, because it shows the state until then.
    while (position + 1 < versions.length) {
      const next = versions[position + 1] as LoggedVersion<T>;
      if (bytes <= allowed && next.moment > now - reach) break;
      bytes -= next.bytes;
      position++;
    }
    if (position > 0 && position + 1 === versions.length) this.seal();
    return versions[position];
  }

  /** Drops all versions before `oldest`, and the changes that led to `oldest`. */
  trim(oldest: RecordedVersion<T>): void {
    const count = this.#positionOf(oldest.version);
    if (count === 0) return;
    for (const dropped of this.#versions.splice(0, count)) this.#bytes -= dropped.bytes;
    const first = this.#versions[0] as LoggedVersion<T>;
    this.#bytes -= first.bytes;
    first.forget();
    this.#all = undefined;
  }

  /** Returns differences by key; `undefined` if a version was dropped. O(changes in between). */
  *between(from: number, to: number): Slices<ReadonlyMap<string, Difference<T>> | undefined> {
    const [low, high] = from < to ? [from, to] : [to, from];
    if (this.get(low) === undefined || this.get(high) === undefined) return undefined;
    const versions = this.#versions.slice(this.#positionOf(low) + 1, this.#positionOf(high) + 1);
    const merged = new Map<string, Difference<T>>();
    let visited = 0;
    for (const version of versions) {
      version.forEach((key, before, after) => fold(merged, key, before, after));
      visited += version.changes;
      if (visited < objectsPerSlice) continue;
      visited = 0;
      yield;
    }
    if (from <= to) return merged;
    const backward = new Map<string, Difference<T>>();
    yield* forEachInSlices(merged, ([key, { before, after }]) => {
      backward.set(key, { before: after, after: before });
    });
    return backward;
  }

  #joined(versions: readonly LoggedVersion<T>[]): LoggedVersion<T> {
    const [first, last] = [versions[0], versions.at(-1)] as [LoggedVersion<T>, LoggedVersion<T>];
    const merged = new Map<string, Difference<T>>();
    for (const version of versions) {
      version.forEach((key, before, after) => fold(merged, key, before, after));
      this.#bytes -= version.bytes;
    }
    const joined = new LoggedVersion<T>(last.version, first.moment, this.clock);
    joined.set(merged);
    this.#bytes += joined.bytes;
    const { total, resourceVersion, lastMoment } = last;
    return Object.assign(joined, { total, resourceVersion, lastMoment, isThinned: true });
  }

  /** Returns the position of the first version with at least this number. */
  #positionOf(version: number): number {
    return firstPosition(this.#versions, (each) => each.version >= version);
  }

  #positionAfter(moment: number): number {
    this.seal();
    return firstPosition(this.#versions, (each) => each.moment > moment);
  }
}

/** Returns the position of the first item that matches, if all later items match, too. O(log n). */
function firstPosition<V>(items: readonly V[], matches: (item: V) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches(items[middle] as V)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Converts differences of two versions to changes. A deletion has the object of the first. */
export function changesOf<T>(differences: ReadonlyMap<string, Difference<T>>): readonly Change<T>[] {
  const changes: Change<T>[] = [];
  for (const [key, { before, after }] of differences) {
    if (before !== undefined && after !== undefined && isSameIncarnation(before, after) !== false) {
      changes.push({ type: 'updated', key, object: after, previous: before });
      continue;
    }
    if (before !== undefined) changes.push({ type: 'deleted', key, object: before, finalStateUnknown: true });
    if (after !== undefined) changes.push({ type: 'added', key, object: after });
  }
  return changes;
}

/** Returns true if two states of one key are the same version of an object, with equal content. */
export function isSameObject(a: unknown, b: unknown): boolean {
  return a === b || (isSameVersion(a, b) && isEqualContent(a, b));
}
