import { microseconds } from '../../../bench/measure/microseconds.js';

describe('microseconds', () => {
  it('gives every operation its own input, in the order in which they were prepared', () => {
    let prepared = 0;
    const inputs: number[] = [];

    const median = microseconds(
      () => prepared++,
      (input) => inputs.push(input),
      { milliseconds: 1, operationsPerSample: 3 },
    );

    expect(inputs).toEqual(Array.from({ length: prepared }, (_, position) => position));
    expect(median).toBeGreaterThan(0);
  });

  it('takes a few samples even where the first one has used up the time', () => {
    let operations = 0;

    microseconds(
      () => undefined,
      () => operations++,
      { milliseconds: 0 },
    );

    expect(operations).toBeGreaterThan(1);
  });

  it('passes on what an operation throws', () => {
    const fail = (): void => {
      throw new RangeError('full');
    };

    expect(() => microseconds(() => undefined, fail, { milliseconds: 1 })).toThrow(new RangeError('full'));
  });
});
