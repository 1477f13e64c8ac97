import { createIndexer, informer, addEventHandler, type Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Observable, of, Subject, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { a1, a2, a4, aPod, b1, type Pod } from '../fixtures/pods.js';
import { busyScheduler } from '../informer/support/busy-scheduler.js';

const { deleted, listed, modified } = watchEvent;

/** Collections that have content when the handler is added, each with a way to change it. */
const collections: readonly (readonly [string, (scheduler: SchedulerLike) => Collection<Pod>])[] = [
  [
    'an informer that has synced',
    (scheduler) => {
      const source = new Subject<WatchEvent<Pod>>();
      const pods = informer(source, { scheduler });
      pods.connect();
      source.next(listed([a1, b1], '1'));
      return pods;
    },
  ],
  [
    'an informer whose source lists at once',
    (scheduler) =>
      informer(new Observable<WatchEvent<Pod>>((subscriber) => subscriber.next(listed([a1, b1], '1'))), { scheduler }),
  ],
  [
    'an informer whose source lists and completes at once',
    (scheduler) => informer(of(listed([a1, b1], '1')), { scheduler }),
  ],
  [
    'a derived collection',
    (scheduler) => derived.filter(informer(of(listed([a1, b1], '1')), { scheduler }), () => true),
  ],
  [
    'an indexer',
    (scheduler) => {
      const indexer = createIndexer((pod: Pod) => pod.metadata.name, {}, { scheduler });
      indexer.replace([a1, b1]);
      return indexer;
    },
  ],
];

describe.each(collections)('I5: a handler of %s', (_name, make) => {
  it('may remove itself in its first call, because its registration already exists', () => {
    const scheduler = new VirtualTimeScheduler();
    const collection = make(scheduler);
    const calls: string[] = [];
    const errors: unknown[] = [];
    collection.errors$.subscribe((error) => errors.push(error));
    const registration = addEventHandler(collection, {
      onAdd: (_, { key }) => {
        calls.push(key);
        registration.unsubscribe();
      },
    });
    expect(calls).toEqual([]);
    scheduler.flush();
    expect([calls, errors, registration.hasSynced]).toEqual([['a'], [], false]);
  });

  it('receives the content in virtual time without a wait, and has then synced', () => {
    const scheduler = new VirtualTimeScheduler();
    const calls: string[] = [];
    const registration = addEventHandler(make(scheduler), { onAdd: (_, { key }) => calls.push(key) });
    expect([calls, registration.hasSynced]).toEqual([[], false]);
    scheduler.flush();
    expect([calls, registration.hasSynced, scheduler.now()]).toEqual([['a', 'b'], true, 0]);
  });

  it('is never called if it is removed before', () => {
    const scheduler = new VirtualTimeScheduler();
    const calls: string[] = [];
    addEventHandler(make(scheduler), { onAdd: (_, { key }) => calls.push(key) }).unsubscribe();
    scheduler.flush();
    expect([calls, scheduler.actions]).toEqual([[], []]);
  });
});

it('G1: changes between adding a handler and its first call follow the content, in order', () => {
  const scheduler = new VirtualTimeScheduler();
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source, { scheduler });
  pods.connect();
  source.next(listed([a1, b1], '1'));
  const calls: string[] = [];
  addEventHandler(pods, {
    onAdd: (_, { key, isInInitialList }) => calls.push(`add ${key} ${isInInitialList}`),
    onUpdate: (_, pod) => calls.push(`update ${pod.metadata.name}`),
    onDelete: (_, { key }) => calls.push(`delete ${key}`),
  });
  source.next(modified(a2));
  source.next(deleted(a4));
  expect(calls).toEqual([]);
  scheduler.flush();
  expect(calls).toEqual(['add a true', 'add b true', 'update a', 'delete a']);
  source.next(modified(a1));
  expect(calls.at(-1)).toBe('add a false');
  pods.stop();
});

it('G1: a handler that was added just before the end of a collection receives the content first', () => {
  const scheduler = new VirtualTimeScheduler();
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source, { scheduler });
  pods.connect();
  source.next(listed([a1], '1'));
  const calls: string[] = [];
  const registration = addEventHandler(pods, { onAdd: (_, { key }) => calls.push(key) });
  source.complete();
  expect([calls, registration.hasSynced]).toEqual([['a'], true]);
  scheduler.flush();
  expect(calls).toEqual(['a']);
});

it('G3: a handler that was added before the first list is called in the round of the commit', () => {
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source);
  const calls: string[] = [];
  addEventHandler(pods, { onAdd: (_, { key }) => calls.push(key) });
  source.next(listed([a1], '1'));
  expect(calls).toEqual(['a']);
  pods.stop();
});

