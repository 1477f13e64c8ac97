import { Heap, type HeapNode } from '../queue/heap.js';
import { mergeReason } from '../queue/merge-reason.js';
import { defaultPriority } from '../queue/priority.js';
import type { KeyRequest } from '../workqueue/queue-input.js';

/** How long keys are held back, in milliseconds. */
export interface DebounceTimes {
  readonly wait: number;
  readonly maxWait: number;
}

/** A key that is let go, with all that was said of it. */
export interface ReleasedKey<Reason> {
  readonly key: string;
  /** The highest. */
  readonly priority: number;
  readonly reasons: readonly Reason[];
}

/** A key that is held back. */
interface Held<Reason> extends ReleasedKey<Reason> {
  readonly firstAt: number;
  readonly dueAt: number;
  /** Of two that are due at once, the one that was touched first goes first. */
  readonly order: number;
}

/** As many as the queue keeps. */
const maxReasons = 16;

/**
 * The keys that are waiting to be quiet: each until nothing was said of it for `wait`, but for `maxWait` at most.
 *
 * No timer and no clock: whoever carries it out says what time it is. Each operation costs O(log n), with n keys held.
 */
export class DebounceState<Reason> {
  readonly #held = new Map<string, HeapNode<Held<Reason>>>();
  readonly #byTime = new Heap<Held<Reason>>((a, b) => (a.dueAt === b.dueAt ? a.order < b.order : a.dueAt < b.dueAt));
  #order = 0;

  constructor(private readonly times: DebounceTimes) {}

  /** When the next key has been quiet, or has waited, for long enough. */
  get nextDeadline(): number | undefined {
    return this.#byTime.first?.dueAt;
  }

  hold({ key, priority = defaultPriority, reason }: KeyRequest<string, Reason>, now: number): void {
    const node = this.#held.get(key);
    if (node) this.#byTime.remove(node);
    const known = node?.value;
    const firstAt = known?.firstAt ?? now;
    const held = {
      key,
      firstAt,
      dueAt: Math.min(now + this.times.wait, firstAt + this.times.maxWait),
      order: this.#order++,
      priority: Math.max(known?.priority ?? -Infinity, priority),
      reasons: mergeReason(known?.reasons ?? [], reason, maxReasons),
    };
    this.#held.set(key, this.#byTime.push(held));
  }

  /** Lets go of the keys that are due, in the order of their times. */
  release(now: number): readonly ReleasedKey<Reason>[] {
    const released: ReleasedKey<Reason>[] = [];
    for (let first = this.#byTime.first; first && first.dueAt <= now; first = this.#byTime.first) {
      const { key, priority, reasons } = first;
      const node = this.#held.get(key);
      if (node) this.#byTime.remove(node);
      this.#held.delete(key);
      released.push({ key, priority, reasons });
    }
    return released;
  }
}
