import { of, Subject, type Observable, type SchedulerLike } from 'rxjs';
import { isDevelopment } from '../store/freeze.js';
import type { InformerError } from './errors.js';
import { inOrder } from '../operators/sliced-tasks.js';

/** What is done with an error that no subscriber of `errors$` receives. */
export interface ReportOptions {
  /**
   * What reports of errors call it. Default: the resource of the `listWatch` it reads, as kubectl
   * writes it (`pods`, `deployments.apps`), else `informer` or `indexer`.
   */
  readonly name?: string | undefined;
  /**
   * Reports an error for which `errors$` has no subscriber; default `console.error`. It is not called
   * for errors with `expected: true`, nor for those of the connection while an informer lingers. An
   * error of the same kind (its class, and its index, handler or HTTP status) is reported again one
   * hour later at the earliest. Costs nothing until something fails.
   */
  readonly onUnobservedError?: ((error: InformerError, name: string) => void) | undefined;
}

const HOUR = 3_600_000;

/** The errors of one informer or indexer: emitted to subscribers, and reported once an hour if there is none. */
export class ErrorStream {
  readonly errors$: Observable<InformerError>;
  readonly #errors = new Subject<InformerError>();
  readonly #reported = new Map<string, number>();

  /** @param isInUse returns false while an informer lingers: failures of its connection matter to no subscriber */
  constructor(
    private readonly options: ReportOptions & { readonly name: string },
    private readonly scheduler: SchedulerLike,
    private readonly isInUse = (): boolean => true,
  ) {
    this.errors$ = this.#errors.asObservable();
  }

  /** Emits an error to subscribers of `errors$`, or reports it. Errors that this causes come after it. */
  readonly report = inOrder<InformerError>((error) => {
    this.#report(error);
  });

  #report(error: InformerError): void {
    if (this.#errors.observed) {
      this.#errors.next(error);
      return;
    }
    if (error.expected || ('request' in error && !this.isInUse()) || !this.#isDue(kindOf(error))) return;
    const { name, onUnobservedError = reportOnConsole } = this.options;
    // As a subscriber: what a reporter throws goes where rxjs reports it, and not into a commit.
    of(error).subscribe((reported) => {
      onUnobservedError(reported, name);
    });
  }

  #isDue(kind: string): boolean {
    const now = this.scheduler.now();
    const last = this.#reported.get(kind);
    if (last !== undefined && now >= last && now - last < HOUR) return false;
    this.#reported.set(kind, now);
    return true;
  }
}

/** There are few kinds, whatever fails: an error of another object is of the same kind. */
function kindOf(error: InformerError): string {
  const { index, handler, statusCode } = error as Partial<Record<'index' | 'handler' | 'statusCode', unknown>>;
  return [error.name, index, handler, statusCode].map(String).join(' ');
}

function reportOnConsole(error: InformerError, name: string): void {
  console.error(`${name}: subscribe to errors$ to handle this error; it is reported at most once an hour:`, error);
}

/** A subscriber or an event handler that blocked the event loop. */
export interface SlowSubscriber {
  /** The stream as it was asked for, such as `byIndex$('node', 'worker-1')`; `addEventHandler` for a handler. */
  readonly stream: string;
  /** How long one delivery took, in milliseconds. */
  readonly took: number;
  /** Says what happened and what to do. */
  readonly message: string;
}

/** What is done with a subscriber that blocks the event loop. */
export interface SlowSubscriberOptions {
  /**
   * Reports a subscriber or handler that took longer than 50 ms for one delivery; each stream is
   * reported once. Default: `console.warn` in development, nothing in production (`NODE_ENV`). Costs
   * two readings of the clock for each delivery, about 0.3 µs, and nothing where nothing is reported.
   */
  readonly onSlowSubscriber?: ((slow: SlowSubscriber, name: string) => void) | undefined;
}

/** The method or property that made a stream, and its arguments. */
export type StreamName = readonly [method: string, ...args: (string | undefined)[]];

/** For how long a delivery may keep the event loop from everything else, in milliseconds. */
const threshold = 50;

/** So many streams are reported at most: a program may ask for one of each key. */
const mostReported = 1_000;

/** Finds the subscribers of one informer or indexer that block the event loop. */
export class SlowSubscribers {
  readonly #report: SlowSubscriberOptions['onSlowSubscriber'];
  readonly #reported = new Set<string>();
  /** The time of all slow deliveries so far. A delivery that contains another is not charged for it. */
  #charged = 0;

  constructor(
    private readonly options: SlowSubscriberOptions & { readonly name: string },
    private readonly scheduler: SchedulerLike,
  ) {
    this.#report = options.onSlowSubscriber ?? (isDevelopment() ? warnOnConsole : undefined);
  }

  /** Returns a callback of a subscriber, timed where there is a reporter. */
  timed<V, R>(stream: StreamName, callback: (value: V) => R): (value: V) => R {
    if (this.#report === undefined) return callback;
    return (value) => {
      const chargedBefore = this.#charged;
      const began = this.scheduler.now();
      const result = callback(value);
      const took = this.scheduler.now() - began;
      if (took > threshold) this.#charge(stream, took - (this.#charged - chargedBefore));
      return result;
    };
  }

  #charge(stream: StreamName, took: number): void {
    if (took <= threshold) return;
    this.#charged += took;
    const name = textOf(stream);
    if (this.#reported.has(name) || this.#reported.size >= mostReported) return;
    this.#reported.add(name);
    const message = `a subscriber of ${name} blocked the event loop for ${took} ms; nothing else ran meanwhile. Merge changes that come faster than they are handled (conflateChanges), or do the work outside of the subscriber (a queue, a worker)`;
    // As a subscriber: what a reporter throws goes where rxjs reports it, and not into a commit.
    of({ stream: name, took, message }).subscribe((slow) => this.#report?.(slow, this.options.name));
  }
}

function textOf([method, ...args]: StreamName): string {
  const given = args.filter((argument) => argument !== undefined);
  return given.length === 0 ? method : `${method}(${given.map((argument) => `'${argument}'`).join(', ')})`;
}

function warnOnConsole({ message }: SlowSubscriber, name: string): void {
  console.warn(`${name}: ${message}. This is reported once for each stream, in development only.`);
}
