import { type Observable, Subscription, timeout } from 'rxjs';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { type AnyKubernetesObject } from '../../kubernetes/object.js';
import type { Source } from '../../sources/model/source.js';
import { toBatch, type WatchEvent } from '../../sources/model/watch-event.js';
import { type ConformanceOptions, expectSame, expectTrue, testRunner } from './test-runner.js';

/** A source to test, and the means to change the objects that it follows. */
export interface SourceUnderTest<T extends AnyKubernetesObject> {
  /** The source. It must emit the whole state to each subscriber. */
  readonly source: Source<T>;
  /** Returns the objects in the end, to be compared by key and resourceVersion. */
  expected(): readonly T[];
  /** Changes an object behind the source; called several times. Omit it if none can change. */
  change?(step: number): void | Promise<void>;
  /** Called after each test. */
  stop?(): void | Promise<void>;
}

/** How long the suite waits for each emission, in milliseconds. */
const patience = 15_000;

/** The number of changes that each test makes. */
const changes = 5;

/**
 * Defines a test suite that every `Source` must pass.
 *
 * It tests that events are well-formed, that the whole state comes before changes, that each
 * subscriber receives the whole state, that a subscriber receives nothing after it unsubscribes,
 * and that emitted objects are never changed.
 *
 * The suite has its own assertions. It uses the global `describe` and `it` unless `options`
 * contains other functions. It runs in real time.
 *
 * @param makeSource returns a new source for each test
 * @param options the name in the report, and the test runner
 * @throws TypeError if there is no `describe` or no `it`
 * @example
 * import { fromEvents } from 'rx-informers';
 * import { watchEvent } from 'rx-informers/store';
 * import { aPod, describeSourceConformance } from 'rx-informers/testing';
 *
 * const items = [aPod({ name: 'a' }), aPod({ name: 'b' })];
 * describeSourceConformance(
 *   () => ({ source: fromEvents([watchEvent.listed(items)]), expected: () => items }),
 *   { name: 'my source' },
 * );
 */
export function describeSourceConformance<T extends AnyKubernetesObject>(
  makeSource: () => SourceUnderTest<T> | Promise<SourceUnderTest<T>>,
  options: ConformanceOptions = {},
): void {
  const { describe, it } = testRunner(options);
  const test = (name: string, body: (made: SourceUnderTest<T>) => Promise<void>): void => {
    it(name, async () => {
      const made = await makeSource();
      try {
        await body(made);
      } finally {
        await made.stop?.();
      }
    });
  };
  describe(`${options.name ?? 'the source'} is a Source`, () => {
    test('emits well-formed events, the state before its changes, and ends with the expected objects', async (made) => {
      const followed = await follow(made);
      expectSame('complaints', followed.complaints, []);
    });

    test('emits the whole state to each subscriber, also to a late one', async (made) => {
      const first = await follow(made);
      const [second, third] = await Promise.all([
        follow({ ...made, change: nothing }),
        follow({ ...made, change: nothing }),
      ]);
      expectSame(
        'complaints',
        [first, second, third].flatMap(({ complaints }) => complaints),
        [],
      );
    });

    test('emits nothing to a subscriber that has unsubscribed', async (made) => {
      const received: number[] = [];
      await new Promise<void>((resolve, reject) => {
        const subscription = new Subscription();
        const source: Observable<unknown> = made.source;
        const inner = source.subscribe({
          next: () => {
            received.push(received.length);
            // A source may emit before `subscribe` has returned.
            queueMicrotask(() => {
              subscription.unsubscribe();
              resolve();
            });
          },
          error: reject,
          complete: resolve,
        });
        subscription.add(inner);
      });
      const before = [...received];
      for (let step = 0; step < changes; step += 1) await made.change?.(step);
      await follow({ ...made, change: nothing });
      expectSame('what was emitted', received, before);
    });

    test('does not change objects that it has emitted', async (made) => {
      const followed = await follow(made);
      expectTrue('something was handed out', followed.texts.size > 0);
      for (const [object, text] of followed.texts) expectSame('an object', JSON.stringify(object), text);
    });
  });
}

function nothing(): void {
  // With this `change`, the test follows the source without changing objects.
}

