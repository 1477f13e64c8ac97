import fc from 'fast-check';
import {
  createIndexer,
  informer,
  type Informer,
  type EventHandlerRegistration,
  type InformerError,
  type InformerOptions,
  addEventHandler,
  type RxInformersError,
} from 'rx-informers';
import { type EventHandler, type WatchEvent, metaNamespaceKey, watchEvent } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { filter, map, Subject, VirtualTimeScheduler } from 'rxjs';
import { handlerError } from '../../src/collections/errors.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { aHistory, byTag, stateAfter, type State } from './support/history.js';
import { textOf, textOfAll, textOfChanges } from './support/text.js';

const { added, deleted, listed, modified } = watchEvent;

/*
 * The intent of client-go's own tests, by their names; ▲ marks where this library means to differ.
 */

type Batch = readonly WatchEvent<Pod>[];

interface Rig {
  readonly source: Subject<Batch>;
  readonly pods: Informer<Pod>;
  readonly errors: InformerError[];
  send(...events: readonly WatchEvent<Pod>[]): void;
}

function aRig(options: InformerOptions<Pod, never> = {}): Rig {
  const source = new Subject<Batch>();
  // In virtual time no call is slow, so that an informer never postpones the next one.
  const pods = informer<Pod>(source, { linger: 0, scheduler: virtualClock(), ...options });
  const errors: InformerError[] = [];
  pods.errors$.subscribe((error) => errors.push(error));
  return { source, pods, errors, send: (...events) => source.next(events) };
}

/** Records every call. */
function aHandler(
  log: string[],
  who = '',
): { readonly [Name in keyof EventHandler<Pod>]-?: NonNullable<EventHandler<Pod>[Name]> } {
  return {
    onAdd: (pod, { isInInitialList }) => log.push(`${who}added ${textOf(pod)}${isInInitialList ? ' (initial)' : ''}`),
    onUpdate: (previous, pod, { isResync }) =>
      log.push(`${who}updated ${textOf(previous)}→${textOf(pod)}${isResync ? ' (resync)' : ''}`),
    onDelete: (pod, { finalStateUnknown }) =>
      log.push(`${who}${finalStateUnknown ? 'tombstone' : 'deleted'} ${textOf(pod)}`),
  };
}

const pod = (name: string, version: number): Pod => aPod({ name, version });
const noRefill = (): readonly string[] => [];

