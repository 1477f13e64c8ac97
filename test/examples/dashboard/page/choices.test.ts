import type { Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { activeIndex, movedTo } from '../../../../examples/dashboard/page/model/active-row.js';
import { apiBaseOf } from '../../../../examples/dashboard/page/model/api-base.js';
import { facetsOf, indexByLabelPair } from '../../../../examples/dashboard/page/model/label-pairs.js';
import { nextFilter, noFilter, podSelection } from '../../../../examples/dashboard/page/model/pod-filter.js';
import { rovingTarget } from '../../../../examples/dashboard/page/model/roving-target.js';
import { rowsInPage, scrollTopFor } from '../../../../examples/dashboard/page/model/row-scroll.js';
import { nextSorting, type SortedBy } from '../../../../examples/dashboard/page/model/sorting.js';
import { windowRange } from '../../../../examples/dashboard/page/model/window-range.js';

const web = aPod({ name: 'web-1', namespace: 'shop', node: 'n1', labels: { app: 'web' } });

describe('the filter', () => {
  const chosen = nextFilter(noFilter, { type: 'toggle', index: 'namespace', value: 'shop' });
  const matches = (filter: typeof noFilter, pod: Pod): boolean => podSelection(filter).where?.(pod) ?? true;

  it('is taken back by choosing the same again', () => {
    expect(nextFilter(chosen, { type: 'toggle', index: 'namespace', value: 'shop' })).toEqual(noFilter);
  });

  it('looks at one bucket, and asks its pods for the rest', () => {
    const both = nextFilter(chosen, { type: 'toggle', index: 'node', value: 'n1' });
    expect(podSelection(both).index).toEqual(['node', 'n1']);
    expect([matches(both, web), matches(both, aPod({ name: 'a', namespace: 'blog', node: 'n1' }))]).toEqual([
      true,
      false,
    ]);
  });

  it('wants every word that is typed, whatever its case', () => {
    const typed = (text: string) => matches(nextFilter(noFilter, { type: 'type', text }), web);
    expect([typed('WEB n1'), typed('  '), typed('web n2'), typed('.*')]).toEqual([true, true, false, false]);
  });
});

describe('labels as facets', () => {
  it('are grouped by label; those that nearly every pod has its own of are left out', () => {
    const pairs = indexByLabelPair(aPod({ name: 'a', labels: { app: 'web', tier: '', 'pod-template-hash': 'x' } }));
    expect(facetsOf(['app=api', ...pairs])).toEqual([
      { label: 'app', pairs: ['app=api', 'app=web'] },
      { label: 'tier', pairs: ['tier='] },
    ]);
  });
});

describe('the order of the table', () => {
  const click = (...clicks: readonly (readonly [SortedBy['name'], boolean])[]): string =>
    clicks
      .reduce<readonly SortedBy[]>((order, [name, isAdding]) => nextSorting(order, name, isAdding), [])
      .map(({ name, direction }) => `${name} ${direction}`)
      .join();

  it('goes from ascending to descending to none', () => {
    expect([
      click(['name', false]),
      click(['name', false], ['name', false]),
      click(['name', false], ['name', false], ['name', false]),
    ]).toEqual(['name ascending', 'name descending', '']);
  });

  it('is by several columns with Shift, each of which can be turned and taken out', () => {
    expect(click(['node', false], ['age', true])).toBe('node ascending,age ascending');
    expect(click(['node', false], ['age', true], ['node', true])).toBe('node descending,age ascending');
    expect(click(['node', false], ['age', true], ['node', true], ['node', true])).toBe('age ascending');
    expect(click(['node', false], ['age', true], ['name', false])).toBe('name ascending');
  });
});

describe('the row that the keyboard is at', () => {
  const view = { rows: [], keys: ['c', 'a', 'b'], offset: 40, total: 43 };

  it('stays at its object when rows change places', () => {
    expect(activeIndex({ key: 'a', index: 2 }, view)).toBe(41);
  });

  it('stays where it was when its object goes, and in the table', () => {
    expect([activeIndex({ key: 'gone', index: 7 }, view), activeIndex({ key: 'gone', index: 99 }, view)]).toEqual([
      7, 42,
    ]);
    expect(activeIndex({ key: undefined, index: 0 }, { rows: [], keys: [], offset: 0, total: 0 })).toBe(0);
  });

  it('is scrolled into sight, below the titles, and no further than needed', () => {
    const at = (index: number, scrollTop: number) => scrollTopFor(index, { scrollTop, clientHeight: 310 });
    expect([at(0, 500), at(9, 0), at(10, 0), at(5, 140), at(4, 140)]).toEqual([0, 0, 28, 140, 112]);
    expect([rowsInPage({ scrollTop: 0, clientHeight: 310 }), rowsInPage({ scrollTop: 0, clientHeight: 0 })]).toEqual([
      9, 1,
    ]);
  });

  it('moves within the table', () => {
    const moves = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'x'];
    expect(moves.map((key) => movedTo(key, 5, 43, 10))).toEqual([6, 4, 15, 0, 0, 42, undefined]);
    expect(movedTo('ArrowDown', 42, 43, 10)).toBe(42);
  });
});

describe('arrows among tiles', () => {
  const grid = [0, 1, 2, 3, 4].map((at) => ({ left: (at % 3) * 100, top: Math.floor(at / 3) * 50 }));

  it('lead along the order and from row to row, and not out', () => {
    expect([
      rovingTarget('ArrowRight', 2, grid),
      rovingTarget('ArrowDown', 1, grid),
      rovingTarget('ArrowUp', 4, grid),
    ]).toEqual([3, 4, 1]);
    expect([rovingTarget('ArrowDown', 2, grid), rovingTarget('ArrowUp', 0, grid), rovingTarget('a', 0, grid)]).toEqual([
      4,
      0,
      undefined,
    ]);
  });
});

describe('the window of the table', () => {
  it('holds every row in sight, and stays the same for small steps', () => {
    expect([windowRange(0, 0), windowRange(3, 33), windowRange(39, 41)]).toEqual([
      { offset: 0, limit: 40 },
      { offset: 0, limit: 40 },
      { offset: 0, limit: 80 },
    ]);
    expect(windowRange(85, 130)).toEqual({ offset: 80, limit: 80 });
  });
});

describe('where the API is', () => {
  it.each([
    ['', ''],
    ['?api=/k8s', '/k8s'],
    ['?api=/k8s/api-v1/', '/k8s/api-v1'],
    ['?api=https://elsewhere.example', ''],
    ['?api=//elsewhere.example', ''],
    ['?api=/\\elsewhere.example', ''],
    ['?api=', ''],
  ])('%s is %j: never at another server', (search, base) => {
    expect(apiBaseOf(search)).toBe(base);
  });
});
