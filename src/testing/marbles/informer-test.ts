import { Observable } from 'rxjs';
import type { RunHelpers, TestScheduler } from 'rxjs/testing';
import type { Collection } from '../../informer/collection.js';
import type { Informer } from '../../informer/informer.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { WatchEventBatch } from '../../sources/model/watch-event.js';
import type { Query } from '../../queries/query.js';
import { MarbleTestScheduler, valuesIn, type Notation } from './marble-test-scheduler.js';
import { expectedObjects, labelOfObjects, type ObjectsEmitted, expectedStatuses, labelOfStatus } from './labels.js';
import type { MarbleObjects } from './marble-objects.js';
import { watchMarbles, type WatchMarblesOptions } from './watch-marbles.js';

/** Waits for the diagram that a stream of objects or states is compared with. */
export interface MarbleExpectation {
  /** Compares the stream with a diagram, when virtual time ends or at `flush()`. */
  readonly toBe: (diagram: string) => void;
}

/** Waits for the diagram that a query is compared with. A query may return other values than objects. */
export interface QueryExpectation<R> {
  /** Compares the stream with a diagram of objects, or of `values`. */
  readonly toBe: (diagram: string, values?: Readonly<Record<string, R>>) => void;
}

/** A source in watch marbles that records when it was subscribed to, as rxjs's `cold` does. */
export interface MarbleSource<T> extends Observable<WatchEventBatch<T>> {
  /** The subscriptions so far, for `expectSubscriptions`. */
  readonly subscriptions: ReturnType<RunHelpers['cold']>['subscriptions'];
}

/**
 * The helpers that a test receives: all of rxjs's `TestScheduler.run` (`cold`, `hot`, `flush`,
 * `expectObservable`, `expectSubscriptions`, `time`, `animate`), and those of this library.
 */
export interface InformerTestHelpers<T extends KubernetesObject> extends RunHelpers {
  /**
   * The scheduler of the test, for options that take one and for `now()`. Inside the test, rxjs's
   * `asyncScheduler` and the default schedulers of this library have the same virtual time.
   */
  readonly scheduler: TestScheduler;
  /** Returns `watchMarbles(diagram, objects)` with the objects of the test, and records its subscriptions. */
  readonly source: (diagram: string, options?: WatchMarblesOptions) => MarbleSource<T>;
  /**
   * Expects what a live query emits. A diagram without `values` names objects: `(ab)`. With `values`
   * it has rxjs's grammar, each letter stands for a value, and values are compared deeply.
   *
   * @param subscription when to subscribe and unsubscribe, in rxjs's grammar: `'--^--!'`; default: from
   *   the beginning to the end
   * @example
   * import { bucket, bucketSize, indexByNode, informer } from 'rx-informers';
   * import { aPod, informerTest } from 'rx-informers/testing';
   *
   * informerTest({ a: aPod({ name: 'a', node: 'n1' }) }, ({ source, expectQuery }) => {
   *   const pods = informer(source('L()--A(a)--|'), { indexers: { node: indexByNode } });
   *   expectQuery(pods, bucket('node', 'n1')).toBe('()-a------|');
   *   expectQuery(pods, bucketSize('node', 'n1')).toBe('x--y------|', { x: 0, y: 1 });
   * });
   */
  readonly expectQuery: <R, I extends string>(
    collection: Pick<Collection<T, I>, 'query$'>,
    query: Query<T, R, NoInfer<I>>,
    subscription?: string,
  ) => QueryExpectation<R>;
  /**
   * Expects what any stream of objects, of arrays of objects, or of `undefined` emits: `byIndex$`,
   * `get$`, or your own view.
   */
  readonly expectObjects: (stream: Observable<ObjectsEmitted<T>>, subscription?: string) => MarbleExpectation;
  /**
   * Expects the states of `status$`, a letter for each. Subscribing to `status$` does not connect the
   * informer: something else must subscribe to its data.
   */
  readonly expectStatus: (informer: Pick<Informer<T>, 'status$'>, subscription?: string) => MarbleExpectation;
}

/** Options of `informerTest`. */
export interface InformerTestOptions {
  /**
   * When virtual time ends, in milliseconds; default one hour. Streams that are still running are
   * unsubscribed then. The cost is that of the events in this time.
   */
  readonly until?: number | undefined;
}

