import { Subject, type Observable, type SchedulerLike } from 'rxjs';
import { Alarm, steady, wallTime, wallTimeAt } from '../../scheduling/clock.js';
import { silently } from '../../scheduling/safely.js';
import { whatIs } from '../option-checks.js';
import { InvalidQueueInputError } from './errors.js';
import type { AddOptions, QueueItem } from './queue-item.js';
import { safeQueueMetrics, noQueueMetrics, type QueueMetrics } from './queue-metrics.js';
import { QueueState } from './queue-state.js';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiters.js';

/** Options of `priorityQueue`. */
export interface PriorityQueueOptions {
  /** The waits of `addRateLimited`; not to be shared. Default: `defaultControllerRateLimiter()`. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** The clock. Default: `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Default: none. Errors are ignored; `workqueue` and `controller` report each hook's first. */
  readonly metrics?: Partial<QueueMetrics> | undefined;
  /**
   * How many keys of a higher priority may run in a row before the oldest key (default 9). Lower:
   * an initial list ends sooner, changes wait longer. `Infinity`: low priorities may starve.
   */
  readonly maxPassOvers?: number | undefined;
  /** Different reasons kept for one run. Default 16. They cost memory for each waiting key. */
  readonly maxReasons?: number | undefined;
}

/**
 * A queue of keys, made by `priorityQueue`.
 *
 * At each `ready$`, a worker calls `tryGet`. It does its work, and calls `forget` or
 * `addRateLimited`. Then it always calls `done`.
 */
export interface PriorityQueue<Key extends string = string, Reason = unknown> {
  /**
   * Emits when `tryGet` returns a key, and when the queue is shut down.
   */
  readonly ready$: Observable<void>;
  /** Keys that wait for a worker, not for a delay or the end of their run. */
  readonly length: number;
  /** How many delayed keys are not due yet. */
  readonly delayed: number;
  /** How many keys are running: taken, and neither done nor held. */
  readonly running: number;
  /** How many keys are held: their runs have ended, but `done` was not called for them yet. */
  readonly held: number;
  readonly isShuttingDown: boolean;
  /** Returns true if the key will run (again), now or later. */
  isAdded(key: Key): boolean;
  /** Requests a run of `key` (W1). Ignored once the queue shuts down. */
  add(key: Key, options?: AddOptions<Reason>): void;
  /**
   * Requests a run of `key` in `delay` milliseconds; 0 or less means now (W5).
   *
   * @returns the time of day at which the key will be ready, in milliseconds. It is earlier than
   *   requested if the key is already due earlier. `undefined` if the key will not run because the
   *   queue is shutting down. Use this time for display only: delays are measured in elapsed time,
   *   so setting the clock does not change when a key runs
   */
  addAfter(key: Key, delay: number, options?: AddOptions<Reason>): number | undefined;
  /** Calls `addAfter` with the wait of the rate limiter (W6), so counts as a failure of `key`. */
  addRateLimited(key: Key, options?: AddOptions<Reason>): number | undefined;
  /**
   * Prevents runs of `key` for `delay` milliseconds. Additions in this time lead to one run
   * afterwards. Use `pause` if the server asked for a pause (`Retry-After`).
   *
   * @returns the waiting run of `key` if it is dropped because the queue is shutting down;
   *   otherwise `undefined`
   */
  pause(key: Key, delay: number): QueueItem<Key, Reason> | undefined;
  /** Forgets the failures of `key`. If the key is running, `done` still has to be called (W6). */
  forget(key: Key): void;
  /** Returns how often `key` failed since it was last forgotten. */
  numRequeues(key: Key): number;
  /** Returns the next key, if there is one. The key is running from then on, until `done`. */
  tryGet(): QueueItem<Key, Reason> | undefined;
  /**
   * Ends the run of `key`, but does not free the key. The worker may take another key; additions of
   * `key` wait until `done`. Use `hold` if work continues after its run was given up.
   */
  hold(key: Key): void;
  /**
   * Ends the run of `key`; if it was added meanwhile, it goes to the tail (W2). Ignores other keys.
   */
  done(key: Key): void;
  /** Rejects additions, drops and returns delayed keys. Queued keys are still handed out (W3). */
  shutDown(): readonly QueueItem<Key, Reason>[];
}

/**
 * Creates a queue of keys that have to run: client-go's rate-limited, delaying workqueue, with
 * priorities. `workqueue` and `controller` use it.
 *
 * **Guarantees**: a key never runs twice at the same time. A key that is added several times while
 * it waits runs once. A key that is added while it runs, however often, runs once more, at the tail
 * (W1, W2). After every addition a run of the key begins. Keys of a higher priority run first, keys
 * of the same priority in the order of their addition, and no key starves (see `maxPassOvers`).
 * Each operation costs O(1), or O(log n) for a delayed key. The queue has one timer.
 *
 * **Does not guarantee**: that a delayed addition leads to a separate run. A key has one place in
 * the queue, and the earliest time wins, as in controller-runtime. client-go runs the key once more
 * (W5).
 *
 * @param options the rate limiter, the limits, the clock and the metrics; see
 *   {@link PriorityQueueOptions}
 * @returns an empty queue
 * @throws `InvalidQueueInputError`, thrown by the methods of the queue, if a key is not a string,
 *   or a priority or delay is not a finite number
 * @example
 * import { priorityQueue } from 'rx-informers/controller';
 *
 * const queue = priorityQueue();
 * queue.add('web/a', { reason: 'changed' });
 * const item = queue.tryGet();
 * if (item) queue.done(item.key);
 */
