import type { Observable } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import type { Collection } from '../../informer/collection.js';
import type { Informer } from '../../informer/informer.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { LabelSelector } from '../../kubernetes/selector.js';
import type { WatchEventBatch } from '../../sources/model/watch-event.js';
import { allObjects, matching } from '../../queries/object-queries.js';
import { bucket } from '../../queries/bucket-queries.js';
import type { Query } from '../../queries/query.js';
import { MarbleTestScheduler, valuesIn, type Notation } from './marble-test-scheduler.js';
import { expectedObjects, labelOfObjects, type ObjectsEmitted, expectedStatuses, labelOfStatus } from './labels.js';
import type { MarbleObjects } from './marble-objects.js';
import { watchMarbles, type WatchMarblesOptions } from './watch-marbles.js';

/** An expectation that waits for its diagram. */
export interface MarbleExpectation {
  /** Compares the stream with a diagram, when virtual time has run out or at `flush()`. */
  readonly toBe: (diagram: string) => void;
}

/** An expectation of a query, which may have other values than objects. */
export interface QueryExpectation<R> {
  /** Compares the stream with a diagram of objects, or of `values`. */
  readonly toBe: (diagram: string, values?: Readonly<Record<string, R>>) => void;
}

/** The helpers that a test receives: those of rxjs, and those that know the objects by name. */
export interface InformerTestHelpers<T extends KubernetesObject> extends RunHelpers {
  /** Returns `watchMarbles(diagram, objects)` with the objects of the test. */
  readonly source: (diagram: string, options?: WatchMarblesOptions) => Observable<WatchEventBatch<T>>;
  /**
   * Expects what a live query emits. A diagram without `values` names objects: `(ab)`. With `values`
   * it has rxjs's grammar, each letter stands for a value, and values are compared deeply.
   *
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
  /** Expects what one bucket of an index emits: short for `expectQuery(collection, bucket(index, value))`. */
  readonly expectBuckets: <I extends string>(
    collection: Pick<Collection<T, I>, 'query$'>,
    index: NoInfer<I>,
    value: string,
    subscription?: string,
  ) => MarbleExpectation;
  /** Expects what `expectQuery` does for all objects of a collection, or for those that a selector matches. */
  readonly expectList: (
    collection: Pick<Collection<T>, 'query$'>,
    selector?: LabelSelector,
    subscription?: string,
  ) => MarbleExpectation;
  /** Expects what any stream of objects, of arrays of objects, or of `undefined` emits: `get$`, or your own view. */
  readonly expectObjects: (stream: Observable<ObjectsEmitted<T>>, subscription?: string) => MarbleExpectation;
  /** Expects the states of `status$`, a letter for each. It only observes: something else must subscribe to the informer's data. */
  readonly expectStatus: (informer: Pick<Informer<T>, 'status$'>, subscription?: string) => MarbleExpectation;
}

/** Options of `informerTest`. */
export interface InformerTestOptions {
  /**
   * When virtual time ends, in milliseconds; default one hour. Streams that are still running are unsubscribed then. The cost
   * is that of the events in this time.
   */
  readonly until?: number | undefined;
}

/**
 * Runs a test in virtual time, with rxjs's `TestScheduler.run`. Timers of this library and of rxjs take no real time.
 *
 * Expected diagrams have rxjs's grammar: one character is one frame. `a` is a stream that emits the object `a` (or an array of it
 * alone), `(ab)` an array of two, `()` an empty array or `undefined`, `[a(ab)]` two emissions in one frame, `|` and `#` the end.
 * Names and times are compared, versions are not. A parenthesis happens in the frame in which it opens, and is as wide as it is written.
 *
 * **Guarantees**: works with any test runner; every stream of an expectation is unsubscribed in the end, also if the test fails.
 *
 * @param objects the objects that the diagrams name
 * @param test receives the helpers; must be synchronous, because virtual time does not wait for promises
 * @throws MarbleAssertionError with both timelines side by side
 * @throws MarbleSyntaxError with the column
 * @throws TypeError for an expectation without a diagram, and for an asynchronous test
 * @example
 * import { indexByNode, informer } from 'rx-informers';
 * import { aPod, informerTest } from 'rx-informers/testing';
 *
 * const a = aPod({ name: 'a', node: 'n1' });
 * const b = aPod({ name: 'b', node: 'n1' });
 *
 * informerTest({ a, b }, ({ source, expectBuckets }) => {
 *   const pods = informer(source('-L(a)--A(b)--D(a)|'), { indexers: { node: indexByNode } });
 *   expectBuckets(pods, 'node', 'n1').toBe('-a-----(ab)--b---|');
 * });
 */
export function informerTest<T extends KubernetesObject>(
  objects: MarbleObjects<T>,
  test: (helpers: InformerTestHelpers<T>) => void,
  options: InformerTestOptions = {},
): void {
  const { until = 3_600_000 } = options;
  const scheduler = new MarbleTestScheduler();
  // TypeScript accepts an asynchronous function where one without a result is expected.
  const mayBeAsynchronous: (helpers: InformerTestHelpers<T>) => unknown = test;
  scheduler.run((helpers) => {
    scheduler.maxFrames = until;
    try {
      const result = mayBeAsynchronous({ ...helpers, ...helpersFor(scheduler, objects) });
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
): Omit<InformerTestHelpers<T>, keyof RunHelpers> {
  const objectsIn = (diagram: string): Notation<unknown> => ({
    expected: expectedObjects(diagram, objects),
    labelOf: (emitted) => labelOfObjects(objects, emitted as ObjectsEmitted<T>),
  });
  const expectQuery = <R, I extends string>(
    collection: Pick<Collection<T, I>, 'query$'>,
    query: Query<T, R, I>,
    subscription: string | undefined,
    subject = `query$(${query.id ?? ''})`,
  ): QueryExpectation<R> => {
    const compare = scheduler.expect<unknown>({ subject, stream: collection.query$(query), subscription });
    return { toBe: (diagram, values) => compare(values ? valuesIn(diagram, values) : objectsIn(diagram)) };
  };
  return {
    source: (diagram, options) => watchMarbles(diagram, objects, options),
    expectQuery: (collection, query, subscription) => expectQuery(collection, query, subscription),
    expectBuckets: (collection, index, value, subscription) =>
      expectQuery(collection, bucket(index, value), subscription, `byIndex$(${show(index)}, ${show(value)})`),
    expectList: (collection, selector, subscription) =>
      expectQuery(
        collection,
        selector === undefined ? allObjects() : matching(selector),
        subscription,
        `list$(${show(selector)})`,
      ),
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

function show(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
