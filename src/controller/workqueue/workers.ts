import { ReplaySubject, Subscription, type SchedulerLike } from 'rxjs';
import { heedDeadlines } from '../../scheduling/clock.js';
import type { Safely } from '../../scheduling/safely.js';
import { InvalidQueueInputError } from '../queue/errors.js';
import { priorityQueue, type PriorityQueue } from '../queue/priority-queue.js';
import type { QueueItem, KeyRequest, QueueInput } from '../queue/queue-item.js';
import { withMinWait } from '../queue/rate-limiters.js';
import { HeldKeys, type HeldKeysDelegate, type QueueInternals } from './held-keys.js';
import { RequeueAfter, Skipped } from './outcome.js';
import { Retries, soonest, type RetryDecision } from './retries.js';
import { run, type RunContext } from './run.js';
import { TimeSlices } from './time-slices.js';
import type { WorkqueueEvent } from './workqueue-event.js';
import type { checkedOptions } from './workqueue-options.js';

export interface WorkersDelegate<Key extends string, Reason> {
  run(key: Key, context: RunContext<Reason>): unknown;
  tell(event: WorkqueueEvent<unknown, Key, Reason>): void;
  complete(): void;
  /** Calls a hook of the user, and reports the error that it throws. */
  readonly call: Safely;
}

/** Runs the keys of a queue with limited workers, and decides whether they run again. */
export class Workers<Key extends string, Reason> extends Subscription {
  readonly #queue: PriorityQueue<Key, Reason>;
  readonly #scheduler: SchedulerLike;
  readonly #retries: Retries<Key, Reason>;
  readonly #drainEnded = new ReplaySubject<void>(1);
  readonly #heldKeys: HeldKeys<Key>;
  readonly #slices: TimeSlices;
  /** The keys whose `dropped` event is still to be emitted. The next key is at the end. */
  #toDrop: QueueItem<Key, Reason>[] = [];
  #isHeld = true;
  #isBusy = false;
  /** True while a key is added to an idle queue: it starts even if the slice is used up. */
  #isLone = false;
  #hasSourceCompleted = false;
  #hasDrainEnded = false;