describe('§17: the queue and the store', () => {
  it('9 TestReplaceEvents: D3: a relist emits deletions first, and the store is final in every callback', () => {
    const { pods, send } = aRig();
    const log: string[] = [];
    const read: string[] = [];
    const { onAdd, onUpdate, onDelete } = aHandler(log);
    const reading =
      <A extends readonly unknown[]>(call: (...input: A) => void) =>
      (...input: A): void => {
        call(...input);
        read.push(textOfAll(pods.list()));
      };
    addEventHandler(pods, { onAdd: reading(onAdd), onUpdate: reading(onUpdate), onDelete: reading(onDelete) });
    send(listed([pod('a', 1), pod('b', 1)]));
    send(listed([pod('a', 2), pod('c', 3)]));
    expect(log).toEqual([
      'added a@1 (initial)',
      'added b@1 (initial)',
      'tombstone b@1',
      'updated a@1→a@2',
      'added c@3',
    ]);
    expect(read).toEqual(['a@1 b@1', 'a@1 b@1', 'a@2 c@3', 'a@2 c@3', 'a@2 c@3']);
  });

  it('10 TestResetWatch: changes missed by a dropped watch arrive with the relist, not as part of the initial list', () => {
    const { pods, send } = aRig();
    const log: string[] = [];
    addEventHandler(pods, aHandler(log));
    send(listed([pod('a', 1)]));
    send(listed([pod('a', 5), pod('b', 4)]));
    expect(log).toEqual(['added a@1 (initial)', 'updated a@1→a@5', 'added b@4']);
  });

  it.each([
    ['created and deleted', [listed([]), added(pod('a', 1)), listed([])], ['added a@1', 'tombstone a@1']],
    [
      'updated and deleted',
      [listed([pod('a', 1)]), modified(pod('a', 2)), listed([])],
      ['added a@1 (initial)', 'updated a@1→a@2', 'tombstone a@2'],
    ],
    [
      'deleted before',
      [listed([pod('a', 1)]), deleted(pod('a', 2)), listed([])],
      ['added a@1 (initial)', 'deleted a@2'],
    ],
    [
      'recreated and deleted',
      [listed([pod('a', 1)]), deleted(pod('a', 2)), added(pod('a', 3)), listed([])],
      ['added a@1 (initial)', 'deleted a@2', 'added a@3', 'tombstone a@3'],
    ],
    ['gone', [listed([pod('a', 1)]), listed([])], ['added a@1 (initial)', 'tombstone a@1']],
    ['unknown', [listed([]), listed([])], noRefill()],
  ] as readonly (readonly [string, readonly WatchEvent<Pod>[], readonly string[]])[])(
    '11 TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue: Q8: an object that is %s is deleted once',
    (_name, events, expected) => {
      const oneByOne: string[] = [];
      const one = aRig();
      addEventHandler(one.pods, aHandler(oneByOne));
      for (const event of events) one.send(event);
      expect(oneByOne).toEqual(expected);

      const [first, ...rest] = events as [WatchEvent<Pod>, ...WatchEvent<Pod>[]];
      const together: string[] = [];
      const batched = aRig();
      addEventHandler(batched.pods, aHandler(together));
      batched.send(first);
      batched.send(...rest);
      expect(together).toEqual(expected);
    },
  );

  it('12 TestDeltaFIFO_replaceWithDeleteDeltaIn: Q6: a delete and the relist that holds its successor both count', () => {
    const { pods, send } = aRig();
    const log: string[] = [];
    addEventHandler(pods, aHandler(log));
    send(listed([pod('a', 1)]));
    send(deleted(pod('a', 2)), listed([pod('a', 3)]));
    expect(log).toEqual(['added a@1 (initial)', 'deleted a@2', 'added a@3']);
  });

  it.each([
    ['an empty list', [listed([])], true],
    ['a list', [listed([pod('a', 1)])], true],
    ['a change', [modified(pod('a', 1))], true],
    ['a delete', [deleted(pod('a', 1))], true],
    ['a bookmark', [{ type: 'BOOKMARK', resourceVersion: '1' }], false],
    ['a status', [{ type: 'STATUS', status: { state: 'reconnecting' } }], false],
    ['nothing', [], false],
  ] as readonly (readonly [string, Batch, boolean])[])(
    '13 TestRealFIFO_HasSynced: Q1: %s',
    (_name, batch, hasSynced) => {
      const { source, pods } = aRig();
      pods.connect();
      source.next(batch);
      expect(pods.hasSynced).toBe(hasSynced);
      source.next([{ type: 'STATUS', status: { state: 'reconnecting' } }]);
      expect(pods.hasSynced).toBe(hasSynced);
    },
  );

  it('13 TestRealFIFO_HasSyncedCorrectOnDeletion: I8: a handler has synced when its last initial onAdd has returned', () => {
    const { pods, send } = aRig();
    const synced: boolean[] = [];
    const registration: EventHandlerRegistration = addEventHandler(pods, {
      onAdd: () => synced.push(registration.hasSynced),
    });
    expect(registration.hasSynced).toBe(false);
    send(listed([pod('a', 1), pod('b', 1)]));
    send(added(pod('c', 2)));
    expect(synced).toEqual([false, false, true]);
  });

  it('14 TestThreadSafeStoreIndexingFunctionsWithMultipleValues: S5, S6: every 1↔n transition keeps buckets exact', () => {
    const tags = ['', 'x', 'y', 'x.y', 'y.z', 'x.y.z'];
    const tagged = (value: string): Pod => aPod({ name: 'a', labels: { tags: value } });
    for (const before of tags) {
      for (const after of tags) {
        const indexer = createIndexer<Pod, 'tag'>(metaNamespaceKey, { tag: byTag });
        indexer.add(tagged(before));
        indexer.add(aPod({ name: 'other', labels: { tags: 'y' } }));
        indexer.update(tagged(after));
        for (const tag of ['x', 'y', 'z']) {
          const expected = [...(byTag(tagged(after)).includes(tag) ? ['a'] : []), ...(tag === 'y' ? ['other'] : [])];
          expect([before, after, tag, indexer.indexKeys('tag', tag)]).toEqual([before, after, tag, expected]);
        }
        expect(indexer.indexValues('tag')).toEqual([...new Set([...byTag(tagged(after)), 'y'])].sort());
        indexer.delete('a');
        expect(indexer.indexValues('tag')).toEqual(['y']);
      }
    }
  });

  it('15 TestIndexer: S11: an index is complete at once, before the start, later, and while running', () => {
    const source = new Subject<Batch>();
    const early = informer<Pod, 'tag'>(source, { indexers: { tag: byTag } });
    early.connect();
    source.next([listed([aPod({ name: 'a', node: 'n1', labels: { tags: 'x.y' } })])]);
    source.next([added(aPod({ name: 'b', node: 'n1', labels: { tags: 'y' } }))]);
    expect(textOfAll(early.byIndex('tag', 'y'))).toBe('a b');
    const wider = early.addIndexers({ node: byNode });
    const seen: string[] = [];
    wider.byIndex$('node', 'n1').subscribe((bucket) => seen.push(textOfAll(bucket)));
    source.next([added(aPod({ name: 'c', node: 'n1' }))]);
    expect(seen).toEqual(['a b', 'a b c']);
    expect(textOfAll(wider.byIndex('tag', 'x'))).toBe('a');
    expect(() => wider.addIndexers({ node: byNode, fresh: byNode })).toThrow(
      expect.objectContaining({ code: 'RXI_INDEXER_CONFLICT', conflicts: ['node'] }),
    );
    expect(Object.keys(wider.indexers)).toEqual(['tag', 'node']);
  });
});

