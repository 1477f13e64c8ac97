import * as fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { slope } from '../../../scripts/slope.js';
import { longestWithout, watchComputing, watchEventLoop, type Interval } from '../../measure/event-loop-block.js';
import { RunLedger } from '../../measure/run-ledger.js';
import { microseconds, percentile, processorMilliseconds } from '../../measure/times.js';

describe('the measurement of how long a process computes', () => {
  it('returns the longest busy period, and does not count the time that the process waits', async () => {
    const longest = watchComputing();
    await sleep(60);
    expect(longest()).toBeLessThan(40);
    const computing = watchComputing();
    const { user, system } = process.cpuUsage();
    const spent = (): number => (process.cpuUsage().user + process.cpuUsage().system - user - system) / 1000;
    while (spent() < 160);
    await sleep(5);
    // Less than the elapsed time: the pause is counted from the last tick of the measurement.
    expect(computing()).toBeGreaterThanOrEqual(100);
  });
});

describe('the measurement of the longest event loop block', () => {
  it('returns the longest block, including that of the task that ends the measurement', async () => {
    const endOfWatching = watchEventLoop();
    await sleep(5);
    const until = performance.now() + 60;
    while (performance.now() < until);
    const { block } = await endOfWatching();
    expect(block).toBeGreaterThanOrEqual(40);
  });

  it.each<readonly [title: string, pauses: readonly Interval[], longest: number]>([
    ['no pause', [], 50],
    ['a pause within the longest block', [{ start: 110, end: 140 }], 30],
    [
      'pauses that reach into a block',
      [
        { start: 90, end: 110 },
        { start: 145, end: 200 },
      ],
      35,
    ],
    [
      'a pause within another one',
      [
        { start: 100, end: 140 },
        { start: 105, end: 110 },
      ],
      30,
    ],
    [
      'pauses outside of all blocks',
      [
        { start: 20, end: 30 },
        { start: 180, end: 190 },
      ],
      50,
    ],
  ])('counts the part of the longest block that no garbage collection covers: %s', (_, pauses, longest) => {
    const blocks = [
      { start: 40, end: 70 },
      { start: 100, end: 150 },
    ];
    expect(longestWithout(pauses, blocks)).toBe(longest);
  });
});

describe('microseconds', () => {
  it('passes each operation its own input, in the order of preparation', () => {
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

  it('takes a few samples even if the first one uses up the time', () => {
    let operations = 0;

    microseconds(
      () => undefined,
      () => operations++,
      { milliseconds: 0 },
    );

    expect(operations).toBeGreaterThan(1);
  });

  it('rethrows what an operation throws', () => {
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
  ])('the %d quantile of a thousand numbers is at most %d', (share, value) => {
    expect(percentile(values, share)).toBe(value);
  });

  it('throws for an empty list', () => {
    expect(() => percentile([], 0.5)).toThrow('no values');
  });
});

describe('processorMilliseconds', () => {
  it('passes each operation its own input, in the order of preparation', () => {
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

  it('takes a few samples even if there is no time for them', () => {
    let operations = 0;

    processorMilliseconds(
      () => undefined,
      () => operations++,
      { milliseconds: 0 },
    );

    expect(operations).toBe(7);
  });

  it('rethrows what an operation throws', () => {
    const fail = (): void => {
      throw new RangeError('full');
    };

    expect(() => processorMilliseconds(() => undefined, fail, { milliseconds: 1 })).toThrow(new RangeError('full'));
  });
});

describe('the ledger of runs', () => {
  it('counts an addition as waiting until the next run of its key, which may serve several additions', () => {
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

  it('counts runs that begin while another run of the same key is in progress', () => {
    const ledger = new RunLedger();
    for (const key of ['a', 'b', 'a', 'a']) ledger.started(key, 0);
    for (const key of ['a', 'a', 'a']) ledger.ended(key);
    ledger.started('a', 1);
    expect(ledger.overlaps).toBe(2);
  });

  it('is settled when each addition was followed by a run and all runs have ended', () => {
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
  it('returns the slope of the line through two points', () => {
    expect(
      slope([
        { at: 1, value: 10 },
        { at: 3, value: 4 },
      ]),
    ).toBe(-3);
  });

  it('recovers a line from any samples on it, in any order', () => {
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

  it('is not changed by disturbances that are the same before and after', () => {
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
  ])('throws for %s instead of returning a number', (_, samples) => {
    expect(() => slope(samples)).toThrow('at least two moments');
  });
});
