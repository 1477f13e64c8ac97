import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { watchComputing } from '../../../bench/measure/event-loop-block.js';
import { microseconds } from '../../../bench/measure/microseconds.js';
import { percentile } from '../../../bench/measure/percentile.js';
import { processorMilliseconds } from '../../../bench/measure/processor-milliseconds.js';
import { RunLedger } from '../../../bench/measure/run-ledger.js';
import { slope } from '../../../bench/measure/slope.js';

describe('watching how long a process computes', () => {
  it('gives the longest pause in which it did, and not the time in which it only waited', async () => {
    const longest = watchComputing();
    await sleep(60);
    expect(longest()).toBeLessThan(40);
    const computing = watchComputing();
    const { user, system } = process.cpuUsage();
    const spent = (): number => (process.cpuUsage().user + process.cpuUsage().system - user - system) / 1000;
    while (spent() < 80);
    await sleep(5);
    expect(computing()).toBeGreaterThanOrEqual(79);
  });
});

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

describe('a ledger of runs', () => {
  it('lets every addition wait until the next run of its key, which may serve many', () => {
    const ledger = new RunLedger();
    ledger.added('a', 1);
    ledger.added('b', 2);
    ledger.added('a', 3);
    ledger.started('a', 5);
    expect(ledger.waits).toEqual([4, 2]);
    expect([ledger.additions, ledger.runs]).toEqual([3, 1]);
  });

  it('counts an addition during a run for the run after it', () => {
    const ledger = new RunLedger();
    ledger.added('a', 1);
    ledger.started('a', 1);
    ledger.added('a', 2);
    ledger.ended('a');
    ledger.started('a', 9);
    expect(ledger.waits).toEqual([0, 7]);
  });

  it('counts runs that begin while one of the same key is under way', () => {
    const ledger = new RunLedger();
    for (const key of ['a', 'b', 'a', 'a']) ledger.started(key, 0);
    for (const key of ['a', 'a', 'a']) ledger.ended(key);
    ledger.started('a', 1);
    expect(ledger.overlaps).toBe(2);
  });

  it('is settled when a run began after each addition, and all have ended', () => {
    const ledger = new RunLedger();
    ledger.added('a', 0);
    expect(ledger.isSettled).toBe(false);
    ledger.started('a', 1);
    expect(ledger.isSettled).toBe(false);
    ledger.ended('a');
    expect(ledger.isSettled).toBe(true);
  });
});

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