/**
 * Runs a test in virtual time, with rxjs's `TestScheduler.run`. Timers of this library and of rxjs take
 * no real time.
 *
 * Expected diagrams have rxjs's grammar: one character is one frame. `a` is a stream that emits the
 * object `a` (or an array of it alone), `(ab)` an array of two, `()` an empty array or `undefined`,
 * `[a(ab)]` two emissions in one frame, `|` and `#` the end. Names and times are compared, versions are
 * not. A parenthesis happens in the frame in which it opens, and is as wide as it is written.
 *
 * **Guarantees**: works with any test runner. Every stream of an expectation is unsubscribed in the
 * end, also if the test fails.
 *
 * @param objects the objects that the diagrams name; leave them out for a test with rxjs's helpers alone
 * @param test receives the helpers; must be synchronous, because virtual time does not wait for promises
 * @throws MarbleAssertionError with both timelines side by side
 * @throws MarbleSyntaxError with the column
 * @throws TypeError for an expectation without a diagram, and for an asynchronous test
 * @example
 * import { bucket, indexByNode, informer } from 'rx-informers';
 * import { aPod, informerTest } from 'rx-informers/testing';
 *
 * const a = aPod({ name: 'a', node: 'n1' });
 * const b = aPod({ name: 'b', node: 'n1' });
 *
 * informerTest({ a, b }, ({ source, expectQuery }) => {
 *   const pods = informer(source('-L(a)--A(b)--D(a)|'), { indexers: { node: indexByNode } });
 *   expectQuery(pods, bucket('node', 'n1')).toBe('-a-----(ab)--b---|');
 * });
 */
export function informerTest<T extends KubernetesObject>(
  objects: MarbleObjects<T>,
  test: (helpers: InformerTestHelpers<T>) => void,
  options?: InformerTestOptions,
): void;
export function informerTest(
  test: (helpers: InformerTestHelpers<KubernetesObject>) => void,
  options?: InformerTestOptions,
): void;
export function informerTest<T extends KubernetesObject>(
  objectsOrTest: MarbleObjects<T> | Test<T>,
  testOrOptions?: Test<T> | InformerTestOptions,
  options?: InformerTestOptions,
): void {
  if (typeof objectsOrTest === 'function') runTest({}, objectsOrTest, testOrOptions as InformerTestOptions);
  else runTest(objectsOrTest, testOrOptions as Test<T>, options);
}

/** TypeScript accepts an asynchronous function where a result is ignored, so its result is checked. */
type Test<T extends KubernetesObject> = (helpers: InformerTestHelpers<T>) => unknown;

function runTest<T extends KubernetesObject>(
  objects: MarbleObjects<T>,
  test: Test<T>,
  { until = 3_600_000 }: InformerTestOptions = {},
): void {
  const scheduler = new MarbleTestScheduler();
  scheduler.run((helpers) => {
    scheduler.maxFrames = until;
    try {
      const result = test({ ...helpers, scheduler, ...helpersFor(scheduler, objects) });
      if (result instanceof Promise) throw new TypeError('the test is asynchronous; virtual time does not wait for it');
      scheduler.flush();
      scheduler.checkComplete();
    } finally {
      scheduler.unsubscribeAll();
    }
  });
}

function helpersFor<T extends KubernetesObject>(
  scheduler: MarbleTestScheduler,
  objects: MarbleObjects<T>,
): Omit<InformerTestHelpers<T>, keyof RunHelpers | 'scheduler'> {
  const objectsIn = (diagram: string): Notation<unknown> => ({
    expected: expectedObjects(diagram, objects),
    labelOf: (emitted) => labelOfObjects(objects, emitted as ObjectsEmitted<T>),
  });
  return {
    source(diagram, options) {
      const traffic = watchMarbles(diagram, objects, options);
      const log = scheduler.createColdObservable('');
      const recorded = new Observable<WatchEventBatch<T>>((subscriber) => {
        subscriber.add(log.subscribe());
        return traffic.subscribe(subscriber);
      });
      return Object.assign(recorded, { subscriptions: log.subscriptions });
    },
    expectQuery(collection, query, subscription) {
      const subject = `query$(${query.id ?? ''})`;
      const compare = scheduler.expect<unknown>({ subject, stream: collection.query$(query), subscription });
      return { toBe: (diagram, values) => compare(values ? valuesIn(diagram, values) : objectsIn(diagram)) };
    },
    expectObjects(stream, subscription) {
      const compare = scheduler.expect<unknown>({ subject: 'the stream', stream, subscription });
      return { toBe: (diagram) => compare(objectsIn(diagram)) };
    },
    expectStatus({ status$ }, subscription) {
      const compare = scheduler.expect({ subject: 'status$', stream: status$, subscription });
      return { toBe: (diagram) => compare({ expected: expectedStatuses(diagram), labelOf: labelOfStatus }) };
    },
  };
}
