import { Heap, type HeapNode, PriorityFifo, type Ticket } from './structures.js';
import { mergeReason, defaultPriority, type AddOptions, type QueueItem } from './queue-item.js';
import type { QueueGauges, QueueMetrics } from './queue-metrics.js';

export interface QueueStateOptions {
  readonly metrics: QueueMetrics;
  readonly maxPassOvers: number | undefined;
  readonly maxReasons: number;
}

/** A key that shall run. It has one place: waiting for its time, for a worker, or for the end of the run or the hold under way. */
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
  /** Of two for the same moment, the one that was added first comes first. */
  readonly order: number;
  readonly entry: Entry<Key, Reason>;
}

const behindItsRun = { name: 'behind-its-run' } as const;
const noReasons: readonly never[] = [];

/**
 * What client-go's workqueue says (W1, W2, W5), with priorities: which keys shall run, which are running, and which is next.
 *
 * No timer and no clock: whoever carries it out says what time it is. Each operation costs O(1), those of delayed keys O(log n).
 */
export class QueueState<Key extends string, Reason> implements QueueGauges {
  readonly #entries = new Map<Key, Entry<Key, Reason>>();
  readonly #startedAt = new Map<Key, number>();
  readonly #held = new Set<Key>();
  /** Until when no run of a key may begin; those that were paused first come first. */
  readonly #pausedUntil = new Map<Key, number>();
  readonly #queued: PriorityFifo<Entry<Key, Reason>>;
  readonly #deadlines = new Heap<Deadline<Key, Reason>>((a, b) => (a.at === b.at ? a.order < b.order : a.at < b.at));
  #order = 0;

  constructor(
    private readonly options: QueueStateOptions,
    private readonly now: () => number,
  ) {
    this.#queued = new PriorityFifo(options.maxPassOvers);
  }

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

  /** Whether the key will run without any further addition, and without waiting for its time. */
  isReady(key: Key): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.place.name !== 'delayed';
  }

  /**
   * W1: a key that waits already only takes priority and reason from it. ▲ W5: one that waits for its time waits no longer,
   * unless it is paused. Returns when it will be ready.
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

  /** W5: the earliest time wins; gives it. A key that is ready is ready earlier than any time. */
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

  /** No run of the key begins before `until`, whatever is added for it; what waits already waits until then at least. */
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

  /** Lets every delayed key that is due wait for a worker, in the order of their times. */
  releaseDue(): void {
    const now = this.now();
    for (const { entry } of this.#takeDeadlines(now)) this.#enter(entry);
  }

  /** W2: the key whose turn it is, which from now on is running. */
  take(): QueueItem<Key, Reason> | undefined {
    const entry = this.#queued.shift();
    if (!entry) return undefined;
    const { key, priority, reasons, addedAt } = entry;
    const now = this.now();
    this.#entries.delete(key);
    this.#pausedUntil.delete(key);
    this.#startedAt.set(key, now);
    this.options.metrics.taken(now - addedAt, priority);
    return { key, priority, reasons, addedAt };
  }

  /** W2: the run of a key has ended, but the key stays taken until `done`; a key that waits for a worker is not held back. */
  hold(key: Key): void {
    this.#finish(key);
    this.#held.add(key);
  }

  /** W2: the run of a key has ended, and its hold if there was one; added meanwhile, the key goes to the tail. */
  done(key: Key): void {
    if (!this.#held.delete(key) && !this.#startedAt.has(key)) return;
    this.#finish(key);
    const entry = this.#entries.get(key);
    if (entry?.place.name === 'behind-its-run') this.#queue(entry);
  }

  /** Forgets the keys that wait for their time; gives them. */
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
    this.options.metrics.finished(this.now() - startedAt);
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
      known.reasons = mergeReason(known.reasons, reason, this.options.maxReasons);
      return known;
    }
    const reasons = mergeReason<Reason>(noReasons, reason, this.options.maxReasons);
    const entry: Entry<Key, Reason> = { key, priority, reasons, addedAt: this.now(), place: behindItsRun };
    this.#entries.set(key, entry);
    if (at === undefined) this.#enter(entry);
    else entry.place = this.#delay(entry, at);
    return entry;
  }

  #enter(entry: Entry<Key, Reason>): void {
    entry.addedAt = this.now();
    this.options.metrics.added(entry.priority);
    if (this.#startedAt.has(entry.key) || this.#held.has(entry.key)) entry.place = behindItsRun;
    else this.#queue(entry);
  }

  #queue(entry: Entry<Key, Reason>): void {
    entry.place = { name: 'queued', ticket: this.#queued.push(entry, entry.priority) };
  }

  #delay(entry: Entry<Key, Reason>, at: number): Place<Key, Reason> {
    return { name: 'delayed', node: this.#deadlines.push({ at, order: this.#order++, entry }) };
  }
}
