import fc from 'fast-check';
import { addEventHandler, createIndexer, informer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { watchEvent } from 'rx-informers/store';
import { randomFromSeed } from 'rx-informers/testing';
import { Subject, VirtualTimeScheduler } from 'rxjs';
import { a1, aPod, b1, type Pod } from '../fixtures/pods.js';

const { listed } = watchEvent;

describe('I9: a handler that waits for its first call', () => {
  it.each(['informer', 'derived collection'])('is not called after its %s was stopped', (kind) => {
    const scheduler = new VirtualTimeScheduler();
    const source = new Subject<ReturnType<typeof listed<Pod>>>();
    const pods = informer(source, { scheduler, linger: 0 });
    const collection = kind === 'informer' ? pods : derived.filter(pods, () => true, { linger: 0 });
    collection.connect();
    source.next(listed([a1, b1], '1'));
    const calls: string[] = [];
    const ends: string[] = [];
    const registration = addEventHandler(collection, { onAdd: (_, { key }) => calls.push(key) });
    registration.synced$.subscribe({ next: () => ends.push('synced'), complete: () => ends.push('complete') });
    collection.stop();
    expect(ends).toEqual(['complete']);
    collection.connect();
    source.next(listed([a1], '2'));
    scheduler.flush();
    expect([calls, registration.hasSynced]).toEqual([[], false]);
  });

  it('is not called for the rest of a commit when a call stops the informer', () => {
    const scheduler = new VirtualTimeScheduler();
    const source = new Subject<ReturnType<typeof listed<Pod>>>();
    const pods = informer(source, { scheduler });
    const calls: string[] = [];
    addEventHandler(pods, {
      onAdd: (_, { key }) => {
        calls.push(key);
        pods.stop();
      },
    });
    source.next(listed([a1, b1], '1'));
    scheduler.flush();
    expect(calls).toEqual(['a']);
  });
});

/** An indexer, and a handler whose calls take 5 ms each. */
function slowHandler(options: Parameters<typeof addEventHandler<Pod>>[2] = {}) {
  const scheduler = new VirtualTimeScheduler();
  const pods = createIndexer<Pod>(
    ({ metadata }) => metadata.name,
    {},
    { scheduler, onSlowSubscriber: () => undefined },
  );
  const calls: string[] = [];
  const blocks: number[] = [];
  const say = (type: string, pod: Pod, previous?: Pod): void => {
    scheduler.frame += 5;
    calls.push(`${type} ${previous === undefined ? '' : `${versionOf(previous)}→`}${versionOf(pod)}`);
  };
  const registration = addEventHandler(
    pods,
    {
      onAdd: (pod) => say('add', pod),
      onUpdate: (previous, pod, { isResync }) => say(isResync ? 'resync' : 'update', pod, previous),
      onDelete: (pod) => say('delete', pod),
    },
    options,
  );
  /** Runs all tasks, and notes for how long each of them blocks. */
  const flush = (): void => {
    while (scheduler.actions.length > 0) {
      const [next] = scheduler.actions.splice(0, 1);
      const began = scheduler.frame;
      next?.execute(undefined, 0);
      blocks.push(scheduler.frame - began);
    }
  };
  return { pods, calls, blocks, registration, scheduler, flush };
}

const versionOf = ({ metadata: { name, resourceVersion = '' } }: Pod): string => `${name}${resourceVersion}`;
const pod = (name: string, version: number, uid = 'u1'): Pod => aPod({ name, uid, version });

describe('a handler that is slower than the changes', () => {
  it('is called in slices, in the order of the changes, and reads show the newest state meanwhile', () => {
    const { pods, calls, blocks, registration, flush } = slowHandler();
    pods.replace(['a', 'b', 'c', 'd', 'e'].map((name) => pod(name, 1)));
    expect(calls).toEqual(['add a1', 'add b1']);
    pods.update(pod('a', 2));
    pods.delete('b');
    expect([calls.length, pods.get('a')?.metadata.resourceVersion, registration.hasSynced]).toEqual([2, '2', false]);
    flush();
    expect(calls.slice(2)).toEqual(['add c1', 'add d1', 'add e1', 'update a1→a2', 'delete b1']);
    expect([Math.max(...blocks), registration.hasSynced]).toEqual([10, true]);
  });

  it('is not called any more after it was removed during a pause', () => {
    const { pods, calls, registration, scheduler, flush } = slowHandler();
    pods.replace(['a', 'b', 'c', 'd', 'e'].map((name) => pod(name, 1)));
    registration.unsubscribe();
    flush();
    expect([calls, scheduler.actions]).toEqual([['add a1', 'add b1'], []]);
  });

  it('receives the newest state of each object with coalesce, and all additions and deletions', () => {
    const { pods, calls, flush } = slowHandler({ coalesce: true });
    pods.replace([pod('a', 1), pod('b', 1), pod('c', 1)]);
    for (const version of [2, 3, 4]) for (const name of ['a', 'b', 'c']) pods.update(pod(name, version));
    pods.delete('b');
    pods.add(pod('b', 5, 'u2'));
    pods.update(pod('b', 6, 'u2'));
    pods.resync();
    flush();
    expect(calls).toEqual(['add a1', 'add b1', 'add c4', 'update a1→a4', 'update b1→b4', 'delete b4', 'add b6']);
  });

  it.each([true, false])('with coalesce: %s, receives calls that together are the content', (coalesce) => {
    const histories = fc.property(fc.nat(), (seed) => {
      const random = randomFromSeed(seed);
      const any = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
      const scheduler = new VirtualTimeScheduler();
      const pods = createIndexer<Pod>(
        ({ metadata }) => metadata.name,
        {},
        { scheduler, onSlowSubscriber: () => undefined },
      );
      const received = new Map<string, Pod>();
      const complaints: string[] = [];
      const announced = { added: 0, updated: 0, deleted: 0 };
      const calls = { added: 0, updated: 0, deleted: 0 };
      const expectReceived = (key: string, expected: Pod | undefined): void => {
        if (received.get(key) !== expected) complaints.push(key);
        scheduler.frame += Math.floor(random() * 9);
      };
      pods.changes$.subscribe(({ reason, changes }) => {
        for (const { type } of changes) if (reason !== 'resync') announced[type]++;
      });
      addEventHandler(
        pods,
        {
          onAdd: (object, { key }) => {
            calls.added++;
            expectReceived(key, undefined);
            received.set(key, object);
          },
          onUpdate: (previous, object, { key, isResync }) => {
            if (!isResync) calls.updated++;
            expectReceived(key, previous);
            received.set(key, object);
          },
          onDelete: (_, { key }) => {
            calls.deleted++;
            if (!received.delete(key)) complaints.push(key);
          },
        },
        { coalesce },
      );
      for (let step = 1; step <= 60; step++) {
        const name = any(['a', 'b', 'c', 'd']);
        const kind = random();
        if (kind < 0.6) pods.update(pod(name, step, any(['u1', 'u1', 'u1', 'u2'])));
        else if (kind < 0.75) pods.delete(name);
        else if (kind < 0.8) pods.resync();
        else if (kind < 0.85) pods.replace(['a', 'c'].map((each) => pod(each, step)));
        else scheduler.actions.shift()?.execute(undefined, 0);
      }
      while (scheduler.actions.length > 0) scheduler.actions.shift()?.execute(undefined, 0);
      expect(complaints).toEqual([]);
      expect([...received].sort()).toEqual(pods.keys().map((key) => [key, pods.get(key)]));
      expect([calls.added, calls.deleted]).toEqual([announced.added, announced.deleted]);
      expect(coalesce ? calls.updated <= announced.updated : calls.updated === announced.updated).toBe(true);
    });
    fc.assert(histories, { numRuns: 30 });
  });
});
