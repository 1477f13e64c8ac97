import * as fc from 'fast-check';
import type { Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { apiBaseOf } from '../../page/address/api-base.js';
import { rovingTarget } from '../../page/frame/focus.js';
import { shownColumns, toggledColumn } from '../../page/pods/pod-columns.js';
import {
  filterPredicate,
  filterTest,
  noFilter,
  ownerOf,
  podPairs,
  toggled,
  type PodFilter,
} from '../../page/pods/pod-filter.js';
import { nextSorting, type SortedBy } from '../../page/table/columns.js';
import { indexAt, scrollTopFor, topOf, type TallRow } from '../../page/table/rows-in-sight.js';
import { activeIndex, movedTo, oneLine, rowsInPage, windowRange } from '../../page/table/rows.js';

const web = aPod({ name: 'web-1', namespace: 'shop', node: 'n1', labels: { app: 'web' } });

const entryOf = (pod: Pod) => ({ pod, pairs: podPairs(pod) });

describe('the filter', () => {
  const chosen = toggled(noFilter, 'namespace', 'shop');
  const matches = (filter: PodFilter, pod: Pod): boolean => filterPredicate(filter)?.(entryOf(pod)) ?? true;

  it('is cleared by choosing the same value again', () => {
    expect(toggled(chosen, 'namespace', 'shop')).toEqual(noFilter);
  });

  it('matches any of the chosen values of one facet, and all facets', () => {
    const either = toggled(toggled(chosen, 'namespace', 'blog'), 'label.app', 'web');
    const of = (namespace: string, app: string): Pod => aPod({ name: 'a', namespace, labels: { app } });
    expect(
      [of('shop', 'web'), of('blog', 'web'), of('bank', 'web'), of('shop', 'api')].map((pod) => matches(either, pod)),
    ).toEqual([true, true, false, false]);
  });

  it('keeps several labels at once', () => {
    const both = toggled(toggled(noFilter, 'label.app', 'web'), 'label.tier', 'back');
    expect(
      [{ app: 'web', tier: 'back' }, { app: 'web' }].map((labels) => matches(both, aPod({ name: 'a', labels }))),
    ).toEqual([true, false]);
  });

  it('requires every typed word, case-insensitively', () => {
    const typed = (text: string) => matches({ ...noFilter, text }, web);
    expect([typed('WEB n1'), typed('  '), typed('web n2'), typed('.*')]).toEqual([true, true, false, false]);
  });

  it('returns the single facet that a pod does not match, for the counts of that facet', () => {
    const test = filterTest(toggled(toggled(noFilter, 'namespace', 'blog'), 'node', 'n1'));
    expect(test(entryOf(web))).toEqual({ misses: 1, missed: 'namespace' });
    expect(filterTest({ ...noFilter, text: 'elsewhere' })(entryOf(web)).misses).toBeGreaterThan(1);
  });
});

describe('the facets of a pod', () => {
  it('are its namespace, status, phase, workload, app, node and labels, without labels that are unique to nearly every pod', () => {
    const pod = aPod({
      name: 'web-6c5d8f9b7-x2kqp',
      namespace: 'shop',
      node: 'n1',
      labels: { app: 'web', tier: '', 'pod-template-hash': '6c5d8f9b7' },
    });
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-6c5d8f9b7', uid: '1', controller: true },
    ];
    expect(podPairs({ ...pod, metadata: { ...pod.metadata, ownerReferences } })).toEqual([
      'namespace=shop',
      'status=Running',
      'phase=running',
      'owner=Deployment/shop/web',
      'app=web',
      'node=n1',
      'label.app=web',
      'label.tier=',
    ]);
  });

  it.each([
    ['Job', 'import-29384756', 'CronJob/shop/import'],
    ['Job', 'import', 'Job/shop/import'],
    ['StatefulSet', 'db', 'StatefulSet/shop/db'],
    ['ReplicaSet', 'by-hand', 'ReplicaSet/shop/by-hand'],
  ])('name the workload behind the %s %s: %s', (kind, name, owner) => {
    const pod = aPod({ name: 'a', namespace: 'shop', labels: { 'pod-template-hash': 'x' } });
    const ownerReferences = [{ apiVersion: 'v1', kind, name, uid: '1', controller: true }];
    expect(ownerOf({ ...pod, metadata: { ...pod.metadata, ownerReferences } })).toBe(owner);
  });
});

describe('the order of the table', () => {
  const click = (...clicks: readonly (readonly [string, boolean])[]): string =>
    clicks
      .reduce<readonly SortedBy[]>((order, [name, isAdding]) => nextSorting(order, name, isAdding), [])
      .map(({ name, direction }) => `${name} ${direction}`)
      .join();

  it('changes from ascending to descending to none', () => {
    expect([
      click(['name', false]),
      click(['name', false], ['name', false]),
      click(['name', false], ['name', false], ['name', false]),
    ]).toEqual(['name ascending', 'name descending', '']);
  });

  it('has several columns with Shift, each of which can be reversed and removed', () => {
    expect(click(['node', false], ['age', true])).toBe('node ascending,age ascending');
    expect(click(['node', false], ['age', true], ['node', true])).toBe('node descending,age ascending');
    expect(click(['node', false], ['age', true], ['node', true], ['node', true])).toBe('age ascending');
    expect(click(['node', false], ['age', true], ['name', false])).toBe('name ascending');
  });
});

