import fc from 'fast-check';
import { summarise } from '../../bench/results/statistics.js';

describe('the summary of the figures of all rounds', () => {
  it('has the middle of an odd number of figures as its median', () => {
    expect(summarise([30, 10, 20])).toEqual({ median: 20, lowest: 10, highest: 30, spread: 1 });
  });

  it('has the mean of the two in the middle of an even number of figures as its median', () => {
    expect(summarise([4, 1, 2, 100])).toEqual({ median: 3, lowest: 1, highest: 100, spread: 33 });
  });

  it('orders numbers as numbers', () => {
    expect(summarise([9, 100, 80]).median).toBe(80);
  });

  it('has no spread where the median is nothing, and where there is one figure', () => {
    expect(summarise([0, 0, 5]).spread).toBe(0);
    expect(summarise([7])).toEqual({ median: 7, lowest: 7, highest: 7, spread: 0 });
  });

  it('says that there are no figures', () => {
    expect(() => summarise([])).toThrow('no figures');
  });

  it('does not depend on the order of the rounds, and leaves them as they are', () => {
    const figures = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(figures, (some) => {
        const before = [...some];
        const summary = summarise(some);
        expect(some).toEqual(before);
        expect(summarise(some.toReversed())).toEqual(summary);
        expect(summary.lowest).toBeLessThanOrEqual(summary.median);
        expect(summary.median).toBeLessThanOrEqual(summary.highest);
      }),
    );
  });
});
