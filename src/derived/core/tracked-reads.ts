import { Footprints } from '../../collections/listeners.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import type { QueryResult, Query, TrackedRead } from '../../queries/query.js';
import { forEachInSlices, type Slices } from '../../scheduling/slices.js';
import { forEachIndexValue, membership } from '../../store/index-values.js';
import { emptySnapshot, type IndexedSnapshot } from '../../store/indexed-snapshot.js';
import { keysIn, withKey, withoutKey, type CompactSet } from './compact-set.js';
import type { InputChange } from './derivation.js';

/**
 * Reads one collection for the function of `derive`, and records each read. If a result that was
 * read changes, the row is computed again.
 *
 * All reads of one call see the same version of the collection. A read after the function has
 * returned throws an `RXI_LATE_READ`.
 */
export interface TrackedReads<T, I extends string = string> {
  /** Returns one object, if any. Its changes compute the row again. Costs O(log n). */
  get(key: string): T | undefined;
  /**
   * Returns the objects in one bucket, in key order. The row is computed again when an object
   * enters the bucket, leaves it, or changes in it. Costs O(log n). The first read of a changed
   * bucket costs O(bucket).
   */
  byIndex(index: I, value: string): readonly T[];
  /**
   * Returns the answer of a query. The row is computed again when the query's `isEqual` returns
   * false for the old and the new answer.
   *
   * All rows that run the same query share one answer. The answer is computed again for each commit
   * that touches the footprint of the query. `matching` and `collectionSize` have a footprint of
   * everything, so each commit of the collection computes them again. Two queries are the same if
   * they have the same `id` or are the same object. Create a query without an `id` outside of the
   * function, so that all calls use the same object.
   */
  query<A>(query: Query<T, A, I>): QueryResult<A, T>;
}

function lateReadError(collection: string): RxInformersError<'RXI_LATE_READ'> {
  const message = `${collection} was read after the function of derive had returned; read it before the function returns`;
  return new RxInformersError('RXI_LATE_READ', message, { collection });
}

const nothing: readonly never[] = [];

/** Records the reads of each row, and the rows that read a key, a bucket or a query. */
export class ReadTracker {
  readonly inputs: readonly InputReads<unknown>[];
  /** By row. A single read has no array, because an array of one costs 50 bytes. */
  readonly #reads = new Map<string, Read | readonly Read[]>();
  /** The reads of the present computation so far; the array is reused for all rows. */
  readonly #noted: Read[] = [];
  /** The array that was kept last. Neighbours often read the same things, and then share it. */
  #latest: readonly Read[] = nothing;
  #isComputing = false;
  /** The number of the present computation. */
  #turn = 0;

  constructor(names: readonly string[]) {
    this.inputs = names.map((name) => new InputReads<unknown>(name, this));
  }

