import {
  defaultControllerRateLimiter,
  fastSlow,
  itemExponentialBackoff,
  maxOf,
  type RateLimiter,
  tokenBucket,
  withMaxWait,
} from 'rx-informers/controller';

const waits = (limiter: RateLimiter, count: number, { key = 'a', now = 0 } = {}): readonly number[] =>
  Array.from({ length: count }, () => limiter.when(key, now));

describe('itemExponentialBackoff', () => {
  it('W7: doubles the wait with each failure of a key, and of that key only', () => {
    const limiter = itemExponentialBackoff({ base: 1, cap: 1_000 });
    expect(waits(limiter, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(limiter.requeues('a')).toBe(5);
    expect(waits(limiter, 2, { key: 'b' })).toEqual([1, 2]);
    expect(limiter.requeues('b')).toBe(2);
  });

  it('W7: begins again once the key is forgotten', () => {
    const limiter = itemExponentialBackoff({ base: 1, cap: 1_000 });
    waits(limiter, 3);
    limiter.forget('a');
    expect(limiter.requeues('a')).toBe(0);
    expect(waits(limiter, 2)).toEqual([1, 2]);
  });

  it('W7: stays at its cap, without overflow after thousands of failures', () => {
    const limiter = itemExponentialBackoff({ base: 1, cap: 10_000 });
    expect(waits(limiter, 2_000).slice(12)).toEqual([4_096, 8_192, ...Array<number>(1_986).fill(10_000)]);
    expect(waits(itemExponentialBackoff({ base: 0 }), 2_000).every((wait) => wait === 0)).toBe(true);
  });

  it('W7: by default, starts with 5 ms and ends with 1000 s', () => {
    const all = waits(itemExponentialBackoff(), 30);
    expect(all.slice(0, 3)).toEqual([5, 10, 20]);
    expect(all.at(-1)).toBe(1_000_000);
  });
});

describe('tokenBucket', () => {
  it('W7: lets a burst through at once, then one each tenth of a second, whatever the keys', () => {
    const limiter = tokenBucket();
    expect(waits(limiter, 60)).toEqual(Array(60).fill(0));
    expect(waits(limiter, 43, { key: 'b' })).toEqual([...Array<number>(40).fill(0), 100, 200, 300]);
    expect(limiter.requeues('a')).toBe(0);
  });

  it('W7: fills up again with time, to its burst and no further', () => {
    const limiter = tokenBucket({ rate: 2, burst: 3 });
    expect(waits(limiter, 4)).toEqual([0, 0, 0, 500]);
    expect(waits(limiter, 2, { now: 1_000 })).toEqual([0, 500]);
    expect(waits(limiter, 5, { now: 60_000 })).toEqual([0, 0, 0, 500, 1_000]);
  });

  it('gives nothing away when the clock goes back', () => {
    const limiter = tokenBucket({ rate: 1, burst: 1 });
    expect(waits(limiter, 1, { now: 5_000 })).toEqual([0]);
    expect(waits(limiter, 1, { now: 4_000 })).toEqual([2_000]);
  });

  it.each([{ rate: 0 }, { rate: NaN }, { burst: 0 }])('tokenBucket refuses the options %p', (options) => {
    expect(() => tokenBucket(options)).toThrow(RangeError);
  });
});

describe('fastSlow', () => {
  it('W7: is fast for the first failures of a key, then slow, until it is forgotten', () => {
    const limiter = fastSlow({ fast: 5, slow: 10_000, fastAttempts: 3 });
    expect(waits(limiter, 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect(limiter.requeues('a')).toBe(5);
    expect(waits(limiter, 1, { key: 'b' })).toEqual([5]);
    limiter.forget('a');
    expect(limiter.requeues('a')).toBe(0);
    expect(waits(limiter, 1)).toEqual([5]);
  });
});

describe('maxOf', () => {
  it('W7: asks all, returns the longest wait and the most requeues, and lets all forget', () => {
    const limiter = maxOf(
      fastSlow({ fast: 5, slow: 3_000, fastAttempts: 3 }),
      itemExponentialBackoff({ base: 1, cap: 1e6 }),
    );
    expect(waits(limiter, 5)).toEqual([5, 5, 5, 3_000, 3_000]);
    expect(waits(limiter, 8).at(-1)).toBe(4_096);
    expect(limiter.requeues('a')).toBe(13);
    limiter.forget('a');
    expect(limiter.requeues('a')).toBe(0);
    expect(waits(limiter, 1)).toEqual([5]);
  });
});

describe('withMaxWait', () => {
  it('W7: cuts longer waits, and counts on', () => {
    const limiter = withMaxWait(fastSlow({ fast: 5, slow: 60_000, fastAttempts: 2 }), 500);
    expect(waits(limiter, 4)).toEqual([5, 5, 500, 500]);
    expect(limiter.requeues('a')).toBe(4);
    limiter.forget('a');
    expect(waits(limiter, 1)).toEqual([5]);
  });
});

describe('defaultControllerRateLimiter', () => {
  it('W7: is the longer of 5 ms doubled for each key, and ten a second after a hundred for all', () => {
    const limiter = defaultControllerRateLimiter();
    expect(waits(limiter, 4)).toEqual([5, 10, 20, 40]);
    Array.from({ length: 96 }, (_, index) => limiter.when(`key-${index}`, 0));
    expect(limiter.when('late', 0)).toBe(100);
    expect(limiter.when('a', 1_000_000)).toBe(80);
  });
});
