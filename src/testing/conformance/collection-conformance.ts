import { config } from 'rxjs';
import { describeAgreement, dataStreams, Replica } from './collection-agreement.js';
import {
  conformanceObject as object,
  type CollectionUnderTest,
  type ConformanceObject,
  textOfAll,
  textOfChanges,
} from './collection-under-test.js';
import { describeQueries } from './query-agreement.js';
import { expectSame, expectTrue, testRunner, type ConformanceOptions, type TestRunner } from './test-runner.js';

/**
 * Defines a test suite that every `Collection` must pass: your own cache, or a derived collection.
 *
 * The suite has its own assertions. It uses the global `describe` and `it` unless `options`
 * contains other functions.
 *
 * @param makeCollection returns a new collection for each test
 * @param options the name in the report, and the test runner
 * @throws TypeError if there is no `describe` or no `it`
 * @example
 * import { createIndexer } from 'rx-informers';
 * import { metaNamespaceKey } from 'rx-informers/store';
 * import { describeCollectionConformance, type ConformanceObject } from 'rx-informers/testing';
 *
 * describeCollectionConformance(
 *   () => {
 *     const collection = createIndexer<ConformanceObject, 'node'>(metaNamespaceKey, {
 *       node: ({ spec }) => spec.nodeName,
 *     });
 *     return {
 *       collection,
 *       replace: (objects) => collection.replace(objects),
 *       upsert: (object) => collection.update(object),
 *       remove: (object) => collection.delete(object),
 *     };
 *   },
 *   { name: 'my indexer' },
 * );
 */
export function describeCollectionConformance(
  makeCollection: () => CollectionUnderTest,
  options: ConformanceOptions = {},
): void {
  const runner = testRunner(options);
  runner.describe(`${options.name ?? 'the collection'} is a Collection`, () => {
    describeSyncing(makeCollection, runner);
    for (const [name, open] of dataStreams) describeStream(name, open, makeCollection, runner);
    describeChanges(makeCollection, runner);
    describeSelect(makeCollection, runner);
    describeAgreement(makeCollection, runner);
    describeQueries(makeCollection, runner);
  });
}

function describeSyncing(make: () => CollectionUnderTest, { it }: TestRunner): void {
  it('starts empty and not synced, and emits nothing before it is', () => {
    const { collection } = make();
    const seen: string[] = [];
    for (const [, open] of dataStreams) open(collection).subscribe((text) => seen.push(text));
    collection.synced$.subscribe(() => seen.push('synced'));
    expectSame('synced', collection.hasSynced, false);
    expectSame('size and version', [collection.snapshot.size, collection.snapshot.version], [0, 0]);
    expectSame('what was emitted', seen, []);
  });

  it('is synced by the first commit, even by one without an object', async () => {
    const { collection, replace } = make();
    const synced = collection.whenSynced();
    const seen: string[] = [];
    collection.synced$.subscribe({ next: () => seen.push('synced'), complete: () => seen.push('complete') });
    replace([]);
    replace([object('a', 1)]);
    await synced;
    await collection.whenSynced();
    expectTrue('synced', collection.hasSynced);
    expectSame('synced$', seen, ['synced', 'complete']);
  });

  it('rejects whenSynced with the reason of its signal', async () => {
    const { collection } = make();
    const controller = new AbortController();
    const reason = new Error('tired of waiting');
    const before = collection.whenSynced({ signal: controller.signal }).catch((error: unknown) => error);
    controller.abort(reason);
    const after = collection.whenSynced({ signal: controller.signal }).catch((error: unknown) => error);
    expectTrue('the reason is that of the signal, aborted later', (await before) === reason);
    expectTrue('the reason is that of the signal, aborted before', (await after) === reason);
  });
}

function describeStream(
  name: string,
  open: (typeof dataStreams)[number][1],
  make: () => CollectionUnderTest,
  { it }: TestRunner,
): void {
  it(`${name}: emits the same state to a subscriber before the data and to one after it`, () => {
    const { collection, replace, upsert } = make();
    const early: string[] = [];
    const late: string[] = [];
    open(collection).subscribe((text) => early.push(text));
    replace([object('a', 1), object('b', 1, 'n2')]);
    open(collection).subscribe((text) => late.push(text));
    expectSame('the state', late, early);
    upsert(object('a', 2));
    upsert(object('b', 2, 'n1'));
    expectSame('the changes', late, early);
  });

  it(`${name}: emits nothing to a subscriber that has unsubscribed`, () => {
    const { collection, replace, upsert, remove } = make();
    const seen: string[] = [];
    const leaving = open(collection).subscribe((text) => seen.push(text));
    replace([object('a', 1)]);
    leaving.unsubscribe();
    const before = [...seen];
    upsert(object('a', 2));
    remove(object('a', 3));
    replace([]);
    expectSame('what was emitted', seen, before);
  });

  it(`${name}: delivers everything to the other subscribers if one throws`, async () => {
    const { collection, replace, upsert } = make();
    const calm: string[] = [];
    const undisturbed: string[] = [];
    const mine = new Error('mine alone');
    let hasThrown = false;
    const uncaught = await uncaughtErrorOf(() => {
      open(collection).subscribe((text) => calm.push(text));
      open(collection).subscribe(() => {
        if (hasThrown) return;
        hasThrown = true;
        throw mine;
      });
      open(collection).subscribe((text) => undisturbed.push(text));
      replace([object('a', 1)]);
      upsert(object('a', 2, 'n2'));
    });
    expectTrue('the error is reported as RxJS does', uncaught === mine);
    expectSame('what the other subscribers receive', undisturbed, calm);
  });
}