  /** Throws unless a row is being computed. */
  check(collection: string): void {
    if (!this.#isComputing) throw lateReadError(collection);
  }

  /** Records a read of the current row; repeated reads are recorded once. */
  note(read: Read): void {
    if (read.isNewIn(this.#turn)) this.#noted.push(read);
  }

  /** Calls `compute` and records what it reads, even if it throws. */
  track<V>(row: string, compute: () => V): V {
    this.#turn++;
    this.#isComputing = true;
    try {
      return compute();
    } finally {
      this.#isComputing = false;
      this.#replace(row, this.#noted);
      this.#noted.length = 0;
    }
  }

  /** Forgets what a row has read. */
  forget(row: string): void {
    this.#turn++;
    this.#replace(row, nothing);
  }

  /** Returns the keys of the objects that a row has read one by one. */
  keysReadBy(row: string): readonly string[] {
    return this.#readsOf(row).flatMap((read) => read.key ?? []);
  }

  #readsOf(row: string): readonly Read[] {
    const reads = this.#reads.get(row) ?? nothing;
    return reads instanceof Read ? [reads] : reads;
  }

  #replace(row: string, reads: readonly Read[]): void {
    const before = this.#readsOf(row);
    // Most rows read the same things each time.
    if (areSameReads(before, reads)) return;
    for (const read of reads) read.add(row);
    for (const read of before) if (read.isNewIn(this.#turn)) read.delete(row);
    const [only] = reads;
    if (only === undefined) this.#reads.delete(row);
    else if (reads.length === 1) this.#reads.set(row, only);
    else {
      // Copy the array, because `push` has reserved memory for sixteen more items.
      if (!areSameReads(this.#latest, reads)) this.#latest = reads.slice();
      this.#reads.set(row, this.#latest);
    }
  }
}

function areSameReads(one: readonly Read[], other: readonly Read[]): boolean {
  return one.length === other.length && one.every((read, position) => read === other[position]);
}

/** Implements the reads of one input, and records which keys, buckets and queries were read. */
export class InputReads<T> implements TrackedReads<T> {
  /** The version that reads see. */
  version: IndexedSnapshot<T> = emptySnapshot<T, string>();
  readonly #keys = new Map<string, Read>();
  readonly #indexes = new Map<string, Map<string, Read>>();
  readonly #answers = new Map<unknown, AnswerRead<T>>();
  readonly #footprints = new Footprints<T, AnswerRead<T>>();

  constructor(
    readonly name: string,
    private readonly tracker: Pick<ReadTracker, 'check' | 'note'>,
  ) {}

  get(key: string): T | undefined {
    this.tracker.check(this.name);
    this.tracker.note(this.#keys.get(key) ?? new KeyRead(this.#keys, key));
    return this.version.get(key);
  }

  byIndex(index: string, value: string): readonly T[] {
    this.tracker.check(this.name);
    const objects = this.version.byIndex(index, value);
    this.tracker.note(this.#bucket(index, value));
    return objects;
  }

  query<A>(query: Query<T, A>): QueryResult<A, T> {
    this.tracker.check(this.name);
    if ('index' in query.footprint) this.version.parts.schema.position(query.footprint.index);
    const id = query.id ?? query;
    const answer = this.#answers.get(id) ?? new AnswerRead<T>(this.#answers, id, query, this.version, this.#footprints);
    this.tracker.note(answer);
    return answer.value() as QueryResult<A, T>;
  }

  /** Adds to `rows` all rows with reads that a change affects. */
  *collect({ previous, current, keys }: InputChange<T>, rows: Set<string>): Slices<void> {
    if (keys.length === 0 || this.#keys.size + this.#indexes.size + this.#answers.size === 0) return;
    yield* forEachInSlices(keys, (key) => {
      const before = previous.get(key);
      const after = current.get(key);
      if (before !== after) this.#keys.get(key)?.collect(rows);
      for (const [index, buckets] of this.#indexes) {
        const from = previous.indexValuesOf(index, key);
        const to = current.indexValuesOf(index, key);
        const [wasIn, isIn] = [membership(from), membership(to)];
        forEachIndexValue(from, (value) => {
          if (before !== after || !isIn(value)) buckets.get(value)?.collect(rows);
        });
        forEachIndexValue(to, (value) => {
          if (!wasIn(value)) buckets.get(value)?.collect(rows);
        });
      }
    });
    if (this.#answers.size === 0) return;
    const touched = this.#footprints.concerned(previous, current, [...keys]);
    yield* forEachInSlices(touched, ([answer, changed]) => {
      if (answer.isChangedBy(current, changed)) answer.collect(rows);
    });
  }

  #bucket(index: string, value: string): Read {
    let buckets = this.#indexes.get(index);
    if (buckets === undefined) this.#indexes.set(index, (buckets = new Map<string, Read>()));
    return buckets.get(value) ?? new Read(buckets, value);
  }
}

/** One key, bucket or query that rows have read. It is dropped with the last of these rows. */
class Read {
  #rows: CompactSet;
  #turn = 0;

  constructor(
    private readonly siblings: Map<unknown, Read>,
    protected readonly name: unknown,
  ) {
    siblings.set(name, this);
  }

  /** The key, if this is the read of one object. */
  get key(): string | undefined {
    return undefined;
  }

  /** Returns true for the first call in a turn, and false for further calls. */
  isNewIn(turn: number): boolean {
    const isNew = this.#turn !== turn;
    this.#turn = turn;
    return isNew;
  }

  add(row: string): void {
    this.#rows = withKey(this.#rows, row);
  }

  delete(row: string): void {
    this.#rows = withoutKey(this.#rows, row);
    if (this.#rows === undefined) this.close();
  }

  collect(rows: Set<string>): void {
    for (const row of keysIn(this.#rows)) rows.add(row);
  }

  protected close(): void {
    this.siblings.delete(this.name);
  }
}

class KeyRead extends Read {
  override get key(): string {
    return this.name as string;
  }
}

/** The answer of a query, or the error that the query threw. */
class AnswerRead<T> extends Read {
  readonly #read: TrackedRead<T, unknown>;
  readonly #leave: () => void;
  #answer: { readonly value: unknown } | { readonly cause: unknown };

  constructor(
    siblings: Map<unknown, Read>,
    id: unknown,
    private readonly query: Query<T, unknown>,
    version: IndexedSnapshot<T>,
    footprints: Footprints<T, AnswerRead<T>>,
  ) {
    super(siblings, id);
    this.#read = query.track?.() ?? query.read;
    this.#answer = this.#ask(version, undefined);
    this.#leave = footprints.add(query.footprint, this);
  }

  value(): unknown {
    if ('cause' in this.#answer) throw this.#answer.cause;
    return this.#answer.value;
  }

  /**
   * Runs the query again and returns true if its answer differs. `changed` has the keys in the
   * footprint of the query that changed since the last run.
   */
  isChangedBy(version: IndexedSnapshot<T>, changed: readonly string[]): boolean {
    const before = this.#answer;
    this.#answer = this.#ask(version, 'cause' in before ? undefined : changed);
    if ('cause' in before || 'cause' in this.#answer) return true;
    try {
      return !this.query.isEqual(before.value, this.#answer.value);
    } catch (cause) {
      this.#answer = { cause };
      return true;
    }
  }

  protected override close(): void {
    super.close();
    this.#leave();
  }

  #ask(
    version: IndexedSnapshot<T>,
    changed: readonly string[] | undefined,
  ): { readonly value: unknown } | { readonly cause: unknown } {
    try {
      return { value: this.#read(version, changed) };
    } catch (cause) {
      return { cause };
    }
  }
}
