import { ReplaySubject, Subscription, type SchedulerLike } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import type { Safely } from '../../scheduling/safely.js';
import { PriorityQueue } from '../queue/priority-queue.js';
import type { QueueItem, KeyRequest, QueueInput } from '../queue/queue-item.js';
import { withMinWait } from '../queue/rate-limiters.js';
import { HeldKeys, type HeldKeysDelegate, type QueueInternals } from './held-keys.js';
import { RequeueAfter, Skipped } from './outcome.js';
import { Retries, soonest, type RetryDecision } from './retries.js';
import { run, type RunContext } from './run.js';
import { TimeSlices } from './time-slices.js';
import type { WorkqueueEvent } from './workqueue-event.js';
import type { checkedWorkqueueOptions } from './workqueue-options.js';

export interface WorkersDelegate<Key extends string, Reason> {
  run(key: Key, context: RunContext<Reason>): unknown;
  emit(event: WorkqueueEvent<unknown, Key, Reason>): void;
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
  #isPaused = true;
  #isBusy = false;
  /** True while a key is added to an idle queue: it starts even if the slice is used up. */
  #isLone = false;
  #hasSourceCompleted = false;
  #hasDrainEnded = false;

  constructor(
    private readonly delegate: WorkersDelegate<Key, Reason>,
    private readonly options: ReturnType<typeof checkedWorkqueueOptions>,
    private readonly internals: QueueInternals<Key>,
  ) {
    super();
    this.#scheduler = options.scheduler;
    this.#queue = new PriorityQueue({ ...options, rateLimiter: withMinWait(options.rateLimiter(), soonest) });
    this.#retries = new Retries(this.#queue, options.maxRetries, delegate.call, options.random);
    this.#slices = new TimeSlices(this.#scheduler, () => this.#startRuns());
    this.add(this.#slices);
    this.add(this.#queue.ready$.subscribe(() => this.#startRuns()));
    // Runs last on teardown: closes the gauges and stops the alarm.
    this.add(() => void this.#queue.shutDown());
    this.#heldKeys = new HeldKeys(this.#heldKeysDelegate(), internals, options.scheduler);
    this.add(this.#heldKeys);
  }

  /** Allows runs to begin. */
  start(): void {
    this.#isPaused = false;
    this.#startRuns();
  }

  take(input: QueueInput<Key, Reason>): void {
    this.#isLone = !this.#isBusy && this.#queue.length + this.#queue.running === 0;
    try {
      const { key, delay = 0, priority, reason } = requestOf<Key, Reason>(input);
      if (delay === 0) this.#queue.add(key, { priority, reason });
      else this.#queue.addAfter(key, delay, { priority, reason });
    } catch (error) {
      if (!isRxInformersError(error, 'RXI_INVALID_QUEUE_INPUT')) throw error;
      this.delegate.emit({ type: 'refused', input, error });
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

  /** Aborts running keys; drops waiting keys and additions of held keys, each with an event. */
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
    const mayTake = this.#hasDrainEnded || (!this.#isPaused && this.#queue.running < this.options.concurrency);
    return mayTake && this.#queue.length > 0;
  }

  /** Ends an overdue leadership, which closes the queue. Returns false if no run may begin. */
  #isInTime(): boolean {
    if (this.options.handOver?.endIfOverdue?.() === false) this.#slices.pause();
    else if (!this.closed) return true;
    return false;
  }

  /** Emits a pending `dropped` event, or starts the next key, or drops it after the drain. */
  #takeNext(): void {
    const dropped = this.#toDrop.pop();
    const item = dropped ?? this.#queue.tryGet();
    if (!item) return;
    if (!dropped && !this.#hasDrainEnded) {
      this.#start(item);
      return;
    }
    if (!dropped) this.#queue.done(item.key);
    this.delegate.emit({ type: 'dropped', key: item.key, reasons: item.reasons });
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
    let requeue: RequeueAfter | undefined;
    let reason: string | undefined;
    this.delegate.emit({ type: 'started', key, attempt, priority, reasons, waited: startedAt - item.addedAt });
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
        continues: (settled$) => this.internals.unsettled.add(key, settled$),
      }).subscribe({
        next: (value) => {
          // The last value decides: a run may be given up late, or continue after a `Skipped`.
          reason = value instanceof Skipped ? value.because : undefined;
          if (reason !== undefined) return;
          if (value instanceof RequeueAfter) {
            if (requeue === undefined || value.delay < requeue.delay) requeue = value;
            return;
          }
          if (value === undefined) return;
          result = value;
          this.delegate.emit({ type: 'emitted', key, value });
        },
        error: (error: unknown) => {
          const took = this.#scheduler.now() - startedAt;
          this.delegate.emit({ type: 'failed', key, attempt, took, ...this.#afterFailure(item, error) });
          end();
        },
        complete: () => {
          const took = this.#scheduler.now() - startedAt;
          const requeueAt = this.#retries.succeeded(item, reason === undefined ? requeue : undefined);
          if (reason === undefined) this.delegate.emit({ type: 'succeeded', key, attempt, result, took, requeueAt });
          else this.delegate.emit({ type: 'skipped', key, attempt, because: reason, took });
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
      emit: (event) => this.delegate.emit(event),
    };
  }
}

/** Takes an input that is no object as a key; the queue rejects it if it is not a string. */
function requestOf<Key extends string, Reason>(input: unknown): KeyRequest<Key, Reason> {
  return typeof input === 'object' && input !== null ? (input as KeyRequest<Key, Reason>) : { key: input as Key };
}
