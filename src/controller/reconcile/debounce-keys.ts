import { identity, Observable, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { Alarm, checkedDuration } from '../../scheduling/clock.js';
import { SlicedTasks } from '../../scheduling/sliced-tasks.js';
import type { Slices } from '../../scheduling/slices.js';
import { Heap, type HeapNode } from '../queue/heap.js';
import { type KeyRequest, mergeReason, defaultPriority } from '../queue/queue-item.js';

/** How keys are debounced. */
export interface DebounceOptions {
  /** Milliseconds without a request until a key is emitted. Longer: fewer, later runs. */
  readonly wait: number;
  /** The longest wait if requests do not pause; at least `wait`, default 10 × `wait`. */
  readonly maxWait?: number | undefined;
}

export interface DebounceContext<Reason> {
  /** Merges several reasons into one, because a request has only one reason. */
  readonly joinReasons: (reasons: readonly Reason[]) => Reason;
  readonly scheduler: SchedulerLike;
}

/**
 * Holds back each key until it has not been requested for `wait` milliseconds, and for at most
 * `maxWait`.
 *
 * | in | out |
 * | --- | --- |
 * | a request | the same request, when its key was not requested again for `wait` |
 * | several requests for a key, each less than `wait` after the previous request | one request, with the highest priority, the shortest delay, and all distinct reasons, at most 16 |
 * | requests for a key without a pause | every `maxWait`, one request for all requests so far |
 * | completion | the held keys; completion |
 * | an error | the error, at once |
 *
 * If many keys are due at once, they are emitted in slices of some milliseconds.
 *
 * **Guarantees**: no key is held for longer than `maxWait`. There is one timer for all debounced
 * keys, and no timer while no key is held. **Errors**: throws `RXI_INVALID_OPTION` at once if a
 * time is invalid.
 */
export function debounceKeys<Reason>(
  debounce: number | DebounceOptions,
  { joinReasons, scheduler }: DebounceContext<Reason>,
): MonoTypeOperatorFunction<KeyRequest<string, Reason>> {
  const { wait, maxWait = 10 * wait } = typeof debounce === 'number' ? { wait: debounce } : debounce;
  checkedDuration('debounce', wait);
  if (!(maxWait >= wait)) throw invalidOptionError('maxWait', maxWait, `at least the wait of debounce, ${wait} ms`);
  if (wait === 0) return identity;
  // On teardown, the timer is stopped before the source is unsubscribed, so that nothing is emitted
  // meanwhile.
  return (requests$) =>
    new Observable((subscriber) => {
      const state = new DebounceState<Reason>({ wait, maxWait });
      const tasks = new SlicedTasks(scheduler, (error) => subscriber.error(error));
      function* emit(released: readonly ReleasedKey<Reason>[]): Slices<() => void> {
        for (const { key, priority, delay, reasons } of released) {
          const reason = reasons.length > 0 ? joinReasons(reasons) : undefined;
          subscriber.next({ key, priority, reason, ...(delay > 0 && { delay }) });
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
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            alarm.set(undefined);
            release(Infinity);
            tasks.inTurn(() => subscriber.complete());
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

/** A released key with its merged requests. */
export interface ReleasedKey<Reason> {
  readonly key: string;
  /** The highest priority of its requests. */
  readonly priority: number;
  /** The shortest delay of its requests. */
  readonly delay: number;
  readonly reasons: readonly Reason[];
}

interface Debounced<Reason> extends ReleasedKey<Reason> {
  readonly firstAt: number;
  readonly dueAt: number;
  /** The order of release for keys that are due at the same time. */
  readonly order: number;
}

/** How many reasons are kept for a key: as many as in the queue. */

/**
 * Holds keys until they were not requested for `wait`, but at most for `maxWait`. No timer; the
 * caller passes the time. Operations cost O(log n), with n keys held.
 */
export class DebounceState<Reason> {
  readonly #debounced = new Map<string, HeapNode<Debounced<Reason>>>();
  readonly #byTime = new Heap<Debounced<Reason>>((a, b) =>
    a.dueAt === b.dueAt ? a.order < b.order : a.dueAt < b.dueAt,
  );
  #order = 0;

  constructor(private readonly times: DebounceTimes) {}

  get nextDeadline(): number | undefined {
    return this.#byTime.first?.dueAt;
  }

  hold({ key, priority = defaultPriority, delay = 0, reason }: KeyRequest<string, Reason>, now: number): void {
    const node = this.#debounced.get(key);
    if (node) this.#byTime.remove(node);
    const known = node?.value;
    const firstAt = known?.firstAt ?? now;
    const debounced = {
      key,
      firstAt,
      dueAt: Math.min(now + this.times.wait, firstAt + this.times.maxWait),
      order: this.#order++,
      priority: Math.max(known?.priority ?? -Infinity, priority),
      delay: Math.min(known?.delay ?? Infinity, delay),
      reasons: mergeReason(known?.reasons ?? [], reason),
    };
    this.#debounced.set(key, this.#byTime.push(debounced));
  }

  /** Removes and returns the due keys, in the order of their times. */
  release(now: number): readonly ReleasedKey<Reason>[] {
    const released: ReleasedKey<Reason>[] = [];
    for (let first = this.#byTime.first; first && first.dueAt <= now; first = this.#byTime.first) {
      const { key, priority, delay, reasons } = first;
      const node = this.#debounced.get(key);
      if (node) this.#byTime.remove(node);
      this.#debounced.delete(key);
      released.push({ key, priority, delay, reasons });
    }
    return released;
  }
}