  constructor(
    private readonly delegate: WorkersDelegate<Key, Reason>,
    private readonly options: ReturnType<typeof checkedOptions>,
    private readonly internals: QueueInternals<Key>,
  ) {
    super();
    this.#scheduler = options.scheduler;
    this.#queue = priorityQueue<Key, Reason>({ ...options, rateLimiter: withMinWait(options.rateLimiter(), soonest) });
    this.#retries = new Retries(this.#queue, options.maxRetries, delegate.call, options.random);
    this.#slices = new TimeSlices(this.#scheduler, () => {
      this.#startRuns();
    });
    this.add(this.#slices);
    this.add(
      this.#queue.ready$.subscribe(() => {
        this.#startRuns();
      }),
    );
    // Runs last on teardown: closes the gauges and stops the alarm.
    this.add(() => void this.#queue.shutDown());
    this.#heldKeys = new HeldKeys(this.#heldKeysDelegate(), internals, options.scheduler);
    this.add(this.#heldKeys);
  }

  /** Allows runs to begin. */
  start(): void {
    this.#isHeld = false;
    this.#startRuns();
  }

  take(input: QueueInput<Key, Reason>): void {
    this.#isLone = !this.#isBusy && this.#queue.length + this.#queue.running === 0;
    try {
      const { key, delay = 0, priority, reason } = requestOf<Key, Reason>(input);
      if (delay === 0) this.#queue.add(key, { priority, reason });
      else this.#queue.addAfter(key, delay, { priority, reason });
    } catch (error) {
      if (!(error instanceof InvalidQueueInputError)) throw error;
      this.delegate.tell({ type: 'refused', input, error });
    } finally {
      this.#isLone = false;
    }
  }

  /** The source has completed. Delayed keys are finished only with `waitForDelayed`. */
  drain(): void {
    this.#hasSourceCompleted = true;
    if (!this.options.waitForDelayed) this.#dropDelayed();
    this.#heldKeys.drain();
    this.#startRuns();
  }

  /**
   * Aborts running keys and drops waiting keys, also additions of held keys, each with an event.
   */
  endDrain(): void {
    this.#hasDrainEnded = true;
    this.#dropDelayed();
    this.#heldKeys.freeAll();
    this.#startRuns();
    this.#drainEnded.next();
    this.#completeWhenDone();
  }

  /**
   * Starts runs while there are workers and keys, and yields to the event loop after some
   * milliseconds. The method is not re-entrant, so synchronous runs do not pile up on the stack.
   */
  #startRuns(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#hasNext() && (this.#isLone || this.#slices.mayContinue()) && this.#isInTime()) {
        this.#isLone = false;
        this.#takeNext();
      }
    } finally {
      this.#isBusy = false;
    }
    this.#completeWhenDone();
  }

  #hasNext(): boolean {
    if (this.closed) return false;
    if (this.#toDrop.length > 0) return true;
    const mayTake = this.#hasDrainEnded || (!this.#isHeld && this.#queue.running < this.options.concurrency);
    return mayTake && this.#queue.length > 0;
  }

  /**
   * Handles expired deadlines, which may close the queue, or end this replica's right to run keys.
   */
  #isInTime(): boolean {
    if (!heedDeadlines()) this.#slices.pause();
    else if (!this.closed) return true;
    return false;
  }

  /**
   * Emits a pending `dropped` event, or starts the next key; drops it after the end of the drain.
   */
  #takeNext(): void {
    const dropped = this.#toDrop.pop();
    const item = dropped ?? this.#queue.tryGet();
    if (!item) return;
    if (!dropped && !this.#hasDrainEnded) {
      this.#start(item);
      return;
    }
    if (!dropped) this.#queue.done(item.key);
    this.delegate.tell({ type: 'dropped', key: item.key, reasons: item.reasons });
  }

  #dropDelayed(): void {
    const wasBusy = this.#isBusy;
    this.#isBusy = true;
    this.#toDrop = [...this.#queue.shutDown().toReversed(), ...this.#toDrop];
    this.#isBusy = wasBusy;
  }

  #start(item: QueueItem<Key, Reason>): void {
    const { key, priority, reasons } = item;
    const attempt = this.#retries.attemptOf(key);
    const startedAt = this.#scheduler.now();
    let result: unknown;
    let wish: RequeueAfter | undefined;
    let because: string | undefined;
    this.delegate.tell({ type: 'started', key, attempt, priority, reasons, waited: startedAt - item.addedAt });
    if (this.closed) return;
    const finished = new Subscription();
    const end = (): void => {
      this.remove(finished);
      // After the end of the drain, unfinished work is not awaited.
      if (this.#hasDrainEnded || this.closed) this.#queue.done(key);
      else this.#heldKeys.runEnded(key);
      this.#completeWhenDone();
    };
    this.add(finished);
    finished.add(
      run(key, (signal) => this.delegate.run(key, { signal, attempt, priority, reasons }), {
        ...this.options,
        drainEnded$: this.#drainEnded,
        goesOn: (over$) => {
          this.internals.unsettled.add(key, over$);
        },
      }).subscribe({
        next: (value) => {
          // The last value decides: a run may be given up late, or continue after a `Skipped`.
          because = value instanceof Skipped ? value.because : undefined;
          if (because !== undefined) return;
          if (value instanceof RequeueAfter) {
            if (wish === undefined || value.delay < wish.delay) wish = value;
            return;
          }
          if (value === undefined) return;
          result = value;
          this.delegate.tell({ type: 'emitted', key, value });
        },
        error: (error: unknown) => {
          const took = this.#scheduler.now() - startedAt;
          this.delegate.tell({ type: 'failed', key, attempt, took, ...this.#afterFailure(item, error) });
          end();
        },
        complete: () => {
          const took = this.#scheduler.now() - startedAt;
          const requeueAt = this.#retries.succeeded(item, because === undefined ? wish : undefined);
          if (because === undefined) this.delegate.tell({ type: 'succeeded', key, attempt, result, took, requeueAt });
          else this.delegate.tell({ type: 'skipped', key, attempt, because, took });
          end();
        },
      }),
    );
  }

  #afterFailure(item: QueueItem<Key, Reason>, error: unknown): RetryDecision {
    const { dropped, ...decision } = this.#retries.failed(item, error, this.#hasDrainEnded);
    if (dropped) this.#toDrop.unshift(dropped);
    return decision;
  }

  #completeWhenDone(): void {
    const { length, running, held, delayed } = this.#queue;
    const left = length + running + held + delayed + this.#toDrop.length;
    if (this.#hasSourceCompleted && !this.#isBusy && left === 0) this.delegate.complete();
  }

  #heldKeysDelegate(): HeldKeysDelegate<Key> {
    return {
      hold: (key) => {
        this.#queue.hold(key);
        this.#startRuns();
      },
      done: (key) => {
        this.#queue.done(key);
        this.#completeWhenDone();
      },
      isAdded: (key) => this.#queue.isAdded(key),
      tell: (event) => {
        this.delegate.tell(event);
      },
    };
  }
}

/** Takes an input that is no object as a key; the queue rejects it if it is not a string. */
function requestOf<Key extends string, Reason>(input: unknown): KeyRequest<Key, Reason> {
  return typeof input === 'object' && input !== null ? (input as KeyRequest<Key, Reason>) : { key: input as Key };
}