describe('addEventHandler with a `where` function that throws', () => {
  it('G4: reports an RXI_HANDLER, skips that object, and calls the handler for all others', () => {
    const source = new Subject<readonly WatchEvent<Pod>[]>();
    const pods = informer<Pod>(source, { linger: 0 });
    const errors: unknown[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    const seen: string[] = [];
    addEventHandler(
      pods,
      { onAdd: ({ metadata }) => seen.push(metadata.name) },
      {
        where: ({ metadata }) => {
          if (metadata.name === 'bad') throw new Error('wrong');
          return true;
        },
      },
    );
    source.next([
      watchEvent.listed(
        [{ ...aPod({ name: 'bad', version: 1 }), kind: 'Pod' }, aPod({ name: 'good', version: 2 })],
        '2',
      ),
    ]);
    source.next([watchEvent.added(aPod({ name: 'later', version: 3 }))]);

    expect(seen).toEqual(['good', 'later']);
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_HANDLER', handler: 'where', key: 'bad' })]);
    expect(String(errors[0])).toBe('RXI_HANDLER: where threw for Pod bad: wrong');
  });
});

describe('addEventHandler with a `where` function that removes the registration', () => {
  it('I5: calls neither the function nor the handler again, also for the other changes of the commit', () => {
    const source = new Subject<readonly WatchEvent<Pod>[]>();
    const pods = informer<Pod>(source, { linger: 0 });
    const errors: unknown[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    const calls: string[] = [];
    const registration = addEventHandler(
      pods,
      { onAdd: (_, { key }) => calls.push(`add ${key}`), onDelete: (_, { key }) => calls.push(`delete ${key}`) },
      {
        where: ({ metadata: { name } }) => {
          calls.push(`where ${name}`);
          if (name === 'c') registration.unsubscribe();
          return true;
        },
      },
    );
    const others: string[] = [];
    addEventHandler(pods, { onAdd: (_, { key }) => others.push(key) });
    source.next([listed([a1], '1')]);
    source.next(['b', 'c', 'd'].map((name) => watchEvent.added(aPod({ name, version: 2 }))));
    source.next([deleted(a4)]);

    expect(calls).toEqual(['where a', 'add a', 'where b', 'where c']);
    expect(others).toEqual(['a', 'b', 'c', 'd']);
    expect(errors).toEqual([]);
    pods.stop();
  });

  it('I5: may do so for cached objects, because the function is not called before the registration exists', () => {
    const scheduler = new VirtualTimeScheduler();
    const pods = createIndexer((pod: Pod) => pod.metadata.name, {}, { scheduler });
    const errors: unknown[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    pods.replace([a1, b1]);
    const calls: string[] = [];
    const registration = addEventHandler(
      pods,
      { onAdd: (_, { key }) => calls.push(`add ${key}`) },
      {
        where: ({ metadata: { name } }) => {
          calls.push(`where ${name}`);
          registration.unsubscribe();
          return true;
        },
      },
    );
    expect(calls).toEqual([]);
    scheduler.flush();
    expect([calls, errors, registration.hasSynced]).toEqual([['where a'], [], false]);
  });
});

it('G1: a change that a handler causes while it receives the first content follows the changes before it', () => {
  const scheduler = new VirtualTimeScheduler();
  const pods = createIndexer((pod: Pod) => pod.metadata.name, {}, { scheduler });
  pods.replace([a1]);
  const calls: string[] = [];
  addEventHandler(pods, {
    onAdd: (_, { key }) => {
      calls.push(key);
      if (key === 'a') pods.add(aPod({ name: 'c', version: 3 }));
    },
  });
  pods.add(b1);
  scheduler.flush();
  expect(calls).toEqual(['a', 'b', 'c']);
});

it('G1: a resync while a commit waits for a derived collection delivers no object before its onAdd', () => {
  const scheduler = busyScheduler(5);
  const pods = createIndexer((pod: Pod) => pod.metadata.name, {}, { scheduler, freeze: false });
  pods.replace([a1]);
  derived.map(pods, (pod) => pod.metadata.name).connect();
  const calls: string[] = [];
  const registration = addEventHandler(
    pods,
    {
      onAdd: (_, { key }) => calls.push(`add ${key}`),
      onUpdate: (_previous, _pod, { key, isResync }) => calls.push(`${isResync ? 'resync' : 'update'} ${key}`),
    },
    { resyncPeriod: 1 },
  );
  while (!registration.hasSynced) scheduler.runNext();
  calls.length = 0;
  pods.replace([a1, ...Array.from({ length: 1000 }, (_, number) => aPod({ name: `p${number}`, version: 2 }))]);
  scheduler.runNext();
  expect([pods.list().length, calls]).toEqual([1001, ['resync a']]);
  while (calls.length < 1001) scheduler.runNext();
  expect(calls.find((call) => call.endsWith(' p0'))).toBe('add p0');
});
