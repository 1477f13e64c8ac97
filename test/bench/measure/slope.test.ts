import * as fc from 'fast-check';
import { slope } from '../../../bench/measure/slope.js';

describe('slope', () => {
  it('is that of a line through two points', () => {
    expect(
      slope([
        { at: 1, value: 10 },
        { at: 3, value: 4 },
      ]),
    ).toBe(-3);
  });

  it('finds the line again on which all samples lie, wherever and in which order they were taken', () => {
    const integer = fc.integer({ min: -1000, max: 1000 });
    fc.assert(
      fc.property(
        fc.uniqueArray(integer, { minLength: 2, maxLength: 30 }),
        integer,
        integer,
        (moments, growth, level) => {
          expect(slope(moments.map((at) => ({ at, value: level + growth * at })))).toBeCloseTo(growth, 6);
        },
      ),
    );
  });

  it('is not moved by disturbances that are the same before and after', () => {
    const disturbed = [0, 1, 2, 3, 4].map((at) => ({ at, value: 7 * at + (at === 1 || at === 3 ? 100 : 0) }));

    expect(slope(disturbed)).toBeCloseTo(7, 9);
  });

  it.each([
    ['nothing', []],
    ['one sample', [{ at: 1, value: 1 }]],
    [
      'one moment',
      [
        { at: 1, value: 1 },
        { at: 1, value: 2 },
      ],
    ],
  ])('of %s is an error and not a number', (_, samples) => {
    expect(() => slope(samples)).toThrow('at least two moments');
  });
});
