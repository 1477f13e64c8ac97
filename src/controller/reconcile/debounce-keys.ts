import { identity, Observable, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { SlicedTasks } from '../../operators/sliced-tasks.js';
import { Alarm, checkedDuration } from '../../time/clock.js';
import type { Slices } from '../../store/slices.js';
import { type KeyRequest, mergeReason, defaultPriority } from '../queue/queue-item.js';
import { Heap, type HeapNode } from '../queue/structures.js';

/** How keys are debounced. */
export interface DebounceOptions {
  /** For how many milliseconds nothing must be said of a key; 0 holds nothing back. Longer is fewer runs, each later. */
  readonly wait: number;
  /** For how many milliseconds a key that is never quiet is held back at most (default 10 × `wait`); at least `wait`. */
  readonly maxWait?: number | undefined;
}

/** What carries the debouncing. */
export interface DebounceContext<Reason> {
  /** Makes one reason of several, because a request has one. */
  readonly joinReasons: (reasons: readonly Reason[]) => Reason;
  readonly scheduler: SchedulerLike;
}

/**
 * Holds each key back until nothing was said of it for `wait` milliseconds, and for `maxWait` at most.
 *
 * | in | out |
 * | --- | --- |
 * | a request | the same, when its key has been quiet for `wait` |
 * | another one of that key meanwhile | one for both then, with the higher priority and all reasons: equal ones once, at most 16 |
 * | constant ones | one for what was said so far, every `maxWait` |
 * | completion | what is held; completion |
 * | an error | the error, at once |
 *
 * Many keys at once are emitted in slices of some milliseconds.
 *
 * **Guarantees**: no key is held for longer than `maxWait`; one timer, whatever is held, and none while nothing is.
 * **Errors**: a `RangeError` at once for times that make no sense.
 */
export function debounceKeys<Reason>(
  debounce: number | DebounceOptions,
  { joinReasons, scheduler }: DebounceContext<Reason>,
): MonoTypeOperatorFunction<KeyRequest<string, Reason>> {
  const { wait, maxWait = 10 * wait } = typeof debounce === 'number' ? { wait: debounce } : debounce;
  checkedDuration('debounce', wait);
  if (!(maxWait >= wait))
    throw new RangeError(`maxWait must be at least ${wait}, which is what debounce waits, not ${maxWait}`);
  if (wait === 0) return identity;
  // The timer is stopped before the source is left, so that nothing comes out on the way.
  return (requests$) =>
    new Observable((subscriber) => {
      const state = new DebounceState<Reason>({ wait, maxWait });
      const tasks = new SlicedTasks(scheduler, (error) => {
        subscriber.error(error);
      });
      function* emit(released: readonly ReleasedKey<Reason>[]): Slices<() => void> {
        for (const { key, priority, reasons } of released) {
          subscriber.next({ key, priority, reason: reasons.length > 0 ? joinReasons(reasons) : undefined });
          yield;
        }
        return () => undefined;
      }
      const release = (until: number): void => {
        const released = state.release(until);
        tasks.run(() => emit(released));
      };
      const alarm = new Alarm(() => {
        release(scheduler.now());
        if (!subscriber.closed) alarm.set(state.nextDeadline);
      }, scheduler);
      subscriber.add(() => {
        alarm.set(undefined);
        tasks.clear();
      });
      subscriber.add(
        requests$.subscribe({
          next: (request) => {
            state.hold(request, scheduler.now());
            alarm.set(state.nextDeadline);
          },
          error: (error: unknown) => {
            subscriber.error(error);
          },
          complete: () => {
            alarm.set(undefined);
            release(Infinity);
            tasks.inTurn(() => {
              subscriber.complete();
            });
          },
        }),
      );
    });
}

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
 * It has no timer; the caller passes the time. Each operation costs O(log n), with n keys held.
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
