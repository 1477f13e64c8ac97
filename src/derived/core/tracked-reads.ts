import { Footprints } from '../../informer/listeners.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import type { Answer, Query, TrackedRead } from '../../queries/query.js';
import { emptySnapshot, type IndexedSnapshot } from '../../store/indexed-snapshot.js';
import { forEachIndexValue, hasIndexValue } from '../../store/indexing.js';
import { forEachInSlices, type Slices } from '../../store/slices.js';
import type { InputChange } from './derivation.js';

/**
 * Reads one collection for the function of `derive`, and remembers what was read: when that changes,
 * the row is computed again.
 *
 * All reads of one call answer from one version. They are possible only until the function returns.
 */
export interface TrackedReads<T, I extends string = string> {
  /**
   * Returns one object, `undefined` if there is none. The row is computed again when that object
   * changes. Costs O(log n).
   */
  get(key: string): T | undefined;
  /**
   * Returns the objects in one bucket, in key order. The row is computed again when an object enters
   * the bucket, leaves it, or changes in it. Costs O(log n), and O(bucket) after a change in it.
   */
  byIndex(index: I, value: string): readonly T[];
  /**
   * Returns the answer of a query. The row is computed again when the answer differs by the query's
   * `isEqual`.
   *
   * All rows that ask the same question share one answer. It is computed again for each commit that
   * touches the footprint of the query; for a query with a footprint of everything, such as `matching`
   * and `collectionSize`, that is each commit of the collection. Queries are the same if they have the
   * same `id`, or are the same object: create one without an `id` outside of the function.
   */
  query<A>(query: Query<T, A, I>): Answer<A, T>;
}

/**
 * The function of `derive` read a collection after it had returned, as in a callback or after an
 * `await`. Nothing would compute the row again when that changes.
 *
 * **What to do**: Read everything before the function returns. If the work is asynchronous, derive
 * what it needs, and do the work in a subscriber.
 */
export class LateReadError extends RxInformersError {
  static override readonly code = 'RXI_LATE_READ';
  override readonly name = 'LateReadError';
  constructor(
    /** The name of the collection, as it was given to `derive`. */
    readonly collection: string,
  ) {
    super(`${collection} was read after the function of derive had returned; read it before`);
  }
}

const nothing: readonly never[] = [];

/**
 * Remembers what each row has read, both ways: a row knows its reads, and each key, bucket or query
 * that was read knows its rows.
 */
export class ReadTracker {
  readonly inputs: readonly InputReads<unknown>[];
  /** A read alone stands for itself, because an array of one costs 50 bytes. */
  readonly #reads = new Map<string, Read | readonly Read[]>();
  /** What the row that is being computed has read so far; the same array for all. */
  readonly #noted: Read[] = [];
  #isComputing = false;
  /** Which computation it is. */
  #turn = 0;

  constructor(names: readonly string[]) {
    this.inputs = names.map((name) => new InputReads<unknown>(name, this));
  }

