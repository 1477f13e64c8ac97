import fc from 'fast-check';
import { aNode, type NodeOptions } from 'rx-informers/testing';
import { nodeFacts, nodeOrder } from '../../page/nodes/node-order.js';
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
  const size = { width: 144, height: 50 };

  it.each([1, 4, 72, 110, 180, 250, 1000])('of %d pods do not overlap, and are found where they are drawn', (count) => {
    const layout = tileLayout(count, size);
    const places = new Set<string>();
    for (let slot = 0; slot < count; slot++) {
      const [x, y, width, height] = cellBox(layout, slot, 1);
      expect(x + width).toBeLessThanOrEqual(size.width);
      expect(y + height).toBeLessThanOrEqual(size.height);
      const { columns, pitch, cell } = layout;
      const middle = [(slot % columns) * pitch + cell / 2, Math.floor(slot / columns) * pitch + cell / 2] as const;
      expect(slotAt(layout, ...middle)).toBe(slot);
      places.add(`${x} ${y}`);
    }
    expect(places.size).toBe(count);
  });

  it('grow until they fill most of the tile', () => {
    for (const count of [20, 60, 110]) {
      const { pitch } = tileLayout(count, size);
      expect((count * pitch ** 2) / (size.width * size.height)).toBeGreaterThan(0.6);
    }
  });

  it('are not found beside the cells', () => {
    const layout = tileLayout(10, size);
    expect([slotAt(layout, -1, 0), slotAt(layout, size.width + 30, 0)]).toEqual([undefined, undefined]);
  });
});

describe('the tiles of the map', () => {
  const facts = (name: string, options: Partial<NodeOptions> = {}) => nodeFacts(aNode({ name, ...options }));
  const troubled: ReadonlySet<string> = new Set();

  it('are all nodes and those that only pods name, in natural order; pods without a node come first', () => {
    const two = [facts('n10'), facts('n2')];
    expect(nodeOrder({ facts: two, occupied: [], troubled })).toEqual(['n2', 'n10']);
    expect(nodeOrder({ facts: two, occupied: ['', 'lost'], troubled })).toEqual(['', 'lost', 'n2', 'n10']);
    expect(nodeOrder({ facts: [], occupied: [], troubled })).toEqual([]);
  });

  it('begin with nodes in trouble, then nodes with failing pods, then cordoned nodes, then all others', () => {
    const bad = nodeFacts({
      ...aNode({ name: 'z-bad' }),
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    });
    const all = [facts('a'), facts('c', { unschedulable: true }), facts('m'), bad];
    expect(nodeOrder({ facts: all, occupied: [], troubled: new Set(['m']) })).toEqual(['z-bad', 'm', 'c', 'a']);
    expect(all.map(({ trouble }) => trouble)).toEqual([undefined, 'cordoned', undefined, 'NotReady']);
  });
});