describe('the columns of the table', () => {
  const names = (setting: string | undefined): string =>
    shownColumns(setting)
      .map(({ name }) => name)
      .join();

  it('are those in the address, in the order of the table, and always the name', () => {
    expect([names('ip,status'), names(''), names('nonsense')]).toEqual(['name,status,ip', 'name', 'name']);
  });

  it('are not in the address if they are the default ones', () => {
    const more = toggledColumn(undefined, 'ip');
    expect([names(more).includes('ip'), toggledColumn(more, 'ip')]).toEqual([true, undefined]);
  });
});

describe('the row with the keyboard focus', () => {
  const view = { rows: [], keys: ['c', 'a', 'b'], offset: 40, total: 43 };

  it('stays on its object when rows change places', () => {
    expect(activeIndex({ key: 'a', index: 2 }, view)).toBe(41);
  });

  it('stays at its position when its object is deleted, and within the table', () => {
    expect([activeIndex({ key: 'gone', index: 7 }, view), activeIndex({ key: 'gone', index: 99 }, view)]).toEqual([
      7, 42,
    ]);
    expect(activeIndex({ key: undefined, index: 0 }, { rows: [], keys: [], offset: 0, total: 0 })).toBe(0);
  });

  it('is scrolled into view, below the titles, and no further than needed', () => {
    const at = (index: number, scrollTop: number, tall: readonly TallRow[] = []) =>
      scrollTopFor(index, { scrollTop, clientHeight: 310 }, oneLine, tall);
    expect([at(0, 500), at(9, 0), at(10, 0), at(5, 140), at(4, 140)]).toEqual([0, 0, 28, 140, 112]);
    expect([at(9, 0, [{ index: 9, extra: 50 }]), at(10, 500, [{ index: 9, extra: 50 }])]).toEqual([50, 330]);
  });

  it('moves by a page, of which one row stays visible', () => {
    expect([rowsInPage(310, oneLine), rowsInPage(0, oneLine)]).toEqual([9, 1]);
  });

  it('stays within the table', () => {
    const moves = ['ArrowDown', 'j', 'ArrowUp', 'k', 'PageDown', 'PageUp', 'Home', 'End', 'x'];
    expect(moves.map((key) => movedTo(key, 5, 43, 10))).toEqual([6, 6, 4, 4, 15, 0, 0, 42, undefined]);
    expect(movedTo('ArrowDown', 42, 43, 10)).toBe(42);
  });
});

describe('arrow keys on the tiles of the map', () => {
  const grid = [0, 1, 2, 3, 4].map((at) => ({ left: (at % 3) * 100, top: Math.floor(at / 3) * 50 }));

  it('move along the order and from row to row, and not out of the map', () => {
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
  it('contains every visible row, and stays the same for small scroll steps', () => {
    expect([windowRange(0, 0), windowRange(3, 33), windowRange(39, 41)]).toEqual([
      { offset: 0, limit: 40 },
      { offset: 0, limit: 40 },
      { offset: 0, limit: 80 },
    ]);
    expect(windowRange(85, 130)).toEqual({ offset: 80, limit: 80 });
  });
});

describe('the rows of a table with expanded rows', () => {
  it('are placed by the heights of the rows before them, and are found at that place', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ index: fc.nat(30), extra: fc.integer({ min: 1, max: 200 }) }), {
          selector: ({ index }) => index,
        }),
        fc.nat(3000),
        (open, distance) => {
          const tall = open.toSorted((a, b) => a.index - b.index);
          const heights = Array.from(
            { length: 200 },
            (_, at) => 28 + (open.find(({ index }) => index === at)?.extra ?? 0),
          );
          const tops = heights.map((_, at) => heights.slice(0, at).reduce((sum, height) => sum + height, 0));
          expect(heights.map((_, at) => topOf(at, 28, tall))).toEqual(tops);
          expect(indexAt(distance, 28, tall)).toBe(tops.findLastIndex((top) => top <= distance));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the address of the API', () => {
  it.each([
    ['', ''],
    ['?api=/k8s', '/k8s'],
    ['?api=/k8s/api-v1/', '/k8s/api-v1'],
    ['?api=https://elsewhere.example', ''],
    ['?api=//elsewhere.example', ''],
    ['?api=/\\elsewhere.example', ''],
    ['?api=', ''],
  ])('for %s is %j: never on another server', (search, base) => {
    expect(apiBaseOf(search)).toBe(base);
  });
});
