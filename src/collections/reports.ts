import { of, Subject, VirtualTimeScheduler, type Observable, type SchedulerLike } from 'rxjs';
import { CallSite, checkLater, development, isDevelopment, warnOfMistake } from '../kubernetes/development.js';
import { placeOf } from '../kubernetes/errors.js';
import { isSameVersion } from '../kubernetes/object.js';
import { inOrder } from '../scheduling/sliced-tasks.js';
import type { NamesOf } from '../sources/model/checked-options.js';
import { isOfConnection } from '../sources/model/errors.js';
import type { Commit, UpdatedChange } from '../store/change.js';
import { checkedRead, type ReadCollection } from '../store/pure-function.js';
import type { CollectionOptions } from './collection.js';
import type { InformerError } from './errors.js';

/** Options for reporting errors that no subscriber of `errors$` receives. */
export interface ReportOptions {
  /**
   * The name of the collection in reports. Default: its resource as kubectl writes it (`pods`,
   * `deployments.apps`), otherwise `informer` or `indexer`.
   */
  readonly name?: string | undefined;
  /**
   * Called with an error if `errors$` has no subscriber. It is not called for errors with
   * `expected: true`, nor for errors of the connection while an informer lingers. Errors of one
   * kind (the same class, and the same index, handler or HTTP status) are reported at most once an
   * hour. Costs nothing until an error occurs.
   *
   * Default: one line by `console.error`, with the advice of the error, and the place of its cause.
   * Errors of the connection are then counted for two seconds, and
   * written as one line for each client and cause, for all informers together. Each such line is
   * written at most once an hour. An error that `useSynced` throws to an error boundary is not
   * counted, because React writes it.
   */
  readonly onUnobservedError?: ((error: InformerError, name: string) => void) | undefined;
}

/** The names of the options that informers, indexers and derived collections have in common. */
export const collectionOptionNames: NamesOf<CollectionOptions & ReportOptions & SlowSubscriberOptions> = {
  resource: 1,
  name: 1,
  onUnobservedError: 1,
  onSlowSubscriber: 1,
};

const HOUR = 3_600_000;

/**
 * The errors of one informer or indexer. It emits them to subscribers. If there are no subscribers,
 * it reports each kind of error at most once an hour.
 */
export class ErrorStream {
  readonly errors$: Observable<InformerError>;
  readonly #errors = new Subject<InformerError>();
  readonly #reported = new Map<string, number>();

  /** @param isInUse returns false while an informer lingers: connection errors are not reported */
  constructor(
    private readonly options: ReportOptions & { readonly name: string; readonly client?: object | undefined },
    private readonly scheduler: SchedulerLike,
    private readonly isInUse = (): boolean => true,
  ) {
    this.errors$ = this.#errors.asObservable();
  }

  /** Emits or reports an error, before the errors that a subscriber causes meanwhile. */
  readonly report = inOrder<InformerError>((error) => {
    this.#report(error);
  });

  #report(error: InformerError): void {
    if (this.#errors.observed) {
      this.#errors.next(error);
      return;
    }
    if (error.expected || ('request' in error && !this.isInUse())) return;
    const { name, client } = this.options;
    const isDue = this.#isDue(kindOf(error));
    const { onUnobservedError = isOfConnection(error) ? undefined : reportOnConsole } = this.options;
    if (onUnobservedError === undefined)
      countForConsole(client ?? this, this.scheduler, { error, name, by: this }, isDue);
    // This runs as a subscriber, so rxjs reports its errors, and they do not disturb a commit.
    else if (isDue) of(error).subscribe((reported) => onUnobservedError(reported, name));
  }

  #isDue(kind: string): boolean {
    const now = this.scheduler.now();
    const last = this.#reported.get(kind);
    if (last !== undefined && now >= last && now - last < HOUR) return false;
    this.#reported.set(kind, now);
    return true;
  }
}

/** Returns the kind of an error, which does not depend on the object: there are few kinds. */
function kindOf(error: InformerError): string {
  const { index, handler, statusCode } = error as Partial<Record<'index' | 'handler' | 'statusCode', unknown>>;
  return [error.code, index, handler, statusCode].map(String).join(' ');
}

/** The time for which errors of one cause are counted before they are reported, in milliseconds. */
const countingTime = 2_000;

/** The newest error of one cause that an informer reported. */
interface CountedError {
  readonly error: InformerError;
  readonly name: string;
  readonly by: ErrorStream;
}

/** The errors of one cause that the informers of one client reported. */
interface Counted {
  readonly since: number;
  /** The errors that the line will count, by informer; `undefined` once the line is written. */
  errors: Map<ErrorStream, CountedError> | undefined;
}

const countedByClient = new WeakMap<object, Map<string, Counted>>();

const reportedToCaller = new WeakSet<InformerError>();

