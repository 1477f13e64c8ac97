import { dueSteps } from '../../../src/testing/workload/workload.js';

/** How many steps are due at each of these times, of a period that begins at 0. */
function dueAt(period: number, times: readonly number[]): readonly number[] {
  let time = 0;
  const due = dueSteps(period, { now: () => time });
  return times.map((next) => {
    time = next;
    return due();
  });
}

describe('dueSteps', () => {
  it('is one a period where the timer fires in time, whatever the period', () => {
    for (const period of [0.5, 1, 1000 / 3, 1000 / 7, 1000 / 999, 200, 60_000]) {
      const times: number[] = [];
      for (let index = 0, time = 0; index < 10_000; index += 1) times.push((time += period));
      expect(new Set(dueAt(period, times))).toEqual(new Set([1]));
    }
  });

  it('is as many as there are periods since, and keeps what is left of one', () => {
    expect(dueAt(0.5, [1, 2, 5])).toEqual([2, 2, 6]);
    expect(dueAt(10, [15, 29, 30, 61])).toEqual([1, 1, 1, 3]);
  });

  it('does not make up for more than a tenth of a second, but always for one period', () => {
    expect(dueAt(1, [5_000, 5_001])).toEqual([101, 1]);
    expect(dueAt(1_000, [1_000, 3_600_000, 3_601_000])).toEqual([1, 1, 1]);
  });

  it('goes on where the clock is set back', () => {
    expect(dueAt(10, [10, -3_600_000, -3_599_990, -3_599_980])).toEqual([1, 0, 1, 1]);
  });
});
