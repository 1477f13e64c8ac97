import fc from 'fast-check';
import { informer } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { type View, window$, type WindowOptions, type SortValue } from 'rx-informers/views';
import { BehaviorSubject, Subject, type Subscription } from 'rxjs';
import { oracle } from './oracle.js';
import { aThing, groupOf, nameOf, sizeOf, textOf, thingsOf, type Thing } from './thing.js';

type Options = WindowOptions<Thing, 'group'>;

const bySize = [{ value: sizeOf }] as const;

const byName = [{ value: nameOf, direction: 'descending' }] as const;

const sized = (thing: Thing): boolean => thing.size !== undefined;

describe('window$ with subscribers that react to its values', () => {
  const { listed, modified } = watchEvent;

  it('shows the final content for any use of collection, options and subscriptions by its subscribers', () => {
    const thing = fc
      .record({ n: fc.nat(9), group: fc.constantFrom('x', 'y'), size: fc.option(fc.nat(3), { nil: undefined }) })
      .map(({ n, group, size }) => aThing(`t${n}`, { group, size }));
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ set: thing }) },
      { weight: 2, arbitrary: fc.record({ remove: fc.nat(9).map((n) => `t${n}`) }) },
      { weight: 1, arbitrary: fc.record({ replace: fc.array(thing, { maxLength: 10 }) }) },
      {
        weight: 4,
        arbitrary: fc.record({
          options: fc.oneof(
            fc.record({ index: fc.constantFrom(undefined, ['group', 'x'] as const, ['group', 'y'] as const) }),
            fc.record({ sortBy: fc.constantFrom([], bySize, byName) }),
            fc.record({ where: fc.constantFrom(undefined, sized) }),
            fc.record({ offset: fc.nat(4), limit: fc.nat(4) }),
          ),
        }),
      },
      { weight: 1, arbitrary: fc.constant('leave' as const) },
    );
    fc.assert(
      fc.property(
        fc.array(thing, { maxLength: 10 }),
        fc.array(act, { maxLength: 8 }),
        fc.array(act, { maxLength: 20 }),
        (first, outside, within) => {
          const things = thingsOf(...first);
          const options$ = new BehaviorSubject<Options>({});
          const pending = [...within];
          const others: Subscription[] = [];
          const carryOut = (step: typeof act extends fc.Arbitrary<infer Step> ? Step : never): void => {
            if (step === 'leave') others.shift()?.unsubscribe();
            else if ('set' in step) things.update(step.set);
            else if ('remove' in step) things.delete(step.remove);
            else if ('replace' in step) things.replace(step.replace);
            else options$.next({ ...options$.value, ...step.options });
          };
          const follow = (
            options: Options | BehaviorSubject<Options>,
            see: (view: View<Thing>) => void = () => undefined,
          ): Subscription =>
            window$(things, options).subscribe((view) => {
              see(view);
              const next = pending.shift();
              if (next !== undefined) carryOut(next);
            });
          others.push(follow({}));
          let shown: View<Thing> | undefined;
          follow(options$, (view) => (shown = view));
          others.push(follow({ index: ['group', 'x'], sortBy: bySize, limit: 2 }));
          for (const step of outside) {
            carryOut(step);
            expect(shown).toEqual(oracle(things.list(), options$.value));
          }
          expect(shown).toEqual(oracle(things.list(), options$.value));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('supports a change of the emitted row itself, until there is nothing left to change', () => {
    const things = thingsOf(aThing('a', { size: 3 }), aThing('b', { size: 1 }));
    const texts: string[] = [];
    window$(things, { sortBy: bySize, limit: 1 }).subscribe((view) => {
      texts.push(`${textOf(view)}, ${String(view.rows[0]?.size)}`);
      const [row] = view.rows;
      if (row && sizeOf(row)! < 4) things.update({ ...row, size: sizeOf(row)! + 2 });
    });
    expect(texts).toEqual(['b / 2, 1', 'a / 2, 3', 'b / 2, 3', 'a / 2, 5'].slice(0, texts.length));
    expect(texts.at(-1)).toMatch(/ \/ 2, [45]$/);
  });

  it('emits nothing more to a subscriber that unsubscribes in the middle, and everything to the others', () => {
    const things = thingsOf(aThing('a'));
    const texts: string[] = [];
    const leaving: Subscription = window$(things).subscribe((view) => {
      texts.push(`leaves: ${textOf(view)}`);
      if (view.total === 2) {
        leaving.unsubscribe();
        things.add(aThing('c'));
      }
    });
    window$(things, { limit: 1 }).subscribe((view) => texts.push(`stays: ${textOf(view)}`));
    things.add(aThing('b'));
    things.add(aThing('d'));
    expect(texts).toEqual([
      'leaves: a / 1',
      'stays: a / 1',
      'leaves: a b / 2',
      'stays: a / 2',
      'stays: a / 3',
      'stays: a / 4',
    ]);
  });

  it('stops an informer whose last window is unsubscribed from in the middle of a commit, and starts it again with the next', () => {
    const events$ = new Subject<readonly WatchEvent<Thing>[]>();
    const things = informer(events$, { linger: 0, indexers: { group: groupOf } });
    const texts: string[] = [];
    const shown: Subscription = window$(things).subscribe((view) => {
      texts.push(textOf(view));
      if (view.total === 2) shown.unsubscribe();
    });
    events$.next([listed([aThing('a')], '1')]);
    events$.next([modified(aThing('b'))]);
    expect([texts, events$.observed]).toEqual([['a / 1', 'a b / 2'], false]);
    window$(things).subscribe((view) => texts.push(`again: ${textOf(view)}`));
    expect(events$.observed).toBe(true);
    events$.next([listed([aThing('c')], '2')]);
    expect(texts.at(-1)).toBe('again: c / 1');
  });
});

const failing = new Error('asked');

const many = Array.from({ length: 40 }, (_, n) => aThing(`t${n}`, { group: `g${n}`, size: n }));

const bad = aThing('bad', { group: 'bad', size: 41 });

const onlyGood = (text: string): string => {
  if (text === 'bad') throw failing;
  return text;
};

describe('window$', () => {
  const { deleted, listed, modified } = watchEvent;

  it.each<[string, Options]>([
    ['where', { where: (thing) => onlyGood(thing.group) !== '' }],
    ['a getter', { sortBy: [{ value: (thing) => onlyGood(thing.group) }] }],
    [
      'a collator',
      { sortBy: [{ value: groupOf, collator: { compare: (a, b) => (onlyGood(a) < onlyGood(b) ? -1 : 1) } }] },
    ],
  ])('errors with an error of %s in the middle of a commit, and affects no other subscriber', (_, options) => {
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

  it('keeps the position of a row through values of every type, commit by commit', () => {
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

  it('shows a bucket that is emptied and filled again', () => {
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

  it('shows the current object if a name is used again with another uid, in one commit or in two', () => {
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

  it('handles two windows over one collection separately', () => {
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
