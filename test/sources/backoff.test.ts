import { exponentialBackoff } from 'rx-informers';

describe('exponentialBackoff', () => {
  it('R18: waits [0.8, 1.6), [1.6, 3.2) … [30, 60) seconds (TestReflectorListAndWatchInitConnBackoff)', () => {
    const backoff = exponentialBackoff();
    const attempts = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(attempts.map((attempt) => backoff(attempt, 0))).toEqual([
      800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ]);
    expect(backoff(1, 0.5)).toBe(1_200);
    expect(backoff(7, 0.999)).toBeCloseTo(59_970);
  });

  it('the backoff does not overflow after many failures', () => {
    expect(exponentialBackoff()(5_000, 0)).toBe(30_000);
  });

  it('takes its numbers from the options', () => {
    const backoff = exponentialBackoff({ initial: 10, factor: 3, cap: 100, jitter: 0 });
    expect([1, 2, 3, 4].map((attempt) => backoff(attempt, 0.9))).toEqual([10, 30, 90, 100]);
  });
});