  /** Throws unless a row is being computed. */
  check(collection: string): void {
    if (!this.#isComputing) throw new LateReadError(collection);
  }

  /** Notes a read of the row that is being computed, once. */
  note(read: Read): void {
    if (read.isNewIn(this.#turn)) this.#noted.push(read);
  }

  /** Calls `compute` and remembers what it reads, also if it throws. */
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
    // Nearly always it has read the same again.
    if (before.length === reads.length && before.every((read, position) => read === reads[position])) return;
    for (const read of reads) read.add(row);
    for (const read of before) if (read.isNewIn(this.#turn)) read.delete(row);
    const [only] = reads;
    if (only === undefined) this.#reads.delete(row);
    // A copy, because an array that grew has room for sixteen more.
    else this.#reads.set(row, reads.length === 1 ? only : reads.slice());
  }
}

/** The reads of one input, by what was read. */
export class InputReads<T> implements TrackedReads<T> {
  /** The version that is read. */
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

  query<A>(query: Query<T, A>): Answer<A, T> {
    this.tracker.check(this.name);
    if ('index' in query.footprint) this.version.parts.schema.position(query.footprint.index);
    const id = query.id ?? query;
    const answer = this.#answers.get(id) ?? new AnswerRead<T>(this.#answers, id, query, this.version, this.#footprints);
    this.tracker.note(answer);
    return answer.value() as Answer<A, T>;
  }

  /** Adds the rows that have read something that a change changes. */
  *collect({ previous, current, keys }: InputChange<T>, rows: Set<string>): Slices<void> {
    if (keys.length === 0 || this.#keys.size + this.#indexes.size + this.#answers.size === 0) return;
    yield* forEachInSlices(keys, (key) => {
      const before = previous.get(key);
      const after = current.get(key);
      if (before !== after) this.#keys.get(key)?.collect(rows);
      for (const [index, buckets] of this.#indexes) {
        const from = previous.indexValuesOf(index, key);
        const to = current.indexValuesOf(index, key);
        forEachIndexValue(from, (value) => {
          if (before !== after || !hasIndexValue(to, value)) buckets.get(value)?.collect(rows);
        });
        forEachIndexValue(to, (value) => {
          if (!hasIndexValue(from, value)) buckets.get(value)?.collect(rows);
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

/** Something that rows have read. It exists while there is such a row. */
class Read {
  /** A row alone stands for itself, because a set of one costs 200 bytes. */
  #rows: string | Set<string> | undefined;
  #turn = 0;

  constructor(
    private readonly siblings: Map<unknown, Read>,
    protected readonly name: unknown,
  ) {
    siblings.set(name, this);
  }

  /** The key of the object, if it is one. */
  get key(): string | undefined {
    return undefined;
  }

  /** Returns true once for each turn. */
  isNewIn(turn: number): boolean {
    const isNew = this.#turn !== turn;
    this.#turn = turn;
    return isNew;
  }

  add(row: string): void {
    if (this.#rows === undefined) this.#rows = row;
    else if (typeof this.#rows !== 'string') this.#rows.add(row);
    else if (this.#rows !== row) this.#rows = new Set([this.#rows, row]);
  }

  delete(row: string): void {
    if (typeof this.#rows === 'object') this.#rows.delete(row);
    else if (this.#rows === row) this.#rows = undefined;
    if (this.#rows === undefined || (typeof this.#rows === 'object' && this.#rows.size === 0)) this.close();
  }

  collect(rows: Set<string>): void {
    if (typeof this.#rows === 'string') rows.add(this.#rows);
    else this.#rows?.forEach((row) => rows.add(row));
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

/** The answer of a query, or what the query threw. */
class AnswerRead<T> extends Read {
  readonly #read: TrackedRead<T, unknown>;
  readonly #leave: () => void;
  #answer: { readonly value: unknown } | { readonly cause: unknown };

  constructor(
    siblings: Map<unknown, Read>,
    id: unknown,
    private readonly asked: Query<T, unknown>,
    version: IndexedSnapshot<T>,
    footprints: Footprints<T, AnswerRead<T>>,
  ) {
    super(siblings, id);
    this.#read = asked.track?.() ?? asked.read;
    this.#answer = this.#ask(version, undefined);
    this.#leave = footprints.add(asked.footprint, this);
  }

  value(): unknown {
    if ('cause' in this.#answer) throw this.#answer.cause;
    return this.#answer.value;
  }

  /** Asks again; `changed` are the keys within the footprint that changed since. */
  isChangedBy(version: IndexedSnapshot<T>, changed: readonly string[]): boolean {
    const before = this.#answer;
    this.#answer = this.#ask(version, 'cause' in before ? undefined : changed);
    if ('cause' in before || 'cause' in this.#answer) return true;
    try {
      return !this.asked.isEqual(before.value, this.#answer.value);
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
