import { Heap, type HeapNode } from './heap.js';
import { PriorityFifo, type Ticket } from './priority-fifo.js';
import { mergeReason, defaultPriority, type AddOptions, type QueueItem } from './queue-item.js';
import type { QueueGauges, QueueMetrics } from './queue-metrics.js';

/** A key that has to run. Waits for one thing: its time, a worker, or `done` of its run. */
interface Entry<Key extends string, Reason> {
  readonly key: Key;
  priority: number;
  reasons: readonly Reason[];
  addedAt: number;
  place: Place<Key, Reason>;
}

type Place<Key extends string, Reason> =
  | { readonly name: 'delayed'; readonly node: HeapNode<Deadline<Key, Reason>> }
  | { readonly name: 'queued'; readonly ticket: Ticket<Entry<Key, Reason>> }
  | { readonly name: 'behind-its-run' };

interface Deadline<Key extends string, Reason> {
  readonly at: number;
  /** If two deadlines have the same time, the deadline that was added first comes first. */
  readonly order: number;
  readonly entry: Entry<Key, Reason>;
}

const afterItsRun = { name: 'behind-its-run' } as const;
const noReasons: readonly never[] = [];

/**
 * The rules of client-go's workqueue (W1, W2, W5), with priorities: which keys have to run, which
 * run, which is next. No timer; the caller passes the clock. Operations cost O(1), or O(log n) for
 * a delayed key.
 */
export class QueueState<Key extends string, Reason> implements QueueGauges {
  readonly #entries = new Map<Key, Entry<Key, Reason>>();
  readonly #startedAt = new Map<Key, number>();
  readonly #held = new Set<Key>();
  /** The end of the pause of each key, in this order. No run of the key begins earlier. */
  readonly #pausedUntil = new Map<Key, number>();
  readonly #queued = new PriorityFifo<Entry<Key, Reason>>();
  readonly #deadlines = new Heap<Deadline<Key, Reason>>((a, b) => (a.at === b.at ? a.order < b.order : a.at < b.at));
  #order = 0;

  constructor(
    private readonly metrics: QueueMetrics,
    private readonly now: () => number,
  ) {}

  get depth(): number {
    return this.#queued.size;
  }

  get delayed(): number {
    return this.#deadlines.size;
  }

  get running(): number {
    return this.#startedAt.size;
  }

  get held(): number {
    return this.#held.size;
  }

