import fc from 'fast-check';
import { BehaviorSubject, Subject, type Subscription } from 'rxjs';
import { informer, type WatchEvent, watchEvent } from 'rx-informers';
import { type View, window$, type WindowOptions } from 'rx-informers/views';
import { oracle } from './oracle.js';
import { aThing, groupOf, nameOf, sizeOf, textOf, thingsOf, type Thing } from './thing.js';

const { listed, modified } = watchEvent;

type Options = WindowOptions<Thing, 'group'>;

const bySize = [{ value: sizeOf }] as const;
const byName = [{ value: nameOf, direction: 'descending' }] as const;
const sized = (thing: Thing): boolean => thing.size !== undefined;

describe('window$, while it shows something', () => {
  it('shows what there is in the end, whatever its subscribers do with collection, options and subscriptions', () => {
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
      { numRuns: 400 },
    );
  });

  it('takes a change of the very row that it shows, until there is nothing left to change', () => {
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

  it('emits nothing more to a subscriber that leaves in the middle, and everything to the others', () => {
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

  it('stops an informer whose last window leaves in the middle of a commit, and starts it again with the next', () => {
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
