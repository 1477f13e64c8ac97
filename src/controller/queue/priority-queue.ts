import { Subject, type Observable, type SchedulerLike } from 'rxjs';
import { steady, wallTime, wallTimeAt } from '../../time/steady.js';
import { onAbort } from '../../operators/on-abort.js';
import { containedHooks } from '../contained.js';
import { Alarm } from '../../time/alarm.js';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiters.js';
import { InvalidQueueInputError } from './errors.js';
import { LinkedList } from './structures.js';
import type { AddOptions, QueueItem } from './queue-item.js';
import { containedMetrics, noQueueMetrics, type QueueMetrics } from './queue-metrics.js';
import { QueueState } from './queue-state.js';

/** Options of `WorkQueue`. */
export interface QueueOptions {
  /** What `addRateLimited` asks (default `defaultControllerRateLimiter()`). It belongs to this queue. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** The clock (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Metrics hooks; default none. What they throw is ignored; `workqueue` and `controller` report the first error of each hook. */
  readonly metrics?: QueueMetrics | undefined;
  /**
   * How often in a row the oldest key is passed over for more important ones (default 9: one of ten turns is the oldest key's).
   * Lower finishes an initial list sooner, and lets changes wait for it; `Infinity` lets low priorities starve.
   */
  readonly maxPassOvers?: number | undefined;
  /** How many different reasons are kept for one run (default 16). More show more in logs, and cost memory for each waiting key. */
  readonly maxReasons?: number | undefined;
}

interface Waiter<Item> {
  readonly resolve: (item: Item | undefined) => void;
}

/**
 * client-go's rate-limited, delaying, prioritised workqueue: the keys that shall run, each once.
 *
 * A worker calls `get` (or `tryGet`), does its work, then `forget` or `addRateLimited`, and always `done`.
 *
 * **Guarantees**: a key never runs twice at once; any number of additions while it waits is one run, while it runs exactly
 * one more, at the tail (W1, W2); after every addition a run begins; higher priorities first, first in first out within
 * one, and none starves (see `maxPassOvers`); each operation costs O(1), with a delay O(log n); one timer, whatever waits.
 * **Does not guarantee**: that a delayed addition is a run of its own: a key has one place in the queue, and the earliest time
 * wins, be it now (▲ W5; client-go runs it again when the time comes; controller-runtime does as we do).
 * **Errors**: `InvalidQueueInputError` is thrown for a key that is no string, and a priority or a delay that is no number.
 *
 * @example
 * import { WorkQueue } from 'rx-informers/controller';
 *
 * const queue = new WorkQueue();
 * queue.add('web/a', { reason: 'changed' });
 * const item = await queue.get();
 * if (item) queue.done(item.key);
 */
export class WorkQueue<Key extends string = string, Reason = unknown> {
  /** Emits whenever a key can be got, or the queue was shut down. Who has called `get` is served before. */
  readonly ready$: Observable<void>;
  readonly #ready = new Subject<void>();
  readonly #state: QueueState<Key, Reason>;
  readonly #alarm: Alarm;
  readonly #limiter: RateLimiter;
  readonly #scheduler: SchedulerLike;
  readonly #metrics: QueueMetrics;
  readonly #waiters = new LinkedList<Waiter<QueueItem<Key, Reason>>>();
  readonly #drains: ((hasDrained: boolean) => void)[] = [];
  #isShuttingDown = false;
  #isClosed = false;

