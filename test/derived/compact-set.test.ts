import fc from 'fast-check';
import { countOf, keysIn, withKey, withoutKey, type CompactSet } from '../../src/derived/core/compact-set.js';

describe('a compact set', () => {
  it('contains the keys that a Set contains, after any history, with one key, a few or many', () => {
    const step = fc.record({ key: fc.nat(300).map(String), isAdded: fc.boolean() });
    const steps = fc.tuple(fc.nat(260), fc.array(step, { maxLength: 200 }));
    fc.assert(
      fc.property(steps, ([count, changes]) => {
        let keys: CompactSet;
        const oracle = new Set<string>();
        const all = [
          ...Array.from({ length: count }, (_, number) => ({ key: String(number), isAdded: true })),
          ...changes,
        ];
        for (const { key, isAdded } of all) {
          keys = isAdded ? withKey(keys, key) : withoutKey(keys, key);
          if (isAdded) oracle.add(key);
          else oracle.delete(key);
          expect(countOf(keys)).toBe(oracle.size);
        }
        expect([...keysIn(keys)].sort()).toEqual([...oracle].sort());
        for (const key of oracle) keys = withoutKey(keys, key);
        expect(keys).toBeUndefined();
      }),
    );
  });
});