/** Resolves with the error that RxJS reports, asynchronously, for a subscriber that threw. */
async function uncaughtErrorOf(act: () => void): Promise<unknown> {
  const before = config.onUnhandledError;
  try {
    return await new Promise<unknown>((resolve) => {
      config.onUnhandledError = resolve;
      act();
    });
  } finally {
    config.onUnhandledError = before;
  }
}

function describeChanges(make: () => CollectionUnderTest, { it }: TestRunner): void {
  it('delivers every event exactly once to registrations that race with commits', () => {
    const { collection, replace, upsert, remove } = make();
    const replicas: Replica<ConformanceObject>[] = [];
    const register = (): void => {
      const replica = new Replica<ConformanceObject>();
      replicas.push(replica);
      collection.changes$.subscribe(replica.apply);
    };
    collection.changes$.subscribe(register);
    collection.list$().subscribe(register);
    collection.byIndex$('node', 'n1').subscribe(register);
    replace([object('a', 1), object('b', 1)]);
    upsert(object('a', 2));
    remove(object('b', 2));
    upsert(object('c', 3));
    const complaints = replicas.flatMap((replica) => replica.complaints);
    expectSame('complaints', complaints, []);
    const list = collection.snapshot.list();
    for (const replica of replicas) expectSame('what a replica holds', [...replica.objects.values()], list);
    expectTrue('each of the streams registered for each commit', replicas.length > 9);
  });

  it('announces what a replacement changed: deletions first, and no unchanged object', () => {
    const { collection, replace } = make();
    const seen: string[] = [];
    collection.changes$.subscribe((set) => seen.push(textOfChanges(set)));
    replace([object('a', 1), object('b', 1), object('c', 1)]);
    replace([object('b', 1), object('c', 2), object('d', 1)]);
    expectSame('changes$', seen, [
      'initial: added a@1, added b@1, added c@1',
      'relist: tombstone a@1, updated c@1→c@2, added d@1',
    ]);
  });

  it('never changes a snapshot that a caller keeps', () => {
    const { collection, replace, upsert, remove } = make();
    replace([object('a', 1), object('b', 1)]);
    const kept = collection.snapshot;
    upsert(object('c', 1));
    remove(object('a', 2));
    expectSame('list of the held version', textOfAll(kept.list()), 'a@1 b@1');
    expectSame('bucket of the held version', textOfAll(kept.byIndex('node', 'n1')), 'a@1 b@1');
    expectSame('list of the current version', textOfAll(collection.snapshot.list()), 'b@1 c@1');
    expectTrue('the current version is higher', collection.snapshot.version > kept.version);
  });

  it('has no new version and emits nothing if nothing changed', () => {
    const { collection, replace, upsert, remove } = make();
    const versions: number[] = [];
    const sets: string[] = [];
    collection.snapshot$.subscribe(({ version }) => versions.push(version));
    collection.changes$.subscribe((set) => sets.push(textOfChanges(set)));
    replace([object('a', 1)]);
    upsert(object('a', 1));
    remove(object('z', 1));
    replace([object('a', 1)]);
    expectSame('versions and changes', [versions, sets], [[1], ['initial: added a@1']]);
  });
}

function describeSelect(make: () => CollectionUnderTest, { it }: TestRunner): void {
  it('select$: emits both buckets of an object that moves in one value, and nothing if neither changed', () => {
    const { collection, replace, upsert } = make();
    const seen: string[] = [];
    collection
      .select$((snapshot) => [snapshot.byIndex('node', 'n1'), snapshot.byIndex('node', 'n2')])
      .subscribe((buckets) => seen.push(buckets.map(textOfAll).join(' | ')));
    replace([object('a', 1), object('b', 1, 'n2')]);
    upsert(object('a', 2, 'n2'));
    upsert(object('c', 3, 'n3'));
    replace([object('a', 4), object('b', 4)]);
    expectSame('what was emitted', seen, ['a@1 | b@1', 'nothing | a@2 b@1', 'a@4 b@4 | nothing']);
  });

  it('select$: keeps its last value while its function throws, and continues with the next version', () => {
    const { collection, replace, upsert } = make();
    const seen: string[] = [];
    const selected$ = collection.select$((snapshot) => {
      if (snapshot.has('bad')) throw new Error('the function under test fails for this version');
      return textOfAll(snapshot.list());
    });
    selected$.subscribe({ next: (text) => seen.push(text), error: () => seen.push('error') });
    replace([object('bad', 1)]);
    replace([object('a', 2)]);
    upsert(object('bad', 3));
    replace([object('b', 4)]);
    expectSame('what was emitted', seen, ['a@2', 'b@4']);
  });
}
