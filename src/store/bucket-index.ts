import { Bucket, type BucketDraft } from './bucket.js';
import type { Entry } from './entry.js';
import { forEachIndexValue, hasIndexValue, NO_VALUES, type IndexValues } from './index-values.js';
import { SortedMap } from './sorted-map.js';

interface ValuesMemo {
  values?: readonly string[];
}

/** One index: its buckets by value, in order. A bucket that became empty does not exist (S6). */
export class BucketIndex<T> {
  readonly #memo: ValuesMemo;

  constructor(
    private readonly buckets: SortedMap<Bucket<T>>,
    memo: ValuesMemo = {},
  ) {
    this.#memo = memo;
  }

  static empty<T>(): BucketIndex<T> {
    return new BucketIndex(SortedMap.empty());
  }

  bucket(value: string): Bucket<T> | undefined {
    return this.buckets.get(value);
  }

  values(): readonly string[] {
    return (this.#memo.values ??= Object.freeze(this.buckets.keys()));
  }

  edit(): BucketIndexDraft<T> {
    return new BucketIndexDraft(this, this.buckets, this.#memo);
  }
}

/** An index while one commit is being made: each touched bucket is opened once, however often it is touched. */
export class BucketIndexDraft<T> {
  readonly #opened = new Map<string, BucketDraft<T>>();

  constructor(
    private readonly original: BucketIndex<T>,
    private readonly buckets: SortedMap<Bucket<T>>,
    private readonly memo: ValuesMemo,
  ) {}

  /** Moves a key from the buckets of `before` to those of `after`; S5: old ones first, then all new ones. */
  move(key: string, before: IndexValues, after: IndexValues, entry: Entry<T> | undefined): void {
    if (entry !== undefined && before === after && typeof after === 'string') {
      // Nearly every update: it stays where it is.
      this.#open(after).set(entry);
      return;
    }
    forEachIndexValue(before, (value) => {
      if (!hasIndexValue(after, value)) this.#open(value).delete(key);
    });
    if (entry === undefined) return;
    forEachIndexValue(after, (value) => {
      this.#open(value).set(entry);
    });
  }

  add(entry: Entry<T>, values: IndexValues): void {
    if (typeof values === 'string') this.#open(values).set(entry);
    else this.move(entry.key, NO_VALUES, values, entry);
  }

  forEachIn(value: string, visit: (entry: Entry<T>) => void): void {
    const opened = this.#opened.get(value);
    if (opened) opened.forEach(visit);
    else this.buckets.get(value)?.forEach(visit);
  }

  finish(): BucketIndex<T> {
    if (this.#opened.size === 0) return this.original;
    const buckets = this.buckets.edit();
    let sameValues = true;
    for (const [value, draft] of this.#opened) {
      const bucket = draft.finish();
      if (bucket.size === 0) {
        if (buckets.delete(value)) sameValues = false;
      } else if (buckets.set(value, bucket) === undefined) {
        sameValues = false;
      }
    }
    return new BucketIndex(buckets.finish(), sameValues ? this.memo : {});
  }

  #open(value: string): BucketDraft<T> {
    let draft = this.#opened.get(value);
    if (!draft) {
      draft = (this.buckets.get(value) ?? Bucket.empty<T>()).edit();
      this.#opened.set(value, draft);
    }
    return draft;
  }
}
