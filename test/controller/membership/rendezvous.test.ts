import fc from 'fast-check';
import {
  shareOf,
  allSlots,
  countOf,
  noSlots,
  slotCount,
  slotOf,
  slotsOf,
  tableOf,
} from '../../../src/controller/membership/claim.js';

const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,20}$/), { minLength: 1, maxLength: 12 });
const replicas = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `labeller-web-${index}`);

describe('shareOf', () => {
  it('gives each slot to exactly one member, wherever it is computed', () => {
    fc.assert(
      fc.property(names, (members) => {
        const shares = members.map((member) => shareOf(member, members));
        expect(shares.reduce((slots, share) => slots | share, noSlots)).toBe(allSlots);
        expect(shares.reduce((count, share) => count + countOf(share), 0)).toBe(slotCount);
        expect(shares[0]).toBe(shareOf(members[0]!, [...members].reverse()));
      }),
      { numRuns: 20 },
    );
  });

  it('moves nothing between members that stay, when one joins or leaves', () => {
    fc.assert(
      fc.property(names, (members) => {
        const [joining, ...others] = members;
        for (const member of others) {
          const [before, after] = [shareOf(member, others), shareOf(member, members)];
          expect(after & before).toBe(after);
          expect(before & ~after & ~shareOf(joining!, members)).toBe(noSlots);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([2, 3, 5, 10, 20])('shares about equally among %i: none has 1.5 times its part', (count) => {
    const counts = replicas(count).map((member) => countOf(shareOf(member, replicas(count))));
    expect(Math.max(...counts)).toBeLessThan((1.5 * slotCount) / count);
    expect(Math.min(...counts)).toBeGreaterThan((0.55 * slotCount) / count);
  });
});

describe('slots', () => {
  it('hash keys that differ in their last letters only into all slots', () => {
    const used = new Set(Array.from({ length: 20_000 }, (_, index) => slotOf(`team-${index}/web`)));
    expect(used.size).toBe(slotCount);
    for (const slot of used) expect(slot >= 0 && slot < slotCount).toBe(true);
  });

  it('hash a key alike on every machine, in every version', () => {
    expect(['web/a', 'worker-1', 'ü/ñ', ''].map(slotOf)).toEqual([934, 1020, 603, 881]);
  });

  it('slots are a set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(slotCount - 1)), (numbers) => {
        const slots = slotsOf(numbers);
        expect(countOf(slots)).toBe(numbers.length);
        const table = tableOf(slots);
        expect([...table.keys()].filter((slot) => table[slot] === 1)).toEqual([...numbers].sort((a, b) => a - b));
      }),
      { numRuns: 20 },
    );
  });
});
