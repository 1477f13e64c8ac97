import { window$, type WindowOptions } from 'rx-informers/views';
import { BehaviorSubject } from 'rxjs';
import { aThing, noThings, thingsOf, type Thing } from './thing.js';

const COUNT = 1000;

/**
 * The number of calls of the filter, the getter and the comparison since the last read.
 */
function counted(options: WindowOptions<Thing, 'group'> = {}) {
  const requests = { where: 0, value: 0, compare: 0 };
  const optionsWith = (changed: WindowOptions<Thing, 'group'>): WindowOptions<Thing, 'group'> => ({
    where: () => ++requests.where > 0,
    sortBy: [
      {
        value: (thing) => {
          requests.value++;
          return thing.group;
        },
        collator: {
          compare: (a, b) => {
            requests.compare++;
            return a < b ? -1 : 1;
          },
        },
      },
    ],
    limit: 20,
    ...changed,
  });
  const things = thingsOf(
    ...Array.from({ length: COUNT }, (_, n) => aThing(`t${n}`, { group: `g${(n * 7919) % COUNT}`, size: n })),
  );
  const input = optionsWith(options);
  const options$ = new BehaviorSubject(input);
  const windows: unknown[] = [];
  const subscription = window$(things, options$).subscribe((shown) => windows.push(shown));
  const since = () => {
    const before = { ...requests };
    Object.assign(requests, { where: 0, value: 0, compare: 0 });
    return before;
  };
  return { things, options$, input, optionsWith, since, subscription, windows };
}

describe('G10: the cost of a window', () => {
  it('at first: filter and getter once for each object, and one sort', () => {
    const { since } = counted();
    const { where, value, compare } = since();
    expect([where, value]).toEqual([COUNT, COUNT]);
    expect(compare).toBeLessThan(COUNT * Math.log2(COUNT));
  });

  it('a change that moves no row: filter and getter once, and no comparison', () => {
    const { things, since } = counted();
    since();
    things.update({ ...things.get('t7')!, size: -1 });
    expect(since()).toEqual({ where: 1, value: 1, compare: 0 });
  });

  it('a change that moves a row: as many comparisons as the height of the tree', () => {
    const { things, since } = counted();
    since();
    things.update({ ...things.get('t7')!, group: 'zzz' });
    const { where, value, compare } = since();
    expect([where, value]).toEqual([1, 1]);
    expect(compare).toBeGreaterThan(0);
    expect(compare).toBeLessThanOrEqual(24);
  });

  it('a deletion, a resync and a relist without changes: nothing', () => {
    const { things, since } = counted();
    since();
    things.delete('t7');
    things.resync();
    things.apply([{ type: 'Sync', key: 't8' }]);
    things.replace(things.list());
    expect(since()).toEqual({ where: 0, value: 0, compare: 0 });
  });

  it('another visible range: nothing', () => {
    const { options$, input, since } = counted();
    since();
    options$.next({ ...input, offset: 500 });
    options$.next({ ...input, offset: 500, limit: 100 });
    expect(since()).toEqual({ where: 0, value: 0, compare: 0 });
  });

  it('equal options in a new render: no call of an option, and no new window', () => {
    const { options$, input, since, windows } = counted({ limit: undefined });
    since();
    options$.next({ ...input, sortBy: [...input.sortBy!] });
    expect([since(), windows.length]).toEqual([{ where: 0, value: 0, compare: 0 }, 1]);
    options$.next({ ...input, limit: 5 });
    expect([since(), windows.length]).toEqual([{ where: 0, value: 0, compare: 0 }, 2]);
  });

  it('another filter: one call for each object, and nothing else', () => {
    const { options$, input, since } = counted();
    since();
    let requests = 0;
    options$.next({ ...input, where: () => ++requests % 2 === 0 });
    expect(requests).toBe(COUNT);
    options$.next({ ...input, where: undefined, selector: 'app' });
    expect(since()).toEqual({ where: 0, value: 0, compare: 0 });
  });

  it('another order: the getter once for each object, one sort, and no filter', () => {
    const { options$, input, optionsWith, since } = counted();
    since();
    options$.next({ ...input, sortBy: optionsWith({}).sortBy });
    const { where, value, compare } = since();
    expect([where, value]).toEqual([0, COUNT]);
    expect(compare).toBeLessThan(COUNT * Math.log2(COUNT));
  });

  it('another bucket: only the objects of that bucket', () => {
    const { options$, input, since } = counted();
    since();
    options$.next({ ...input, index: ['group', 'g1'] });
    expect(since()).toEqual({ where: 1, value: 1, compare: 0 });
  });

  it('a large commit: one sort, which is cheap if the objects arrive in order', () => {
    const things = noThings();
    let comparisons = 0;
    const compare = (a: string, b: string): number => {
      comparisons++;
      return a < b ? -1 : 1;
    };
    const by = { value: (thing: Thing) => thing.group, collator: { compare } };
    window$(things, { sortBy: [by], limit: 1 }).subscribe();
    things.replace([]);
    const inOrder = Array.from({ length: COUNT }, (_, n) => String(n).padStart(4, '0'));
    things.replace(inOrder.map((text) => aThing(text, { group: text })));
    expect(comparisons).toBeLessThan(2 * COUNT);
  });

  it('G10: a window without subscribers costs nothing', () => {
    const { things, options$, input, since, subscription } = counted();
    since();
    subscription.unsubscribe();
    things.add(aThing('late'));
    options$.next({ ...input, where: () => true });
    expect(since()).toEqual({ where: 0, value: 0, compare: 0 });
  });
});
