import type { Observable } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import type { Collection } from '../../informer/collection.js';
import type { Informer } from '../../informer/informer.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { LabelSelector } from '../../kubernetes/selector.js';
import type { WatchEventBatch } from '../../sources/watch-event.js';
import { MarbleTestScheduler } from './expect/marble-test-scheduler.js';
import { expectedObjects, labelOfObjects, type ObjectsEmitted } from './expect/object-labels.js';
import { expectedStatuses, labelOfStatus } from './expect/status-labels.js';
import type { MarbleObjects } from './marble-objects.js';
import { watchMarbles, type WatchMarblesOptions } from './watch-marbles.js';

/** To be compared with a diagram; the comparison happens when virtual time has run out, or at `flush()`. */
export interface MarbleExpectation {
  readonly toBe: (diagram: string) => void;
}

/** What a test gets: rxjs's helpers, and those that know objects by their names. */
export interface InformerTestHelpers<T extends KubernetesObject> extends RunHelpers {
  /** `watchMarbles` with the objects of the test. */
  readonly source: (diagram: string, options?: WatchMarblesOptions) => Observable<WatchEventBatch<T>>;
  /** One bucket of an informer, an indexer, or whatever is derived from one. */
  readonly expectBuckets: <I extends string>(
    collection: Pick<Collection<T, I>, 'byIndex$'>,
    index: NoInfer<I>,
    value: string,
    subscription?: string,
  ) => MarbleExpectation;
  /** All objects of a collection, or those that a selector matches. */
  readonly expectList: (
    collection: Pick<Collection<T>, 'list$'>,
    selector?: LabelSelector,
    subscription?: string,
  ) => MarbleExpectation;
  /** Any stream of objects, of arrays of them, or of `undefined` for none: `get$`, or your own view. */
  readonly expectObjects: (stream: Observable<ObjectsEmitted<T>>, subscription?: string) => MarbleExpectation;
  /** `status$`, a letter for each state; it observes only, so something else has to make the informer run. */
  readonly expectStatus: (informer: Pick<Informer<T>, 'status$'>, subscription?: string) => MarbleExpectation;
}

export interface InformerTestOptions {
  /**
   * When virtual time ends, in milliseconds; default one hour. What still runs then is unsubscribed, so that a test of something
   * that never ends does. Longer costs as many steps as happen in that time.
   */
  readonly until?: number | undefined;
}

/**
 * Runs a test in virtual time, with rxjs's `TestScheduler.run`: timers of this library and of rxjs cost nothing.
 *
 * Expected diagrams have rxjs's grammar: one character is one frame. `a` is a stream that emits the object `a` (or an array of it
 * alone), `(ab)` an array of two, `()` an empty array or `undefined`, `[a(ab)]` two emissions in one frame, `|` and `#` the end.
 * What is compared is names and times, not versions. A parenthesis happens in the frame in which it opens, and is as wide as it is written.
 *
 * **Guarantees**: independent of the test runner; what the test's expectations subscribed to is unsubscribed in the end, also where it fails.
 * **Errors**: `MarbleAssertionError` with both timelines side by side; `MarbleSyntaxError` with the column; `TypeError` for an
 * expectation that is compared with nothing, and for an asynchronous test, which virtual time would not wait for.
 *
 * @param objects what the diagrams name
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
  // An asynchronous function passes for one that gives nothing.
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
  const expectObjects = (
    subject: string,
    stream: Observable<ObjectsEmitted<T>>,
    subscription: string | undefined,
  ): MarbleExpectation => ({
    toBe: scheduler.expect({
      subject,
      stream,
      labelOf: (emitted) => labelOfObjects(objects, emitted),
      parse: (diagram) => expectedObjects(diagram, objects),
      subscription,
    }),
  });
  return {
    source: (diagram, options) => watchMarbles(diagram, objects, options),
    expectBuckets: (collection, index, value, subscription) =>
      expectObjects(`byIndex$(${show(index)}, ${show(value)})`, collection.byIndex$(index, value), subscription),
    expectList: (collection, selector, subscription) =>
      expectObjects(`list$(${show(selector)})`, collection.list$(selector), subscription),
    expectObjects: (stream, subscription) => expectObjects('the stream', stream, subscription),
    expectStatus: ({ status$ }, subscription) => ({
      toBe: scheduler.expect({
        subject: 'status$',
        stream: status$,
        labelOf: labelOfStatus,
        parse: expectedStatuses,
        subscription,
      }),
    }),
  };
}

function show(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
