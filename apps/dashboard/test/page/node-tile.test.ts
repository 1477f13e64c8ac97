import fc from 'fast-check';
import { aNode, type NodeOptions } from 'rx-informers/testing';
import { cellsSize, densityFor } from '../../page/nodes/map-style.js';
import { commonParts, nodeFacts, nodeGroups, shortName } from '../../page/nodes/node-order.js';
import { Slots, cellBox, slotAt, tileLayout } from '../../page/nodes/tile-layout.js';

describe('the positions of pods in a tile of the map', () => {
  it('stay the same until the pod is deleted, and the first free one is used next', () => {
    const slots = new Slots();
    expect(['a', 'b', 'c'].map((key) => slots.take(key))).toEqual([0, 1, 2]);
    expect([slots.leave('b'), slots.take('d'), slots.take('a'), slots.take('e')]).toEqual([1, 1, 0, 3]);
  });

  it('are as many as needed: free positions at the end are removed', () => {
    const slots = new Slots();
    for (const key of ['a', 'b', 'c']) slots.take(key);
    slots.leave('b');
    expect(slots.size).toBe(3);
    slots.leave('c');
    expect([slots.size, slots.leave('c')]).toEqual([1, undefined]);
  });

  it('are unique for each pod, after any additions and deletions', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 20 }))), (steps) => {
        const slots = new Slots();
        const present = new Set<string>();
        for (const [isComing, pod] of steps) {
          const key = `pod-${pod}`;
          if (isComing) slots.take(key);
          else slots.leave(key);
          if (isComing) present.add(key);
          else present.delete(key);
        }
        const kept = Array.from({ length: slots.size }, (_, slot) => slots.keyAt(slot)).filter(Boolean);
        expect(kept.sort()).toEqual([...present].sort());
      }),
    );
  });
});

describe('the cells of a tile of the map', () => {
  const size = { width: 170, height: 58 };

  it.each([1, 4, 72, 110, 180, 250, 1000])('of %d pods do not overlap, and are found where they are drawn', (count) => {
    const layout = tileLayout(count, size);
    expect(layout.columns * layout.rows).toBeGreaterThanOrEqual(count);
    const places = new Set<string>();
    for (let slot = 0; slot < count; slot++) {
      const [x, y, width, height] = cellBox(layout, slot, 1);
      expect(x + width).toBeLessThanOrEqual(size.width);
      expect(y + height).toBeLessThanOrEqual(size.height);
      expect(
        slotAt(
          layout,
          (slot % layout.columns) * layout.pitchX + layout.cellX / 2,
          Math.floor(slot / layout.columns) * layout.pitchY + layout.cellY / 2,
        ),
      ).toBe(slot);
      places.add(`${x} ${y}`);
    }
    expect(places.size).toBe(count);
  });

  it('grow until they fill the tile', () => {
    for (const count of [20, 60, 110]) {
      const { columns, rows, pitchX, pitchY } = tileLayout(count, size);
      expect((columns * pitchX * rows * pitchY) / (size.width * size.height)).toBeGreaterThan(0.75);
    }
  });

  it('are not found beside the cells', () => {
    const layout = tileLayout(10, size);
    expect([slotAt(layout, -1, 0), slotAt(layout, size.width + 30, 0)]).toEqual([undefined, undefined]);
  });

  it('fill the width of a row, and are smaller if there are many tiles', () => {
    expect(cellsSize(1000, { tile: 176, cells: 58 })).toEqual({ width: 177, height: 58 });
    expect([densityFor(12).cells, densityFor(1000).cells]).toEqual([58, 28]);
  });
});

describe('the tiles of the map', () => {
  const facts = (name: string, options: Partial<NodeOptions> = {}) => nodeFacts(aNode({ name, ...options }));
  const none: ReadonlySet<string> = new Set();

  it('are all nodes and those that only pods name, in natural order; pods without a node come first', () => {
    const order = { facts: [facts('n10'), facts('n2')], troubled: none, group: 'none' as const };
    expect(nodeGroups({ ...order, occupied: [] })).toEqual([{ title: '', names: ['n2', 'n10'] }]);
    expect(nodeGroups({ ...order, occupied: ['', 'lost'] })).toEqual([{ title: '', names: ['', 'lost', 'n2', 'n10'] }]);
    expect(nodeGroups({ facts: [], occupied: [], troubled: none, group: 'none' })).toEqual([]);
  });

  it('begin with nodes in trouble, then nodes with failing pods, then cordoned nodes, then all others', () => {
    const bad = nodeFacts({
      ...aNode({ name: 'z-bad' }),
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    });
    const order = { facts: [facts('a'), facts('c', { unschedulable: true }), facts('m'), bad], occupied: [] };
    expect(nodeGroups({ ...order, troubled: new Set(['m']), group: 'none' })[0]?.names).toEqual([
      'z-bad',
      'm',
      'c',
      'a',
    ]);
    expect([bad.trouble, facts('c', { unschedulable: true }).trouble, facts('a').trouble]).toEqual([
      'NotReady',
      'cordoned',
      undefined,
    ]);
  });

  it('are grouped by zone or pool', () => {
    const zone = (name: string) => ({
      labels: { 'topology.kubernetes.io/zone': name, 'eks.amazonaws.com/nodegroup': 'blue' },
    });
    const order = {
      facts: [facts('a', zone('eu-2')), facts('b', zone('eu-1')), facts('c')],
      occupied: [],
      troubled: none,
    };
    expect(nodeGroups({ ...order, group: 'zone' })).toEqual([
      { title: 'eu-1', names: ['b'] },
      { title: 'eu-2', names: ['a'] },
      { title: '', names: ['c'] },
    ]);
    expect(nodeGroups({ ...order, group: 'pool' }).map(({ title }) => title)).toEqual(['blue', '']);
  });

  it('have short names without the common prefix and domain, truncated in the middle', () => {
    const names = ['gke-prod-eu-pool-0-9f3c-x2kq.c.x.internal', 'gke-prod-eu-pool-1-77ab-mn4t.c.x.internal'];
    const common = commonParts(['', ...names]);
    expect(common).toEqual({ prefix: 'gke-prod-eu-pool-', suffix: '.c.x.internal' });
    expect(names.map((name) => shortName(name, common, 20))).toEqual(['0-9f3c-x2kq', '1-77ab-mn4t']);
    expect(shortName('gke-prod-europe-pool-0-9f3c-x2kq', { prefix: '', suffix: '' }, 14)).toBe('gke-pr…3c-x2kq');
    expect([commonParts(['worker-1', 'worker-2']).prefix, commonParts(['n-1', 'n-2']).prefix]).toEqual(['', '']);
    expect(commonParts(['only-one-node.example.com'])).toEqual({ prefix: '', suffix: '' });
  });
});
