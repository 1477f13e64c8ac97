import { Subject, type Observable, type SchedulerLike } from 'rxjs';
import { valueText } from '../../kubernetes/errors.js';
import { Alarm, steady, wallTime, wallTimeAt } from '../../scheduling/clock.js';
import { silently } from '../../scheduling/safely.js';
import { invalidQueueInputError } from './errors.js';
import type { AddOptions, QueueItem } from './queue-item.js';
import { safeQueueMetrics, noQueueMetrics, type QueueMetrics } from './queue-metrics.js';
import { QueueState } from './queue-state.js';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiters.js';

/** The options of `workqueue` for the order of its keys. */
export interface QueueOptions {
  /** The clock. Default: `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Default: none. `workqueue` and `controller` report the first error of each hook. */
  readonly metrics?: Partial<QueueMetrics> | undefined;
}

/**
 * Keys that have to run: client-go's rate-limited, delaying workqueue, with priorities. Executes
 * the decisions of `QueueState`: sets the alarm, and announces keys. At each `ready$`, a worker
 * calls `tryGet`, does its work, calls `forget` or `addRateLimited`, and then always `done`.
 *
 * A key has one place in the queue, and the earliest time wins, as in controller-runtime. client-go
 * runs the key once more (W5).
 */
export class PriorityQueue<Key extends string = string, Reason = unknown> {
  /** Emits when `tryGet` returns a key, and when the queue is shut down. */
  readonly ready$: Observable<void>;
  readonly #ready = new Subject<void>();
  readonly #state: QueueState<Key, Reason>;
  readonly #alarm: Alarm;
  readonly #limiter: RateLimiter;
  readonly #scheduler: SchedulerLike;
  readonly #metrics: QueueMetrics;
  #isShuttingDown = false;

  constructor(options: QueueOptions & { readonly rateLimiter?: RateLimiter | undefined } = {}) {
    const scheduler = steady(options.scheduler);
    const { metrics = noQueueMetrics } = options;
    this.#scheduler = scheduler;
    this.#metrics = safeQueueMetrics(metrics, silently);
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter();
    this.#state = new QueueState(this.#metrics, () => scheduler.now());
    this.#alarm = new Alarm(() => {
      this.#state.releaseDue();
      this.#update();
    }, scheduler);
    this.ready$ = this.#ready.asObservable();
    this.#metrics.opened(this.#state);
  }

  /** Keys that wait for a worker, not for a delay or the end of their run. */
  get length(): number {
    return this.#state.depth;
  }

  /** How many delayed keys are not due yet. */
  get delayed(): number {
    return this.#state.delayed;
  }

  /** How many keys are running: taken, and neither done nor held. */
  get running(): number {
    return this.#state.running;
  }

  /** How many keys are held: their runs have ended, but `done` was not called for them yet. */
  get held(): number {
    return this.#state.held;
  }

  /** Returns true if the key will run (again), now or later. */
  isAdded(key: Key): boolean {
    return this.#state.has(key);
  }

  /** Requests a run of `key` (W1). Ignored once the queue shuts down. */
  add(key: Key, options: AddOptions<Reason> = {}): void {
    checkAddition(key, 0, options);
    if (this.#isShuttingDown) return;
    this.#state.add(key, options);
    this.#update();
  }

  /**
   * Requests a run of `key` in `delay` milliseconds; 0 or less means now (W5). Returns the time of
   * day at which the key will be ready, for display only: delays are measured in elapsed time.
   * `undefined` if the key will not run because the queue is shutting down.
   */
  addAfter(key: Key, delay: number, options: AddOptions<Reason> = {}): number | undefined {
    checkAddition(key, delay, options);
    const now = this.#scheduler.now();
    if (this.#isShuttingDown) return this.#state.isReady(key) ? wallTime(this.#scheduler) : undefined;
    this.#metrics.delayed();
    const at = delay > 0 ? this.#state.addAt(key, now + delay, options) : this.#state.add(key, options);
    this.#update();
    return wallTimeAt(this.#scheduler, at);
  }

  /** Calls `addAfter` with the wait of the rate limiter (W6), so counts as a failure of `key`. */
  addRateLimited(key: Key, options: AddOptions<Reason> = {}): number | undefined {
    checkAddition(key, 0, options);
    return this.addAfter(key, this.#limiter.when(key, this.#scheduler.now()), options);
  }

  /**
   * Prevents runs of `key` for `delay` milliseconds. Additions in this time lead to one run
   * afterwards. Returns the waiting run of `key` if it is dropped because the queue shuts down.
   */
  pause(key: Key, delay: number): QueueItem<Key, Reason> | undefined {
    checkAddition(key, delay, {});
    this.#state.pause(key, this.#scheduler.now() + delay);
    const [dropped] = this.#isShuttingDown ? this.#state.dropDelayed() : [];
    this.#update();
    return dropped;
  }

  /** Forgets the failures of `key` (W6). */
  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  /** Returns the next key, if there is one. The key is running from then on, until `done`. */
  tryGet(): QueueItem<Key, Reason> | undefined {
    return this.#state.take();
  }

  /** Ends the run of `key`, but does not free the key: additions wait until `done`. */
  hold(key: Key): void {
    this.#state.hold(key);
    this.#update();
  }

  /** Ends the run of `key`, if any; if it was added meanwhile, it goes to the tail (W2). */
  done(key: Key): void {
    this.#state.done(key);
    this.#update();
  }

  /** Rejects additions, drops and returns delayed keys. Queued keys are still handed out (W3). */
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
  const problem = inputProblem(key, delay, priority);
  if (problem !== undefined) throw invalidQueueInputError({ key, delay, priority }, problem);
}

function inputProblem(key: unknown, delay: unknown, priority: unknown): string | undefined {
  if (typeof key !== 'string') return `the key must be a string, not ${valueText(key)}`;
  if (!Number.isFinite(priority)) return `the priority of ${key} must be a finite number, not ${String(priority)}`;
  if (!Number.isFinite(delay)) return `the delay of ${key} must be a finite number, not ${String(delay)}`;
  return undefined;
}