export function priorityQueue<Key extends string = string, Reason = unknown>(
  options: PriorityQueueOptions = {},
): PriorityQueue<Key, Reason> {
  return new Queue(options);
}

/** Executes the decisions of `QueueState`: sets the alarm, and announces keys. */
class Queue<Key extends string, Reason> implements PriorityQueue<Key, Reason> {
  readonly ready$: Observable<void>;
  readonly #ready = new Subject<void>();
  readonly #state: QueueState<Key, Reason>;
  readonly #alarm: Alarm;
  readonly #limiter: RateLimiter;
  readonly #scheduler: SchedulerLike;
  readonly #metrics: QueueMetrics;
  #isShuttingDown = false;

  constructor(options: PriorityQueueOptions) {
    const scheduler = steady(options.scheduler);
    const { metrics = noQueueMetrics, maxPassOvers, maxReasons = 16 } = options;
    this.#scheduler = scheduler;
    this.#metrics = safeQueueMetrics(metrics, silently);
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter();
    this.#state = new QueueState({ metrics: this.#metrics, maxPassOvers, maxReasons }, () => scheduler.now());
    this.#alarm = new Alarm(() => {
      this.#state.releaseDue();
      this.#update();
    }, scheduler);
    this.ready$ = this.#ready.asObservable();
    this.#metrics.opened(this.#state);
  }

  get length(): number {
    return this.#state.depth;
  }

  get delayed(): number {
    return this.#state.delayed;
  }

  get running(): number {
    return this.#state.running;
  }

  get held(): number {
    return this.#state.held;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  isAdded(key: Key): boolean {
    return this.#state.has(key);
  }

  add(key: Key, options: AddOptions<Reason> = {}): void {
    checkAddition(key, 0, options);
    if (this.#isShuttingDown) return;
    this.#state.add(key, options);
    this.#update();
  }

  addAfter(key: Key, delay: number, options: AddOptions<Reason> = {}): number | undefined {
    checkAddition(key, delay, options);
    const now = this.#scheduler.now();
    if (this.#isShuttingDown) return this.#state.isReady(key) ? wallTime(this.#scheduler) : undefined;
    this.#metrics.delayed();
    const at = delay > 0 ? this.#state.addAt(key, now + delay, options) : this.#state.add(key, options);
    this.#update();
    return wallTimeAt(this.#scheduler, at);
  }

  addRateLimited(key: Key, options: AddOptions<Reason> = {}): number | undefined {
    checkAddition(key, 0, options);
    return this.addAfter(key, this.#limiter.when(key, this.#scheduler.now()), options);
  }

  pause(key: Key, delay: number): QueueItem<Key, Reason> | undefined {
    checkAddition(key, delay, {});
    this.#state.pause(key, this.#scheduler.now() + delay);
    const [dropped] = this.#isShuttingDown ? this.#state.dropDelayed() : [];
    this.#update();
    return dropped;
  }

  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: Key): number {
    return this.#limiter.requeues(key);
  }

  tryGet(): QueueItem<Key, Reason> | undefined {
    return this.#state.take();
  }

  hold(key: Key): void {
    this.#state.hold(key);
    this.#update();
  }

  done(key: Key): void {
    this.#state.done(key);
    this.#update();
  }

  shutDown(): readonly QueueItem<Key, Reason>[] {
    if (!this.#isShuttingDown) this.#metrics.closed(this.#state);
    this.#isShuttingDown = true;
    const dropped = this.#state.dropDelayed();
    this.#update();
    return dropped;
  }

  /** Sets the alarm, and announces keys, according to the state. */
  #update(): void {
    this.#alarm.set(this.#state.nextDeadline);
    if (this.length > 0 || this.#isShuttingDown) this.#ready.next();
  }
}

function checkAddition(key: unknown, delay: number, { priority = 0 }: AddOptions): void {
  const problem = problemOf(key, delay, priority);
  if (problem !== undefined) throw new InvalidQueueInputError({ key, delay, priority }, problem);
}

function problemOf(key: unknown, delay: unknown, priority: unknown): string | undefined {
  if (typeof key !== 'string') return `the key must be a string, not ${whatIs(key)}`;
  if (!Number.isFinite(priority)) return `the priority of ${key} must be a finite number, not ${String(priority)}`;
  if (!Number.isFinite(delay)) return `the delay of ${key} must be a finite number, not ${String(delay)}`;
  return undefined;
}