describe('§6: the shared informer', () => {
  it('16 TestSharedInformerWatchDisruption: I10 ▲: after a lossy disconnect handlers get only what changed, resyncing or not', () => {
    const scheduler = new VirtualTimeScheduler();
    const { pods, send } = aRig({ scheduler });
    const plain: string[] = [];
    const resyncing: string[] = [];
    addEventHandler(pods, aHandler(plain));
    addEventHandler(pods, aHandler(resyncing), { resyncPeriod: 1_000 });
    send(listed([pod('a', 1), pod('b', 1), pod('c', 1)]));
    plain.length = resyncing.length = 0;
    send(listed([pod('a', 1), pod('b', 2), pod('d', 3)]));
    expect(plain).toEqual(['tombstone c@1', 'updated b@1→b@2', 'added d@3']);
    expect(resyncing).toEqual(plain);
    pods.stop();
  });

  it('17 TestAddWhileActive: I4: a late handler gets the state as its initial list, then what happens', () => {
    const scheduler = new VirtualTimeScheduler();
    const { pods, send } = aRig({ scheduler });
    const early: string[] = [];
    const late: string[] = [];
    addEventHandler(pods, aHandler(early));
    send(listed([pod('a', 1)]));
    const synced: string[] = [];
    const registration = addEventHandler(pods, aHandler(late));
    registration.synced$.subscribe({ next: () => synced.push('synced'), complete: () => synced.push('complete') });
    send(added(pod('b', 2)));
    expect(early).toEqual(['added a@1 (initial)', 'added b@2']);
    expect(late).toEqual([]);
    scheduler.flush();
    expect(late).toEqual(['added a@1 (initial)', 'added b@2']);
    expect([registration.hasSynced, synced]).toEqual([true, ['synced', 'complete']]);
  });

  it('18 TestListenerResyncPeriods: three handlers each resync by their own period, exactly', () => {
    const scheduler = new VirtualTimeScheduler();
    const { pods, send } = aRig({ scheduler });
    const resyncs: string[] = [];
    const resyncing = (who: string): EventHandler<Pod> => ({
      onUpdate: (_previous, { metadata }, { isResync }) =>
        isResync && resyncs.push(`${scheduler.now()} ${who} ${metadata.name}`),
    });
    addEventHandler(pods, resyncing('never'));
    addEventHandler(pods, resyncing('two'), { resyncPeriod: 2_000 });
    addEventHandler(pods, resyncing('three'), { resyncPeriod: 3_000 });
    send(listed([pod('a', 1), pod('b', 1)]));
    scheduler.schedule(() => send(listed([pod('a', 1)])), 5_000);
    scheduler.schedule(() => pods.stop(), 6_500);
    scheduler.flush();
    expect(resyncs.filter((line) => line.includes('two'))).toEqual([
      '2000 two a',
      '2000 two b',
      '4000 two a',
      '4000 two b',
      '6000 two a',
    ]);
    expect(resyncs.filter((line) => !line.includes('two'))).toEqual(['3000 three a', '3000 three b', '6000 three a']);
    expect(scheduler.now()).toBe(6_500);
  });

  it('18 TestListenerResyncPeriodsDelayed: a handler whose informer syncs late does not resync before', () => {
    const scheduler = new VirtualTimeScheduler();
    const { pods, send } = aRig({ scheduler });
    const log: string[] = [];
    addEventHandler(pods, aHandler(log), { resyncPeriod: 1_000 });
    scheduler.schedule(() => send(listed([pod('a', 1)])), 2_500);
    scheduler.schedule(() => pods.stop(), 3_500);
    scheduler.flush();
    expect(log).toEqual(['added a@1 (initial)', 'updated a@1→a@1 (resync)']);
  });

  it('R20 ▲: relisting more often than the period does not keep a handler from resyncing', () => {
    const scheduler = new VirtualTimeScheduler();
    const { pods, send } = aRig({ scheduler });
    const log: string[] = [];
    addEventHandler(pods, aHandler(log), { resyncPeriod: 1_000 });
    for (let at = 0; at < 2_000; at += 300) scheduler.schedule(() => send(listed([pod('a', 1)])), at);
    scheduler.schedule(() => pods.stop(), 2_100);
    scheduler.flush();
    expect(log).toEqual(['added a@1 (initial)', 'updated a@1→a@1 (resync)', 'updated a@1→a@1 (resync)']);
  });

  it('Q9: a resync never overtakes a change, nor restores what a handler deletes meanwhile', () => {
    const scheduler = new VirtualTimeScheduler();
    const indexer = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler });
    const log: string[] = [];
    const { onAdd, onDelete, onUpdate } = aHandler(log);
    indexer.replace([pod('a', 1), pod('b', 1)]);
    const registration = addEventHandler(
      indexer,
      {
        onAdd,
        onDelete,
        onUpdate: (...input) => {
          onUpdate(...input);
          indexer.delete('b');
        },
      },
      { resyncPeriod: 1_000 },
    );
    scheduler.schedule(() => registration.unsubscribe(), 2_500);
    scheduler.flush();
    expect(log).toEqual([
      'added a@1 (initial)',
      'added b@1 (initial)',
      'updated a@1→a@1 (resync)',
      'updated b@1→b@1 (resync)',
      'tombstone b@1',
      'updated a@1→a@1 (resync)',
    ]);
  });

  it.each([-1, Number.NaN, Infinity])('I11: refuses a resync period of %d ms', (resyncPeriod) => {
    expect(() => addEventHandler(aRig().pods, {}, { resyncPeriod })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('TestRemoveWhileActive: I5: a handler is not called after its removal, not even for the rest of the round', () => {
    const { source, pods, send } = aRig();
    const log: string[] = [];
    const registration: EventHandlerRegistration = addEventHandler(pods, {
      onAdd: ({ metadata }) => {
        log.push(metadata.name);
        if (metadata.name === 'b') registration.unsubscribe();
      },
    });
    send(listed([pod('a', 1), pod('b', 1), pod('c', 1)]));
    send(added(pod('d', 1)));
    expect(log).toEqual(['a', 'b']);
    expect(registration.hasSynced).toBe(false);
    expect(source.observed).toBe(false);
  });

  it('TestSharedInformerMultipleRegistration: I4: one handler added twice is two registrations', () => {
    const { pods, send } = aRig();
    const log: string[] = [];
    const handler = aHandler(log);
    const first = addEventHandler(pods, handler);
    addEventHandler(pods, handler);
    send(listed([pod('a', 1)]));
    first.unsubscribe();
    send(modified(pod('a', 2)));
    expect(log).toEqual(['added a@1 (initial)', 'added a@1 (initial)', 'updated a@1→a@2']);
  });

  it('TestRemovingRemovedSharedInformer: I5: a registration may be removed twice, also after the stop', () => {
    const { pods } = aRig();
    const registration = addEventHandler(pods, {});
    const ended: string[] = [];
    registration.synced$.subscribe({ next: () => ended.push('synced'), complete: () => ended.push('complete') });
    registration.unsubscribe();
    registration.unsubscribe();
    pods.stop();
    registration.unsubscribe();
    expect([registration.hasSynced, ended]).toEqual([false, ['complete']]);
  });

  it('TestStateSharedInformer: runs from the first handler to the last, and again ▲', () => {
    const { pods } = aRig();
    expect(pods.isRunning).toBe(false);
    const registration = addEventHandler(pods, {});
    expect(pods.isRunning).toBe(true);
    registration.unsubscribe();
    expect(pods.isRunning).toBe(false);
    addEventHandler(pods, {});
    pods.stop();
    expect(pods.isRunning).toBe(false);
    addEventHandler(pods, {}).unsubscribe();
    expect(pods.isRunning).toBe(false);
  });

  it('I9: a handler of a stopped informer is removed, and receives nothing from the next run', () => {
    const scheduler = new VirtualTimeScheduler();
    const { pods, send } = aRig({ scheduler });
    const log: string[] = [];
    addEventHandler(pods, aHandler(log), { resyncPeriod: 1_000 });
    send(listed([pod('a', 1)]));
    pods.stop();
    expect(scheduler.actions.filter(({ closed }) => !closed)).toEqual([]);
    pods.connect();
    send(listed([pod('b', 1)]));
    scheduler.flush();
    expect(log).toEqual(['added a@1 (initial)']);
    pods.stop();
  });

  it('TestSharedInformerHandlerAbuse: handlers added and removed at random moments receive exactly their events', () => {
    fc.assert(
      fc.property(
        aHistory,
        fc.array(fc.record({ at: fc.nat(12), until: fc.nat(12) }), { maxLength: 8 }),
        (history, workers) => {
          const scheduler = new VirtualTimeScheduler();
          const { source, pods, errors } = aRig({ scheduler });
          pods.connect();
          const stored = workers.map(() => new Map<string, Pod>());
          const registrations: (EventHandlerRegistration | undefined)[] = workers.map(() => undefined);
          let state: State = new Map();
          history.forEach((batch, position) => {
            workers.forEach(({ at, until }, number) => {
              const mine = stored[number] as Map<string, Pod>;
              if (at === position)
                registrations[number] = addEventHandler(pods, {
                  onAdd: (object, { key }) => mine.set(key, object),
                  onUpdate: (_previous, object, { key }) => mine.set(key, object),
                  onDelete: (_object, { key }) => mine.delete(key),
                });
              if (until === position) registrations[number]?.unsubscribe();
            });
            source.next(batch);
            state = stateAfter(state, batch);
            scheduler.flush();
            workers.forEach(({ at, until }, number) => {
              if (at > position || (until <= position && until >= at)) return;
              expect(Object.fromEntries(stored[number] as Map<string, Pod>)).toEqual(Object.fromEntries(state));
            });
          });
          expect(errors).toEqual([]);
          pods.stop();
          expect(source.observed).toBe(false);
        },
      ),
    );
  });

  it('TestEventPanics: I7 ▲: a handler that throws causes an RXI_HANDLER each time; its later events and other handlers are not affected', () => {
    const { pods, errors, send } = aRig();
    const log: string[] = [];
    const refuse = (): never => {
      throw new Error('no');
    };
    const registration = addEventHandler(pods, { onAdd: refuse, onUpdate: refuse, onDelete: refuse });
    addEventHandler(pods, aHandler(log));
    send(listed([pod('a', 1)]));
    send(modified(pod('a', 2)));
    send(deleted(pod('a', 3)));
    expect(log).toEqual(['added a@1 (initial)', 'updated a@1→a@2', 'deleted a@3']);
    expect(errors).toEqual(
      (['onAdd', 'onUpdate', 'onDelete'] as const).map((name) => handlerError(name, 'a', new Error('no'))),
    );
    expect(errors.map((error) => (error as RxInformersError<'RXI_HANDLER'>).handler)).toEqual([
      'onAdd',
      'onUpdate',
      'onDelete',
    ]);
    expect(registration.hasSynced).toBe(true);
  });

  it('H3 TestUpdateCallsPush, TestReadsDoNotCallPush: list$ emits the whole list once for every change, and never for a read', () => {
    const indexer = createIndexer<Pod>(metaNamespaceKey);
    const pushed: string[] = [];
    indexer.list$().subscribe((list) => pushed.push(textOfAll(list)));
    indexer.add(pod('a', 1));
    indexer.update(pod('a', 2));
    indexer.add(pod('b', 1));
    indexer.delete('a');
    indexer.replace([pod('c', 1)]);
    indexer.list();
    indexer.keys();
    indexer.get('c');
    expect(pushed).toEqual(['a@1', 'a@2', 'a@2 b@1', 'b@1', 'c@1']);
  });

  it('D1: whether a change is an addition or an update is decided by the store, not by the type of the watch event', () => {
    const { pods, send } = aRig();
    const log: string[] = [];
    addEventHandler(pods, aHandler(log));
    send(listed([pod('a', 1)]));
    send(added(pod('a', 2)));
    send(modified(pod('b', 3)));
    send(deleted(pod('never-there', 4)));
    expect(log).toEqual(['added a@1 (initial)', 'updated a@1→a@2', 'added b@3']);
  });

  it('D5: a bookmark moves the resourceVersion of the store, and emits nothing', () => {
    const { pods, send } = aRig();
    const sets: string[] = [];
    pods.changes$
      .pipe(
        map(textOfChanges),
        filter((text) => text !== ''),
      )
      .subscribe((text) => sets.push(text));
    send(listed([pod('a', 1)], '5'));
    send({ type: 'BOOKMARK', resourceVersion: '9' });
    expect([pods.snapshot.resourceVersion, sets]).toEqual(['9', ['initial: added a@1']]);
  });
});
