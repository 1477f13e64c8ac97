import fc from 'fast-check';
import type { Change, ChangeSet } from 'rx-informers';
import { type ChangeReason, mergeChangeSets } from 'rx-informers/store';
import { ChangeAccumulator } from '../../src/store/merge-change-sets.js';
import { added, changeSet, deleted, updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';

const one = aPod({ uid: 'first', version: 1 });
const two = aPod({ uid: 'first', version: 2 });
const three = aPod({ uid: 'first', version: 3 });
const reborn = aPod({ uid: 'another', version: 4 });
const rebornLater = aPod({ uid: 'another', version: 5 });
const withoutUid = aPod();
const b = aPod({ name: 'b' });

type Row = readonly [
  name: string,
  first: readonly Change<Pod>[],
  then: readonly Change<Pod>[],
  together: readonly Change<Pod>[],
];

const table: readonly Row[] = [
  ['added, updated: added, newest', [added(one)], [updated(one, two)], [added(two)]],
  ['added, deleted: nothing', [added(one)], [deleted(two)], []],
  [
    'updated, updated: oldest previous, newest object',
    [updated(one, two)],
    [updated(two, three)],
    [updated(one, three)],
  ],
  ['updated, deleted: deleted', [updated(one, two)], [deleted(three)], [deleted(three)]],
  ['deleted, added, same uid: updated', [deleted(one)], [added(two)], [updated(one, two)]],
  ['deleted, added, no uid: updated', [deleted(withoutUid)], [added(two)], [updated(withoutUid, two)]],
  ['deleted, added, another uid: both', [deleted(one)], [added(reborn)], [deleted(one), added(reborn)]],
  [
    'updated, deleted, added, same uid: what was known first is previous',
    [updated(one, two), deleted(two)],
    [added(three)],
    [updated(one, three)],
  ],
  [
    'deleted, added, updated: both, newest',
    [deleted(one), added(reborn)],
    [updated(reborn, rebornLater)],
    [deleted(one), added(rebornLater)],
  ],
  [
    'deleted, added, deleted: the first object went',
    [deleted(one), added(reborn)],
    [deleted(rebornLater)],
    [deleted(one)],
  ],
  ['deleted, added, deleted, same uid: the last state', [deleted(one), added(two)], [deleted(three)], [deleted(three)]],
  ['a tombstone stays one', [updated(one, two)], [deleted(two, true)], [deleted(two, true)]],
  ['resynced, updated: updated', [updated(one, one)], [updated(one, two)], [updated(one, two)]],
  ['updated, resynced: updated', [updated(one, two)], [updated(two, two)], [updated(one, two)]],
  ['resynced, deleted: deleted', [updated(one, one)], [deleted(one)], [deleted(one)]],
  [
    'keys stand in the order of their first change',
    [added(b), updated(one, two)],
    [updated(two, three)],
    [added(b), updated(one, three)],
  ],
  [
    'a key that cancelled out starts again at the end',
    [added(one), added(b), deleted(one)],
    [added(two)],
    [added(b), added(two)],
  ],
];

describe('mergeChangeSets', () => {
  it.each(table.map((row) => [...row] as const))('mergeChangeSets merges %s', (_name, first, then, together) => {
    expect(mergeChangeSets(changeSet('watch', ...first), changeSet('watch', ...then))).toEqual(
      changeSet('watch', ...together),
    );
  });

  it.each([
    ['initial', 'watch', 'initial'],
    ['initial', 'relist', 'initial'],
    ['watch', 'relist', 'relist'],
    ['relist', 'watch', 'relist'],
    ['resync', 'watch', 'watch'],
    ['watch', 'resync', 'watch'],
    ['resync', 'resync', 'resync'],
  ] as const)('the reason of %s and %s is %s', (first, then, reason) => {
    expect(mergeChangeSets(changeSet(first, added(one)), changeSet(then, updated(one, two))).reason).toBe(reason);
  });

  it('merges initial and later changes into the state after them', () => {
    expect(
      mergeChangeSets(changeSet('initial', added(one), added(b)), changeSet('watch', deleted(b), updated(one, two))),
    ).toEqual(changeSet('initial', added(two)));
  });

  it('returns a single set unchanged, unless it has two changes of one key', () => {
    const set = changeSet('relist', added(one), added(b));
    expect(mergeChangeSets(set)).toBe(set);
    expect(mergeChangeSets(changeSet('relist', added(one), updated(one, two)))).toEqual(
      changeSet('relist', added(two)),
    );
  });

  describe('for any history', () => {
    type Content = ReadonlyMap<string, Pod>;

    /**
     * Change sets as a store makes them, from random actions: write, delete, or replace by another
     * incarnation.
     */
    const histories = fc
      .array(
        fc.record({
          key: fc.constantFrom('a', 'b', 'c'),
          request: fc.constantFrom('write', 'write', 'delete', 'replace', 'resync'),
          startsSet: fc.boolean(),
          reason: fc.constantFrom<ChangeReason>('watch', 'relist'),
        }),
        { maxLength: 30 },
      )
      .map((requests) => {
        const content = new Map<string, Pod>();
        const sets: { reason: ChangeReason; changes: Change<Pod>[] }[] = [{ reason: 'watch', changes: [] }];
        requests.forEach(({ key, request, startsSet, reason }, position) => {
          if (startsSet) sets.push({ reason, changes: [] });
          const changes = sets.at(-1)?.changes ?? [];
          const known = content.get(key);
          const resourceVersion = String(position);
          if (request === 'resync') {
            if (known) changes.push(updated(known, known));
            return;
          }
          if (known && request !== 'write') {
            changes.push(deleted(known));
            content.delete(key);
          }
          if (request === 'delete') return;
          const survivor = request === 'write' ? known : undefined;
          const next = aPod({ name: key, uid: survivor?.metadata.uid ?? `u${position}`, version: resourceVersion });
          changes.push(survivor ? updated(survivor, next) : added(next));
          content.set(key, next);
        });
        return sets;
      });

    /** Applies a set strictly: an addition must be new, anything else must be known. */
    function apply(content: Content, { changes }: ChangeSet<Pod>): Content {
      const next = new Map(content);
      for (const change of changes) {
        const known = next.get(change.key);
        expect(known !== undefined).toBe(change.type !== 'added');
        expect(known).toBe(change.type === 'updated' ? change.previous : known);
        if (change.type === 'deleted') next.delete(change.key);
        else next.set(change.key, change.object);
      }
      return next;
    }

    it('applying the merged set equals applying all of them', () => {
      fc.assert(
        fc.property(histories, fc.nat(30), (sets, cut) => {
          const before = sets.slice(0, cut).reduce<Content>(apply, new Map<string, Pod>());
          const [first, ...later] = sets.slice(cut);
          if (!first) return;
          expect(new Map(apply(before, mergeChangeSets(first, ...later)))).toEqual(
            new Map([first, ...later].reduce(apply, before)),
          );
        }),
      );
    });

    it('merging in steps equals merging at once', () => {
      fc.assert(
        fc.property(histories, fc.nat(30), (sets, cut) => {
          const [first, ...later] = sets;
          if (!first) return;
          const content = (set: ChangeSet<Pod>): Content => apply(new Map(), set);
          const head = mergeChangeSets(first, ...later.slice(0, cut));
          expect(content(mergeChangeSets(head, ...later.slice(cut)))).toEqual(
            content(mergeChangeSets(first, ...later)),
          );
        }),
      );
    });
  });
});

describe('ChangeAccumulator', () => {
  it('has nothing pending at first, after take, and after all changes cancelled out', () => {
    const pending = new ChangeAccumulator<Pod>();
    expect(pending.hasNews).toBe(false);
    pending.add(changeSet('watch', added(one)));
    expect(pending.hasNews).toBe(true);
    pending.add(changeSet('watch', deleted(one)));
    expect([pending.hasNews, pending.size]).toEqual([false, 0]);
    pending.add(changeSet('watch', added(two)));
    expect(pending.take()).toEqual(changeSet('watch', added(two)));
    expect([pending.hasNews, pending.size]).toEqual([false, 0]);
  });

  it('treats an empty initial state as pending', () => {
    const pending = new ChangeAccumulator<Pod>();
    pending.add(changeSet('initial'));
    expect(pending.hasNews).toBe(true);
    expect(pending.take()).toEqual(changeSet('initial'));
  });

  it('G11: keeps nothing for keys that were added and deleted', () => {
    const pending = new ChangeAccumulator<Pod>();
    for (let index = 0; index < 1000; index++) {
      const pod = aPod({ name: `pod-${index}` });
      pending.add(changeSet('watch', added(pod), deleted(pod)));
    }
    expect(pending.size).toBe(0);
  });
});
