import { BehaviorSubject, Subject } from 'rxjs';
import { informer, type WatchEvent, watchEvent } from 'rx-informers';
import { type SortValue, window$, type WindowOptions } from 'rx-informers/views';
import { aThing, groupOf, nameOf, sizeOf, textOf, thingsOf, type Thing } from './thing.js';

const { deleted, listed, modified } = watchEvent;

type Options = WindowOptions<Thing, 'group'>;

const failing = new Error('asked');
const bySize = [{ value: sizeOf }] as const;
const many = Array.from({ length: 40 }, (_, n) => aThing(`t${n}`, { group: `g${n}`, size: n }));
const bad = aThing('bad', { group: 'bad', size: 41 });

const onlyGood = (text: string): string => {
  if (text === 'bad') throw failing;
  return text;
};

describe('window$', () => {
  it.each<[string, Options]>([
    ['where', { where: (thing) => onlyGood(thing.group) !== '' }],
    ['a getter', { sortBy: [{ value: (thing) => onlyGood(thing.group) }] }],
    [
      'a collator',
      { sortBy: [{ value: groupOf, collator: { compare: (a, b) => (onlyGood(a) < onlyGood(b) ? -1 : 1) } }] },
    ],
  ])('fails with what %s throws in the middle of a commit, and no other subscriber is affected', (_, options) => {
    const things = thingsOf(...many);
    const ended: unknown[] = [];
    const texts: string[] = [];
    const options$ = new BehaviorSubject(options);
    window$(things, options$).subscribe({ error: (error) => ended.push(error) });
    window$(things, { sortBy: [...bySize], offset: 40 }).subscribe((view) => texts.push(textOf(view)));
    things.apply(
      [many[0]!, bad, many[1]!].map((thing) => ({
        type: 'Updated',
        key: nameOf(thing),
        object: { ...thing, size: 50 },
      })),
    );
    things.update({ ...bad, size: 60 });
    expect([ended, options$.observed]).toEqual([[failing], false]);
    expect(texts).toEqual([' / 40', 't1 / 41', 'bad / 41']);
  });

  it('keeps a row in its place through values of every kind, one commit after the other', () => {
    const values = [1, 'b', NaN, 'a', null, -1, new Date(5), undefined, true, {}, '', new Date(NaN), Infinity];
    const things = thingsOf(...many);
    const keys: (readonly string[])[] = [];
    const value = (thing: Thing): SortValue => thing.size;
    window$(things, { sortBy: [{ value }], where: (thing) => thing.group.startsWith('v') }).subscribe((view) =>
      keys.push(view.keys),
    );
    for (const [position, size] of values.entries()) {
      things.add(aThing(`v${position}`, { group: 'v', size: size as number }));
    }
    const inOrder = ['v5', 'v0', 'v8', 'v6', 'v12', 'v10', 'v3', 'v1', 'v11', 'v2', 'v4', 'v7', 'v9'];
    expect(keys.at(-1)).toEqual(inOrder);
    for (const [position] of values.entries()) {
      const thing = things.get(`v${position}`)!;
      things.update({ ...thing, size: 100 });
      things.update({ ...thing });
    }
    expect(keys.at(-1)).toEqual(inOrder);
  });

  it('shows a bucket that empties and fills again', () => {
    const [one, two] = [aThing('a', { group: 'x', size: 2 }), aThing('b', { group: 'x', size: 1 })];
    const things = thingsOf(one, two);
    const texts: string[] = [];
    window$(things, { index: ['group', 'x'], sortBy: bySize }).subscribe((view) => texts.push(textOf(view)));
    things.replace([]);
    things.add(one);
    things.update({ ...one, group: 'y' });
    things.replace([one, two]);
    expect(texts).toEqual(['b a / 2', ' / 0', 'a / 1', ' / 0', 'b a / 2']);
  });

  it('shows the object that there is now where a name comes back with another uid, in one commit or in two', () => {
    const withUid = (uid: string, size: number): Thing => {
      const thing = aThing('a', { size });
      return { ...thing, metadata: { ...thing.metadata, uid } as Thing['metadata'] };
    };
    const events$ = new Subject<readonly WatchEvent<Thing>[]>();
    const things = informer(events$, { indexers: { group: groupOf } });
    const seen: (readonly (number | undefined)[])[] = [];
    window$(things, { sortBy: bySize }).subscribe(({ rows }) => seen.push(rows.map(sizeOf)));
    events$.next([listed([withUid('1', 1), aThing('b', { size: 2 })], '1')]);
    events$.next([modified(withUid('2', 3))]);
    events$.next([deleted(withUid('2', 3)), modified(withUid('3', 1))]);
    events$.next([deleted(withUid('3', 1))]);
    events$.next([modified(withUid('4', 4))]);
    events$.next([listed([withUid('5', 0), aThing('b', { size: 2 })], '9')]);
    expect(seen).toEqual([[1, 2], [2, 3], [1, 2], [2], [2, 4], [0, 2]]);
  });

  it('does for each of two windows over one collection what that one asks for, and does it apart', () => {
    const things = thingsOf(...many);
    const [first$, second$] = [new BehaviorSubject<Options>({ limit: 1 }), new BehaviorSubject<Options>({ limit: 2 })];
    const texts: string[] = [];
    window$(things, first$).subscribe((view) => texts.push(`first: ${textOf(view)}`));
    window$(things, second$).subscribe((view) => texts.push(`second: ${textOf(view)}`));
    first$.next({ limit: 1, sortBy: [{ value: sizeOf, direction: 'descending' }] });
    second$.next({ limit: 2, where: (thing) => sizeOf(thing)! > 37 });
    things.delete('t39');
    expect(texts).toEqual([
      'first: t0 / 40',
      'second: t0 t1 / 40',
      'first: t39 / 40',
      'second: t38 t39 / 2',
      'first: t38 / 39',
      'second: t38 / 1',
    ]);
  });
});
