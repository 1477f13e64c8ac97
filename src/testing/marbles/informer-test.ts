import { Observable } from 'rxjs';
import type { RunHelpers, TestScheduler } from 'rxjs/testing';
import type { Collection } from '../../collections/collection.js';
import { collectReads } from '../../collections/reports.js';
import type { Informer } from '../../informer/source-informer.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import type { AnyKubernetesObject, KubernetesObject } from '../../kubernetes/object.js';
import type { Query } from '../../queries/query.js';
import type { WatchEventBatch } from '../../sources/model/watch-event.js';
import {
  expectedObjects,
  labelOfObjects,
  type ObjectsEmitted,
  expectedStatuses,
  labelOfStatus,
} from './expected-emissions.js';
import type { MarbleObjects } from './marble-objects.js';
import { MarbleTestScheduler, valuesIn, type Notation } from './marble-test-scheduler.js';
import { watchMarbles, type WatchMarblesOptions } from './watch-marbles.js';

/** An expectation about a stream of objects or states. Call `toBe` to complete the expectation. */
export interface MarbleExpectation {
  /** Compares the stream with a diagram, when virtual time ends or at `flush()`. */
  readonly toBe: (diagram: string) => void;
}

/** A query, whose answers need not be objects. Call `toBe` to complete the expectation. */
export interface QueryExpectation<R> {
  /** Compares the stream with a diagram of objects, or of `values`. */
  readonly toBe: (diagram: string, values?: Readonly<Record<string, R>>) => void;
}

/** A source made from watch marbles. Like rxjs's `cold`, it records its subscriptions. */
export interface MarbleSource<T> extends Observable<WatchEventBatch<T>> {
  /** The subscriptions so far, for `expectSubscriptions`. */
  readonly subscriptions: ReturnType<RunHelpers['cold']>['subscriptions'];
}

/**
 * The helpers that a test receives: all helpers of rxjs's `TestScheduler.run` (`cold`, `hot`,
 * `flush`, `expectObservable`, `expectSubscriptions`, `time`, `animate`), and the helpers of this
 * library.
 */
export interface InformerTestHelpers<T extends AnyKubernetesObject> extends RunHelpers {
  /**
   * The scheduler of the test, for options that take a scheduler, and for `now()`. Inside the test,
   * rxjs's `asyncScheduler` and the default schedulers of this library have the same virtual time.
   */
  readonly scheduler: TestScheduler;
  /** Returns `watchMarbles(diagram, objects)`, and records its subscriptions. */
  readonly source: (diagram: string, options?: WatchMarblesOptions) => MarbleSource<T>;
  /**
   * Begins an expectation about the emissions of a live query. A diagram without `values` names
   * objects: `(ab)`. With `values`, the diagram has rxjs's grammar: each letter stands for a value.
   * Values are compared deeply.
   *
   * @param collection the collection
   * @param query the query
   * @param subscription when to subscribe and unsubscribe, in rxjs's grammar: `'--^--!'`; default:
   *   from the beginning to the end
   * @example
   * import { bucket, indexByNode, informer } from 'rx-informers';
   * import { bucketSize } from 'rx-informers/store';
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
  /** Expects objects, arrays of objects or `undefined`, as from `byIndex$`, `get$` or a view. */
  readonly expectObjects: (stream: Observable<ObjectsEmitted<T>>, subscription?: string) => MarbleExpectation;
  /** Expects one letter for each state. Does not connect the informer: subscribe to its data. */
  readonly expectStatus: (informer: Pick<Informer<T>, 'status$'>, subscription?: string) => MarbleExpectation;
}

/** Options of `informerTest`. */
export interface InformerTestOptions {
  /**
   * The end of virtual time, in milliseconds; default: one hour. At this time, streams that are
   * still running are unsubscribed. The cost of the test depends on the number of events until
   * then.
   */
  readonly until?: number | undefined;
}

/**
 * Runs a test in virtual time, with rxjs's `TestScheduler.run`. Timers of this library and of rxjs
 * take no real time.
 *
 * Expected diagrams have rxjs's grammar: one character is one frame. `a` is an emission of the
 * object `a`, or of an array with only `a`. `(ab)` is an array of two objects, and `()` is an empty
 * array or `undefined`. `[a(ab)]` is two emissions in one frame. `|` is completion, and `#` is an
 * error. Names and times are compared, versions are not. A group in parentheses is emitted in the
 * frame of its opening parenthesis, and takes as many frames as it has characters.
 *
 * **Guarantees**: works with any test runner. Every stream of an expectation is unsubscribed at the
 * end, also if the test fails.
 *
 * @param objects the objects that the diagrams name; omit them for a test that uses only rxjs's
 *   helpers
 * @param test receives the helpers; must be synchronous, because virtual time does not wait for
 *   promises
 * @param options the end of virtual time
 * @throws `RXI_MARBLE_ASSERTION` with both timelines side by side
 * @throws `RXI_MARBLE_SYNTAX` with the column of the problem
 * @throws `RXI_LIVE_READ` if a function of a derived collection or of an index reads a live
 * collection
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
export function informerTest<T extends AnyKubernetesObject>(
  objects: MarbleObjects<T>,
  test: (helpers: InformerTestHelpers<T>) => void,
  options?: InformerTestOptions,
): void;
export function informerTest(
  test: (helpers: InformerTestHelpers<KubernetesObject>) => void,
  options?: InformerTestOptions,
): void;
export function informerTest<T extends AnyKubernetesObject>(
  objectsOrTest: MarbleObjects<T> | Test<T>,
  testOrOptions?: Test<T> | InformerTestOptions,
  options?: InformerTestOptions,
): void {
  if (typeof objectsOrTest === 'function') runTest({}, objectsOrTest, testOrOptions as InformerTestOptions);
  else runTest(objectsOrTest, testOrOptions as Test<T>, options);
}

/** `unknown`, checked at run time: TypeScript takes an asynchronous function for `void`. */
type Test<T extends AnyKubernetesObject> = (helpers: InformerTestHelpers<T>) => unknown;

function runTest<T extends AnyKubernetesObject>(
  objects: MarbleObjects<T>,
  test: Test<T>,
  { until = 3_600_000 }: InformerTestOptions = {},
): void {
  const scheduler = new MarbleTestScheduler();
  collectReads((reports) => {
    scheduler.run((helpers) => {
      scheduler.maxFrames = until;
      try {
        const result = test({ ...helpers, scheduler, ...helpersFor(scheduler, objects) });
        if (result instanceof Promise)
          throw new TypeError(
            'the test is asynchronous, but virtual time does not wait for promises; make it synchronous',
          );
        scheduler.flush();
        scheduler.checkComplete();
      } catch (cause) {
        // A stale row is the cause of other differences.
        throw reports[0] === undefined ? cause : new RxInformersError('RXI_LIVE_READ', reports[0], { cause });
      } finally {
        scheduler.unsubscribeAll();
      }
      if (reports[0] !== undefined) throw new RxInformersError('RXI_LIVE_READ', reports[0], {});
    });
  });
}

function helpersFor<T extends AnyKubernetesObject>(
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