/** Makes the changes after the first list; resolves when exactly the expected objects are held. */
async function follow<T extends AnyKubernetesObject>(made: SourceUnderTest<T>): Promise<FollowedEvents<T>> {
  const followed = new FollowedEvents<T>();
  let lastChange = made.change === undefined || made.change === nothing ? changes : 0;
  let changing: Promise<void> | undefined;
  const makeChanges = async (): Promise<void> => {
    for (; lastChange < changes; lastChange += 1) await made.change?.(lastChange);
  };
  const isDone = (): boolean =>
    lastChange >= changes && objectsText(followed.objects()) === objectsText(made.expected());
  await new Promise<void>((resolve, reject) => {
    const source: Observable<WatchEvent<T> | readonly WatchEvent<T>[]> = made.source;
    const subscription = new Subscription();
    let hasEnded = false;
    const inner = source.pipe(timeout({ each: patience })).subscribe({
      next: (emitted) => {
        followed.take(toBatch(emitted));
        if (followed.hasListed) changing ??= makeChanges().then(check, reject);
        queueMicrotask(check);
      },
      error: reject,
      complete: () => {
        hasEnded = true;
        check();
      },
    });
    subscription.add(inner);
    function check(): void {
      if (!isDone()) {
        if (!hasEnded) return;
        reject(
          new Error(
            `the source ended with ${objectsText(followed.objects())} instead of ${objectsText(made.expected())}`,
          ),
        );
        return;
      }
      subscription.unsubscribe();
      resolve();
    }
  });
  return followed;
}

function objectsText(objects: readonly AnyKubernetesObject[]): string {
  return objects
    .map((object) => `${metaNamespaceKey(object)}@${object.metadata?.resourceVersion ?? ''}`)
    .sort()
    .join(' ');
}

/** Holds the objects of a source, and records complaints about malformed events. */
class FollowedEvents<T extends AnyKubernetesObject> {
  readonly complaints: string[] = [];
  /** Each emitted object, and its JSON at that time. */
  readonly texts = new Map<T, string>();
  readonly #objects = new Map<string, { readonly object: T; readonly partition: string | undefined }>();
  readonly #listed = new Set<string | undefined>();

  get hasListed(): boolean {
    return this.#listed.size > 0;
  }

  objects(): readonly T[] {
    return [...this.#objects.values()].map(({ object }) => object);
  }

  take(batch: readonly WatchEvent<T>[]): void {
    for (const event of batch) this.#takeOne(event);
  }

  #takeOne(event: WatchEvent<T>): void {
    const { partition } = event;
    switch (event.type) {
      case 'LISTED': {
        this.#listed.add(partition);
        const missing = new Set(event.missing);
        for (const [key, own] of this.#objects)
          if (own.partition === partition && !missing.has(key)) this.#objects.delete(key);
        const keys = event.items.map((object) => this.#keep(object, partition));
        if (new Set(keys).size < keys.length)
          this.complaints.push(`LISTED contains an object twice: ${keys.join(' ')}`);
        if (typeof event.resourceVersion !== 'string') this.complaints.push('LISTED without a resourceVersion');
        return;
      }
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        if (!this.#listed.has(partition)) this.complaints.push(`${event.type} before the state that it changes`);
        if (event.type === 'DELETED') this.#objects.delete(this.#keyOf(event.object, partition));
        else this.#keep(event.object, partition);
        return;
      case 'BOOKMARK':
        if (typeof event.resourceVersion !== 'string') this.complaints.push('BOOKMARK without a resourceVersion');
        return;
      case 'ERROR':
        if (!(event.error instanceof Error)) this.complaints.push('ERROR without an Error');
        return;
      case 'STATUS':
        if (typeof event.status.state !== 'string') this.complaints.push('STATUS without a state');
        return;
    }
    this.complaints.push(`not an event of a source: ${JSON.stringify(event satisfies never)}`);
  }

  #keep(object: T, partition: string | undefined): string {
    const key = this.#keyOf(object, partition);
    this.texts.set(object, JSON.stringify(object));
    // An object without a key was already reported.
    if (key !== '') this.#objects.set(key, { object, partition });
    return key;
  }

  #keyOf(object: T, partition: string | undefined): string {
    try {
      return partition === undefined ? metaNamespaceKey(object) : `${partition}|${metaNamespaceKey(object)}`;
    } catch (error) {
      this.complaints.push(`an object without a key: ${String(error)}`);
      return '';
    }
  }
}