/**
 * Leaves an error of the connection out of the lines on the console, because the caller throws it
 * to code that shows it.
 */
export function noteShown(error: InformerError): void {
  reportedToCaller.add(error);
}

/**
 * Counts an error of the connection. When a server restarts, all informers of its client fail for
 * the same few causes. So the errors of one cause are one line on the console.
 *
 * @param isDue if false, the informer has reported this cause within the last hour. Then its newest
 *   error replaces the one that the next line counts, because that is the one that a caller throws
 */
function countForConsole(client: object, scheduler: SchedulerLike, reported: CountedError, isDue: boolean): void {
  const { error, by } = reported;
  const causes = countedByClient.get(client) ?? new Map<string, Counted>();
  countedByClient.set(client, causes);
  const cause = `${kindOf(error)} ${'causeCode' in error ? error.causeCode : ''}`;
  const now = scheduler.now();
  const known = causes.get(cause);
  if (known !== undefined && now >= known.since && now - known.since < HOUR) {
    if (isDue || known.errors?.has(by)) known.errors?.set(by, reported);
    return;
  }
  if (!isDue) return;
  const counted: Counted = { since: now, errors: new Map([[by, reported]]) };
  causes.set(cause, counted);
  scheduler.schedule(() => {
    const errors = [...(counted.errors?.values() ?? [])].filter((each) => !reportedToCaller.has(each.error));
    counted.errors = undefined;
    const [first] = errors;
    if (first === undefined) causes.delete(cause);
    else console.error(lineOf(first.error, errors, (client as { readonly server?: string }).server));
  }, countingTime);
}

