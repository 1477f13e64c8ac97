import fc from 'fast-check';
import { Slots } from '../../../../examples/dashboard/page/model/slots.js';
import { cellPosition, slotAt, tileLayout } from '../../../../examples/dashboard/page/model/tile-layout.js';
import { tileNames } from '../../../../examples/dashboard/page/model/tile-names.js';

describe('the places of pods in a tile', () => {
  it('stay the same until the pod goes, and the first free one is taken next', () => {
    const slots = new Slots();
    expect(['a', 'b', 'c'].map((key) => slots.take(key))).toEqual([0, 1, 2]);
    expect([slots.leave('b'), slots.take('d'), slots.take('a'), slots.take('e')]).toEqual([1, 1, 0, 3]);
  });

  it('are as many as needed: what is free at the end is no place', () => {
    const slots = new Slots();
    for (const key of ['a', 'b', 'c']) slots.take(key);
    slots.leave('b');
    expect(slots.size).toBe(3);
    slots.leave('c');
    expect([slots.size, slots.leave('c')]).toEqual([1, undefined]);
  });

  it('are one for each pod, whatever comes and goes', () => {
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

describe('the cells of a tile', () => {
  it.each([1, 72, 73, 180, 181, 1000])('of %d pods lie in it, and are found where they are drawn', (count) => {
    const layout = tileLayout(count);
    for (let slot = 0; slot < count; slot++) {
      const [x, y] = cellPosition(layout, slot);
      expect(x + layout.cell).toBeLessThanOrEqual(layout.width);
      expect(y + layout.cell).toBeLessThanOrEqual(layout.height);
      expect(slotAt(layout, x + layout.cell / 2, y + layout.cell / 2)).toBe(slot);
    }
  });

  it('are not found beside them', () => {
    const layout = tileLayout(10);
    expect([slotAt(layout, -1, 0), slotAt(layout, layout.width + 5, 0)]).toEqual([undefined, undefined]);
  });
});

describe('the tiles', () => {
  it('are the nodes and those that only pods know, in order, and last what has no node', () => {
    expect([tileNames([], []), tileNames(['n1'], [])]).toEqual([[], ['n1', '']]);
    expect(tileNames(['n10', 'n2'], ['', 'n2', 'lost'])).toEqual(['lost', 'n2', 'n10', '']);
  });
});
