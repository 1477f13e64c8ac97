import { percentile } from '../../../bench/measure/percentile.js';

describe('percentile', () => {
  const values = Array.from({ length: 1000 }, (_, position) => 1000 - position);

  it.each([
    [0.5, 500],
    [0.99, 990],
    [1, 1000],
    [0, 1],
  ])('the share %d of a thousand numbers does not exceed %d', (share, value) => {
    expect(percentile(values, share)).toBe(value);
  });

  it('throws where there is nothing to choose from', () => {
    expect(() => percentile([], 0.5)).toThrow('no values');
  });
});