function lineOf(error: InformerError, errors: readonly CountedError[], server?: string): string {
  const names = [...new Set(errors.map((each) => each.name))];
  const shown = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}${server ? ` of ${server}` : ''}`;
  const what = errors.length === 1 ? '' : `${errors.length} errors of one cause, the first: `;
  return `${shown}: ${what}${textOf(error)}. The informer tries again by itself. To handle such errors, subscribe to errors$`;
}

/** Returns an error as one line: the code, the message and the advice. */
function textOf({ name, message, advice }: InformerError): string {
  return `${name}: ${message}`.replace(/\s+/g, ' ').slice(0, 500) + (advice ? `; ${advice}` : '');
}

function reportOnConsole(error: InformerError, name: string): void {
  console.error(`${name}: ${textOf(error)}${placeOf(error.cause)}. To handle such errors, subscribe to errors$`);
}

/** Describes a subscriber or an event handler that blocked the event loop. */
interface SlowSubscriber {
  /** The call, such as `byIndex$('node', 'worker-1')`; `addEventHandler` for a handler. */
  readonly stream: string;
  /** The duration of one delivery in milliseconds. */
  readonly took: number;
  /** A text that says what happened and what to do. */
  readonly message: string;
}

/** Options for reporting subscribers that block the event loop. */
export interface SlowSubscriberOptions {
  /**
   * Called at the second delivery for which the subscribers or handlers of a stream took longer
   * than 50 ms, but at most once for each stream. In Node, the second delivery must also have used
   * the processor for 50 ms. So it is not called if a machine is busy, or if code that runs for the
   * first time is slow. Subscribers that are parts of this package are not timed.
   * Default: `console.warn` in development, none in production (`NODE_ENV`). Costs two readings of
   * the clock for each delivery, about 0.3 µs; without a reporter, nothing.
   */
  readonly onSlowSubscriber?: ((slow: SlowSubscriber, name: string) => void) | undefined;
}

/** The method or property that created a stream, and its arguments. */
export type StreamName = readonly [method: string, ...args: (string | undefined)[]];

/** The milliseconds for which a delivery may block the event loop. */
const threshold = 50;

/** The maximum number of reported streams. A program may have one stream for each key. */
const maxReported = 1_000;

/**
 * Finds the subscribers of one informer or indexer that block the event loop.
 *
 * One slow delivery is not reported: the code may run for the first time, or the machine may have
 * run another process meanwhile. From then on the processor time of the stream is read too. The
 * second delivery that is slow by both clocks is reported.
 */
export class SlowSubscribers {
  readonly #report: SlowSubscriberOptions['onSlowSubscriber'];
  /** The streams with a slow delivery; true if they were reported. */
  readonly #slow = new Map<string, boolean>();
  /** The time of slow deliveries. That of nested ones does not count for the outer one. */
  #charged = 0;

  constructor(
    private readonly options: SlowSubscriberOptions & { readonly name: string },
    private readonly scheduler: SchedulerLike,
  ) {
    this.#report = options.onSlowSubscriber ?? (isDevelopment() ? warnOnConsole : undefined);
  }

  /** Returns a callback of a subscriber. It is timed if there is a reporter. */
  timed<V, R>(stream: StreamName, callback: (value: V) => R): (value: V) => R {
    if (this.#report === undefined) return callback;
    let wasSlow = this.#slow.size > 0 && this.#slow.has(streamText(stream));
    return (value) => {
      const chargedBefore = this.#charged;
      const computedBefore = wasSlow ? this.#processorTime() : undefined;
      const began = this.scheduler.now();
      const result = callback(value);
      const took = this.scheduler.now() - began;
      if (took <= threshold) return result;
      const nested = this.#charged - chargedBefore;
      const computed = computedBefore === undefined ? took : (this.#processorTime() ?? took) - computedBefore;
      if (took - nested <= threshold) return result;
      this.#charged += took - nested;
      if (!wasSlow || computed - nested > threshold) this.#charge(stream, took - nested);
      wasSlow = true;
      return result;
    };
  }

  #charge(stream: StreamName, took: number): void {
    const name = streamText(stream);
    const isReported = this.#slow.get(name);
    if (isReported === true || (isReported === undefined && this.#slow.size >= maxReported)) return;
    this.#slow.set(name, isReported === false);
    if (isReported === undefined) return;
    const message = `a subscriber of ${name} blocked the event loop for ${took} ms, and nothing else could run. Merge changes that arrive faster than they are handled (conflateChanges), or move the work into a queue or a worker`;
    // This runs as a subscriber, so rxjs reports its errors, and they do not disturb a commit.
    of({ stream: name, took, message }).subscribe((slow) => this.#report?.(slow, this.options.name));
  }

  /** Returns the milliseconds of processor time, in Node and by the clock of the machine. */
  #processorTime(): number | undefined {
    if (this.scheduler instanceof VirtualTimeScheduler) return undefined;
    const { process } = globalThis as { readonly process?: Processor };
    const used = process?.threadCpuUsage?.() ?? process?.cpuUsage?.();
    return used && (used.user + used.system) / 1000;
  }
}

type Usage = () => { readonly user: number; readonly system: number };

/** `process` of Node; the time of one thread since Node 23.9. */
interface Processor {
  readonly threadCpuUsage?: Usage;
  readonly cpuUsage?: Usage;
}

function streamText([method, ...args]: StreamName): string {
  const described = args.filter((argument) => argument !== undefined);
  return described.length === 0 ? method : `${method}(${described.map((argument) => `'${argument}'`).join(', ')})`;
}

function warnOnConsole({ message }: SlowSubscriber, name: string): void {
  console.warn(`${name}: ${message}. This is reported once for each stream, in development only.`);
}

/**
 * Finds an informer most of whose objects have other content at each list, at the same versions.
 * The usual cause is a transform that is not deterministic. Warns once, in development only.
 */
export class UnstableContent {
  #lists = 0;
  #isDone = false;

  constructor(private readonly name: string) {}

  /** Called with the commit of each list after the first one. */
  relisted({ changes, snapshot }: Commit<unknown>): void {
    // The form of `isDevelopment` that a bundler can evaluate: see there.
    try {
      if (process.env.NODE_ENV !== 'production') throw development;
    } catch {
      if (this.#isDone) return;
      const differing = changes.filter((change) => change.type === 'updated' && isContentOnly(change)).length;
      this.#lists = differing * 2 > snapshot.size ? this.#lists + 1 : 0;
      if (this.#lists < 2) return;
      this.#isDone = true;
      console.warn(
        `${this.name}: two lists in succession changed ${differing} of ${snapshot.size} objects without a new resourceVersion, and each list announces them as updated. If a transform or an operator of the source computes them, it must return equal content for equal objects: no times, no random numbers, no instances of classes. This is reported once, in development only.`,
      );
    }
  }
}

function isContentOnly({ previous, object }: UpdatedChange<unknown>): boolean {
  return previous !== object && isSameVersion(previous, object);
}

let reportRead = (text: string): void => {
  console.warn(`${text} This is reported once for each function and collection, in development only.`);
};

/** Reports that a live collection is being read, if the reader is a function that must be pure. */
export function noteRead(collection: ReadCollection): void {
  const text = checkedRead(collection);
  if (text !== undefined) reportRead(text);
}

/** Reports the first read of a collection, unless it is started soon. Only for development. */
export function noteFirstRead(name: string, hasStarted: () => boolean): void {
  if (hasStarted()) return;
  const site = new CallSite();
  checkLater(() => {
    if (!hasStarted())
      warnOfMistake(
        `${name} was read but never started, so it has no objects. Subscribe to one of its streams, or call connect() and await whenSynced(), before you read it. It was read ${site.place}.`,
      );
  }, 5);
}

/** Calls `act` with an array to which the reports of such reads are added meanwhile. */
export function collectReads(act: (reports: readonly string[]) => void): void {
  const reports: string[] = [];
  const outer = reportRead;
  reportRead = (text) => reports.push(text);
  try {
    act(reports);
  } finally {
    reportRead = outer;
  }
}