  get unfinishedWork(): number {
    const now = this.now();
    let total = 0;
    for (const startedAt of this.#startedAt.values()) total += now - startedAt;
    return total;
  }

  get longestRunning(): number {
    const now = this.now();
    let longest = 0;
    for (const startedAt of this.#startedAt.values()) longest = Math.max(longest, now - startedAt);
    return longest;
  }

  /** When the next delayed key is due. */
  get nextDeadline(): number | undefined {
    return this.#deadlines.first?.at;
  }

  /** Returns true if the key will run (again), now or later. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** True if the key will run without a further addition or the end of a delay. */
  isReady(key: Key): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.place.name !== 'delayed';
  }

  /**
   * Adds a key (W1). A ready key only changes priority and reasons; a delayed key becomes ready at
   * once, unless paused (W5). Returns when it is ready.
   */
  add(key: Key, options: AddOptions<Reason>): number {
    const now = this.now();
    const earliest = this.#pausedUntil.get(key) ?? now;
    if (earliest > now) return this.addAt(key, earliest, options);
    const entry = this.#entryOf(key, options);
    switch (entry.place.name) {
      case 'delayed':
        this.#deadlines.remove(entry.place.node);
        this.#enter(entry);
        break;
      case 'queued':
        this.#queued.promote(entry.place.ticket, entry.priority);
        break;
      case 'behind-its-run':
        break;
      default:
        entry.place satisfies never;
    }
    return now;
  }

  /** Adds a key for a later time (W5). Returns the earliest time. A ready key stays ready. */
  addAt(key: Key, wanted: number, options: AddOptions<Reason>): number {
    const at = Math.max(wanted, this.#pausedUntil.get(key) ?? wanted);
    const entry = this.#entryOf(key, options, at);
    if (entry.place.name === 'queued') this.#queued.promote(entry.place.ticket, entry.priority);
    if (entry.place.name !== 'delayed') return this.now();
    const known = entry.place.node.value.at;
    if (known <= at) return known;
    this.#deadlines.remove(entry.place.node);
    entry.place = this.#delay(entry, at);
    return at;
  }

  /** Prevents runs before `until`, even if the key is added again or waits already. */
  pause(key: Key, until: number): void {
    const now = this.now();
    for (const [paused, end] of this.#pausedUntil) {
      if (end > now) break;
      this.#pausedUntil.delete(paused);
    }
    this.#pausedUntil.set(key, Math.max(until, this.#pausedUntil.get(key) ?? until));
    const entry = this.#entries.get(key);
    if (!entry) return;
    if (entry.place.name === 'delayed') {
      if (entry.place.node.value.at >= until) return;
      this.#deadlines.remove(entry.place.node);
    } else if (entry.place.name === 'queued') this.#queued.remove(entry.place.ticket);
    entry.place = this.#delay(entry, until);
  }

  /** Moves the delayed keys that are due to the queue, in the order of their times. */
  releaseDue(): void {
    const now = this.now();
    for (const { entry } of this.#takeDeadlines(now)) this.#enter(entry);
  }

  /** Returns the next key and marks it as running (W2). */
  take(): QueueItem<Key, Reason> | undefined {
    const entry = this.#queued.shift();
    if (!entry) return undefined;
    const { key, priority, reasons, addedAt } = entry;
    const now = this.now();
    this.#entries.delete(key);
    this.#pausedUntil.delete(key);
    this.#startedAt.set(key, now);
    this.metrics.taken(now - addedAt, priority);
    return { key, priority, reasons, addedAt };
  }

  /** Ends the run, but does not free the key before `done` (W2). A queued key stays queued. */
  hold(key: Key): void {
    this.#finish(key);
    this.#held.add(key);
  }

  /** Frees the key, even if held. If it was added meanwhile, it goes to the tail (W2). */
  done(key: Key): void {
    if (!this.#held.delete(key) && !this.#startedAt.has(key)) return;
    this.#finish(key);
    const entry = this.#entries.get(key);
    if (entry?.place.name === 'behind-its-run') this.#queue(entry);
  }

  dropDelayed(): readonly QueueItem<Key, Reason>[] {
    return Array.from(this.#takeDeadlines(Infinity), ({ entry: { key, priority, reasons, addedAt } }) => {
      this.#entries.delete(key);
      return { key, priority, reasons, addedAt };
    });
  }

  #finish(key: Key): void {
    const startedAt = this.#startedAt.get(key);
    if (startedAt === undefined) return;
    this.#startedAt.delete(key);
    this.metrics.finished(this.now() - startedAt);
  }

  *#takeDeadlines(until: number): Iterable<Deadline<Key, Reason>> {
    for (let first = this.#shiftDeadline(until); first; first = this.#shiftDeadline(until)) yield first;
  }

  #shiftDeadline(until: number): Deadline<Key, Reason> | undefined {
    const first = this.#deadlines.first;
    if (!first || first.at > until) return undefined;
    if (first.entry.place.name === 'delayed') this.#deadlines.remove(first.entry.place.node);
    return first;
  }

  #entryOf(key: Key, { priority = defaultPriority, reason }: AddOptions<Reason>, at?: number): Entry<Key, Reason> {
    const known = this.#entries.get(key);
    if (known) {
      known.priority = Math.max(known.priority, priority);
      known.reasons = mergeReason(known.reasons, reason);
      return known;
    }
    const reasons = mergeReason<Reason>(noReasons, reason);
    const entry: Entry<Key, Reason> = { key, priority, reasons, addedAt: this.now(), place: afterItsRun };
    this.#entries.set(key, entry);
    if (at === undefined) this.#enter(entry);
    else entry.place = this.#delay(entry, at);
    return entry;
  }

  #enter(entry: Entry<Key, Reason>): void {
    entry.addedAt = this.now();
    this.metrics.added(entry.priority);
    if (this.#startedAt.has(entry.key) || this.#held.has(entry.key)) entry.place = afterItsRun;
    else this.#queue(entry);
  }

  #queue(entry: Entry<Key, Reason>): void {
    entry.place = { name: 'queued', ticket: this.#queued.push(entry, entry.priority) };
  }

  #delay(entry: Entry<Key, Reason>, at: number): Place<Key, Reason> {
    return { name: 'delayed', node: this.#deadlines.push({ at, order: this.#order++, entry }) };
  }
}
