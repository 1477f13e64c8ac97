import { Subscription, timeout, type Observable } from 'rxjs';
import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Source } from '../../sources/source.js';
import { toBatch } from '../../sources/to-batch.js';
import type { WatchEvent } from '../../sources/watch-event.js';
import type { ConformanceOptions } from './collection-conformance.js';
import { expectSame, expectTrue } from './expectation.js';
import { FollowedEvents } from './followed-events.js';
import { testRunner } from './test-runner.js';

/** A source with something to list, and the means to change what it follows. */
export interface SourceUnderTest<T extends KubernetesObject> {
  /** Gives the whole state to each of its subscribers. */
  readonly source: Source<T>;
  /** What a subscriber has to hold by and by; compared by key and resourceVersion. */
  expected(): readonly T[];
  /** Creates, changes or deletes something behind the source; called a few times. Leave it out where nothing can be changed (a recording). */
  change?(step: number): void | Promise<void>;
  /** Called after each test. */
  stop?(): void | Promise<void>;
}

/** How long the suite waits for a source to say what it has to, in milliseconds. */
const patience = 15_000;

/** How many changes each test makes. */
const changes = 5;

/**
 * A test suite that every `Source` passes: events are well-formed, the state comes before its changes and whole, each subscriber gets it,
 * who leaves is told nothing more, and what was handed out is not changed.
 *
 * It brings its own assertions, and takes `describe` and `it` from the test runner's globals where they are not given. Real time.
 *
 * @param makeSource a new one for each test
 * @example
 * import { fromEvents, listed } from 'rx-informers';
 * import { aPod, describeSourceConformance } from 'rx-informers/testing';
 *
 * const items = [aPod({ name: 'a' }), aPod({ name: 'b' })];
 * describeSourceConformance(() => ({ source: fromEvents([listed(items)]), expected: () => items }), { name: 'my source' });
 */
export function describeSourceConformance<T extends KubernetesObject>(
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
    test('emits well-formed events, the state before its changes, and arrives at what there is', async (made) => {
      const followed = await follow(made);
      expectSame('complaints', followed.complaints, []);
    });

    test('gives the whole state to each subscriber, also to one that comes later', async (made) => {
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

    test('says nothing to a subscriber that has left', async (made) => {
      const told: number[] = [];
      await new Promise<void>((resolve, reject) => {
        const subscription = new Subscription();
        const source: Observable<unknown> = made.source;
        const inner = source.subscribe({
          next: () => {
            told.push(told.length);
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
      const before = [...told];
      for (let step = 0; step < changes; step += 1) await made.change?.(step);
      await follow({ ...made, change: nothing });
      expectSame('what was said', told, before);
    });

    test('does not change what it has handed out', async (made) => {
      const followed = await follow(made);
      expectTrue('something was handed out', followed.texts.size > 0);
      for (const [object, text] of followed.texts) expectSame('an object', JSON.stringify(object), text);
    });
  });
}

function nothing(): void {
  // The source is followed as it is.
}

/** Subscribes, makes the changes once the state is there, and resolves when everything expected has arrived. */
async function follow<T extends KubernetesObject>(made: SourceUnderTest<T>): Promise<FollowedEvents<T>> {
  const followed = new FollowedEvents<T>();
  let lastChange = made.change === undefined || made.change === nothing ? changes : 0;
  let changing: Promise<void> | undefined;
  const makeChanges = async (): Promise<void> => {
    for (; lastChange < changes; lastChange += 1) await made.change?.(lastChange);
  };
  const isDone = (): boolean => lastChange >= changes && textOf(followed.objects()) === textOf(made.expected());
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
        reject(new Error(`the source ended with ${textOf(followed.objects())} instead of ${textOf(made.expected())}`));
        return;
      }
      subscription.unsubscribe();
      resolve();
    }
  });
  return followed;
}

function textOf(objects: readonly KubernetesObject[]): string {
  return objects
    .map((object) => `${metaNamespaceKey(object)}@${object.metadata?.resourceVersion ?? ''}`)
    .sort()
    .join(' ');
}