  constructor(options: QueueOptions = {}) {
    const scheduler = steady(options.scheduler);
    const { metrics = noQueueMetrics, maxPassOvers, maxReasons = 16 } = options;
    this.#scheduler = scheduler;
    this.#metrics = containedMetrics(
      metrics,
      containedHooks(() => undefined),
    );
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter();
    this.#state = new QueueState({ metrics: this.#metrics, maxPassOvers, maxReasons }, () => scheduler.now());
    this.#alarm = new Alarm(() => {
      this.#state.releaseDue();
      this.#update();
    }, scheduler);
    this.ready$ = this.#ready.asObservable();
    this.#metrics.opened(this.#state);
  }

  /** How many keys wait for a worker; those that wait for their time, or for the end of their run, are not among them. */
  get length(): number {
    return this.#state.depth;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#state.delayed;
  }

  /** How many keys are running: got, and not yet done or held. */
  get running(): number {
    return this.#state.running;
  }

  /** How many keys are held: their runs have ended, but they are not done yet. */
  get held(): number {
    return this.#state.held;
  }

  /** Returns true if the key will run (again), now or later. */
  isAdded(key: Key): boolean {
    return this.#state.has(key);
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** Asks for a run of `key` (W1). Ignored once shutting down. */
  add(key: Key, options: AddOptions<Reason> = {}): void {
    checkAddition(key, 0, options);
    if (this.#isShuttingDown) return;
    this.#state.add(key, options);
    this.#update();
  }

  /**
   * Asks for a run of `key` in `delay` milliseconds; 0 or less is now (W5).
   *
   * @returns the time of day at which it will be ready to run, in milliseconds: sooner if it was to
   * run sooner anyway; `undefined` if it will not run, because the queue is shutting down. It is
   * for display: elapsed time decides, so setting the clock neither delays nor hastens a key
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

  /** `addAfter` with the wait that the rate limiter says (W6); counts as a failure of `key`. */
  addRateLimited(key: Key, options: AddOptions<Reason> = {}): number | undefined {
    checkAddition(key, 0, options);
    return this.addAfter(key, this.#limiter.when(key, this.#scheduler.now()), options);
  }

  /**
   * Lets no run of `key` begin for `delay` milliseconds, whatever is added meanwhile: it is one run
   * afterwards. For a server that asked to be left alone.
   *
   * @returns what was to run already, if the queue is shutting down and drops it instead
   */
  pause(key: Key, delay: number): QueueItem<Key, Reason> | undefined {
    checkAddition(key, delay, {});
    this.#state.pause(key, this.#scheduler.now() + delay);
    const [dropped] = this.#isShuttingDown ? this.#state.dropDelayed() : [];
    this.#update();
    return dropped;
  }

  /** Forgets the failures of `key`; if it is running, `done` is still to be called (W6). */
  forget(key: Key): void {
    this.#limiter.forget(key);
  }

  /** How often `key` failed since it was last forgotten. */
  numRequeues(key: Key): number {
    return this.#limiter.requeues(key);
  }

  /** The key whose turn it is, if any; from now on it is running, until `done`. */
  tryGet(): QueueItem<Key, Reason> | undefined {
    return this.#state.take();
  }

  /**
   * The key whose turn it is, as soon as there is one; `undefined` once the queue is shut down and nothing is left (W3).
   * Those who wait are served in the order in which they came. Rejects with the signal's reason when aborted.
   */
  get(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<QueueItem<Key, Reason> | undefined> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const item = this.#state.take();
      if (item || this.#isShuttingDown) {
        resolve(item);
        return;
      }
      const link = this.#waiters.push({
        resolve: (next) => {
          this.#waiters.remove(link);
          aborted?.unsubscribe();
          resolve(next);
        },
      });
      const aborted =
        signal &&
        onAbort(signal, () => {
          this.#waiters.remove(link);
          reject(signal.reason as Error);
        });
    });
  }

  /**
   * Ends the run of `key` without freeing the key: a worker may take another one, and what is added
   * for `key` waits until `done`. For work that goes on after its run was given up.
   */
  hold(key: Key): void {
    this.#state.hold(key);
    this.#update();
  }

  /** The run of `key` has ended. Added meanwhile, it waits for its next run, at the tail (W2). A key that is neither running nor held is ignored. */
  done(key: Key): void {
    this.#state.done(key);
    this.#update();
  }

  /**
   * Takes no more additions; what is queued is still handed out, then `get` gives `undefined` (W3). Delayed keys are dropped. Waits
   * for nothing, and ends the wait of a drain.
   *
   * @returns the delayed keys that were dropped
   */
  shutDown(): readonly QueueItem<Key, Reason>[] {
    const dropped = this.#stopAdditions();
    for (const resolve of this.#drains.splice(0)) resolve(false);
    this.#close();
    this.#update();
    return dropped;
  }

  /**
   * As `shutDown`, and waits until everything queued, everything running and everything held is done, reruns of what was added
   * meanwhile included (▲ W3: client-go looks only at what is running). A worker must go on taking keys.
   *
   * @returns true when all is done; false when `shutDown` ended the wait
   */
  shutDownWithDrain(): Promise<boolean> {
    this.#stopAdditions();
    return new Promise((resolve) => {
      this.#drains.push(resolve);
      this.#update();
    });
  }

  #stopAdditions(): readonly QueueItem<Key, Reason>[] {
    this.#isShuttingDown = true;
    return this.#state.dropDelayed();
  }

  /** Makes the world follow the state: the alarm, those who wait for a key, those who wait for the end. */
  #update(): void {
    this.#alarm.set(this.#state.nextDeadline);
    for (let waiter = this.#waiters.first; waiter; waiter = this.#waiters.first) {
      if (this.length === 0 && !this.#isShuttingDown) break;
      waiter.resolve(this.#state.take());
    }
    if (this.#drains.length > 0 && this.length + this.running + this.held === 0) {
      for (const resolve of this.#drains.splice(0)) resolve(true);
      this.#close();
    }
    if (this.length > 0 || this.#isShuttingDown) this.#ready.next();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#metrics.closed(this.#state);
  }
}

function checkAddition(key: unknown, delay: number, { priority = 0 }: AddOptions): void {
  const problem = problemOf(key, delay, priority);
  if (problem !== undefined) throw new InvalidQueueInputError({ key, delay, priority }, problem);
}

function problemOf(key: unknown, delay: unknown, priority: unknown): string | undefined {
  if (typeof key !== 'string') return `its key is not a string but ${key === null ? 'null' : typeof key}`;
  if (!Number.isFinite(priority)) return `the priority of ${key} is ${String(priority)}`;
  if (!Number.isFinite(delay)) return `the delay of ${key} is ${String(delay)}`;
  return undefined;
}
