import { of, Subject, type Observable, type SchedulerLike } from 'rxjs';
import { isSameVersion } from '../kubernetes/object.js';
import { inOrder } from '../scheduling/sliced-tasks.js';
import type { NamesOf } from '../sources/model/checked-options.js';
import { isOfConnection } from '../sources/model/errors.js';
import type { Commit, UpdatedChange } from '../store/change.js';
import { isDevelopment } from '../store/freeze.js';
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
   * Default `console.error`. Errors of the connection are then counted for two seconds, and
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
    if (error.expected || ('request' in error && !this.isInUse()) || !this.#isDue(kindOf(error))) return;
    const { name, client } = this.options;
    const {
      onUnobservedError = isOfConnection(error) ? consoleLines(client ?? this, this.scheduler) : reportOnConsole,
    } = this.options;
    // This runs as a subscriber, so rxjs reports its errors, and they do not disturb a commit.
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

/** Returns the kind of an error, which does not depend on the object: there are few kinds. */
function kindOf(error: InformerError): string {
  const { index, handler, statusCode } = error as Partial<Record<'index' | 'handler' | 'statusCode', unknown>>;
  return [error.name, index, handler, statusCode].map(String).join(' ');
}

/** The time for which errors of one cause are counted before they are reported, in milliseconds. */
const countingTime = 2_000;

/** The errors of one cause that the informers of one client reported. */
interface Counted {
  readonly since: number;
  /** The errors that the line will count; `undefined` once the line is written. */
  errors: { readonly error: InformerError; readonly name: string }[] | undefined;
}

const countedByClient = new WeakMap<object, Map<string, Counted>>();

const shownElsewhere = new WeakSet<InformerError>();

/**
 * Leaves an error of the connection out of the lines on the console, because the caller throws it
 * to code that shows it.
 */
export function noteShown(error: InformerError): void {
  shownElsewhere.add(error);
}

/**
 * Returns a reporter for errors of the connection. When a server restarts, all informers of its
 * client fail for the same few causes. So the errors of one cause are one line on the console.
 */
function consoleLines(client: object, scheduler: SchedulerLike): (error: InformerError, name: string) => void {
  const causes = countedByClient.get(client) ?? new Map<string, Counted>();
  countedByClient.set(client, causes);
  return (error, name) => {
    const cause = `${kindOf(error)} ${'causeCode' in error ? error.causeCode : ''}`;
    const now = scheduler.now();
    const known = causes.get(cause);
    if (known !== undefined && now >= known.since && now - known.since < HOUR) {
      known.errors?.push({ error, name });
      return;
    }
    const counted: Counted = { since: now, errors: [{ error, name }] };
    causes.set(cause, counted);
    scheduler.schedule(() => {
      const errors = counted.errors?.filter((each) => !shownElsewhere.has(each.error)) ?? [];
      counted.errors = undefined;
      const [first] = errors;
      if (first === undefined) causes.delete(cause);
      else console.error(lineOf(first.error, errors.length, new Set(errors.map((each) => each.name))));
    }, countingTime);
  };
}

function lineOf(first: InformerError, count: number, names: ReadonlySet<string>): string {
  const [shown, others] = [[...names].slice(0, 3).join(', '), names.size - 3];
  const message = `${first.name}: ${first.message}`.replace(/\s+/g, ' ').slice(0, 500);
  const what = count === 1 ? message : `${count} errors of one cause, the first: ${message}`;
  return `${shown}${others > 0 ? ` and ${others} more` : ''}: ${what}; informers try again by themselves. To handle such errors, subscribe to errors$; each cause is reported at most once an hour`;
}

function reportOnConsole(error: InformerError, name: string): void {
  console.error(`${name}: subscribe to errors$ to handle this error; it is reported at most once an hour:`, error);
}

/** Describes a subscriber or an event handler that blocked the event loop. */
export interface SlowSubscriber {
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
   * Called if a subscriber or handler took longer than 50 ms for one delivery, but at most once for
   * each stream. Default: `console.warn` in development, none in production (`NODE_ENV`). Costs two
   * readings of the clock for each delivery, about 0.3 µs; without a reporter, nothing.
   */
  readonly onSlowSubscriber?: ((slow: SlowSubscriber, name: string) => void) | undefined;
}

/** The method or property that created a stream, and its arguments. */
export type StreamName = readonly [method: string, ...args: (string | undefined)[]];

/** The milliseconds for which a delivery may block the event loop. */
const threshold = 50;

/** The maximum number of reported streams. A program may have one stream for each key. */
const mostReported = 1_000;

/** Finds the subscribers of one informer or indexer that block the event loop. */
export class SlowSubscribers {
  readonly #report: SlowSubscriberOptions['onSlowSubscriber'];
  readonly #reported = new Set<string>();
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
    const message = `a subscriber of ${name} blocked the event loop for ${took} ms, and nothing else could run. Merge changes that arrive faster than they are handled (conflateChanges), or move the work into a queue or a worker`;
    // This runs as a subscriber, so rxjs reports its errors, and they do not disturb a commit.
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
      if (process.env.NODE_ENV !== 'production') throw new Error('development');
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
