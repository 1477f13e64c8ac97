import fc from 'fast-check';
import { takeToken, tokenWait } from '../../src/sources/model/backoff.js';

describe('the token bucket', () => {
  it('lets through what a bucket with a level would let through', () => {
    const setup = fc.record({ interval: fc.integer({ min: 0, max: 50 }), burst: fc.integer({ min: 1, max: 5 }) });
    const pauses = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 40 });
    fc.assert(
      fc.property(setup, pauses, (rate, gaps) => {
        const { interval, burst } = rate;
        let fullAt = -Infinity;
        let now = 0;
        // In milliseconds: a token is worth `interval`. Below 0, tokens are reserved.
        let level = burst * interval;
        for (const gap of gaps) {
          now += gap;
          level = Math.min(burst * interval, level + gap);
          expect(tokenWait(fullAt, now, rate)).toBe(Math.max(0, interval - level));
          fullAt = takeToken(fullAt, now, rate);
          level -= interval;
        }
      }),
    );
  });
});
