import { processorMilliseconds } from '../../../bench/measure/processor-milliseconds.js';

describe('processorMilliseconds', () => {
  it('gives every operation its own input, in the order in which they were prepared', () => {
    let prepared = 0;
    const inputs: number[] = [];

    const median = processorMilliseconds(
      () => prepared++,
      (input) => {
        inputs.push(input);
        for (let text = ''; text.length < 10_000;) text += 'x';
      },
      { milliseconds: 5 },
    );

    expect(inputs).toEqual(Array.from({ length: prepared }, (_, position) => position));
    expect(median).toBeGreaterThan(0);
  });

  it('takes a few samples even where there is no time', () => {
    let operations = 0;

    processorMilliseconds(
      () => undefined,
      () => operations++,
      { milliseconds: 0 },
    );

    expect(operations).toBe(7);
  });

  it('passes on what an operation throws', () => {
    const fail = (): void => {
      throw new RangeError('full');
    };

    expect(() => processorMilliseconds(() => undefined, fail, { milliseconds: 1 })).toThrow(new RangeError('full'));
  });
});
