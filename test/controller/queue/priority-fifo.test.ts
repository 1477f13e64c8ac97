import fc from 'fast-check';
import {
  defaultControllerRateLimiter,
  fastSlow,
  itemExponentialBackoff,
  maxOf,
  type RateLimiter,
  tokenBucket,
  withMaxWait,
  type QueueGauges,
  type QueueMetrics,
} from 'rx-informers/controller';
import { virtualClock } from 'rx-informers/testing';
import { Heap, type HeapNode } from '../../../src/controller/queue/heap.js';
import { LinkedList } from '../../../src/controller/queue/linked-list.js';
import { PriorityFifo } from '../../../src/controller/queue/priority-fifo.js';
import { PriorityQueue } from '../../../src/controller/queue/priority-queue.js';
import { mergeReason } from '../../../src/controller/queue/queue-item.js';
import { errorWith } from '../../support/error-with.js';

const waits = (limiter: RateLimiter, count: number, { key = 'a', now = 0 } = {}): readonly number[] =>
  Array.from({ length: count }, () => limiter.when(key, now));

describe('itemExponentialBackoff', () => {
  it('W7: doubles the wait with each failure of a key, and of that key only', () => {
    const limiter = itemExponentialBackoff({ base: 1, cap: 1_000 });
    expect(waits(limiter, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(waits(limiter, 2, { key: 'b' })).toEqual([1, 2]);
  });

  it('W7: starts over once the key is forgotten', () => {
    const limiter = itemExponentialBackoff({ base: 1, cap: 1_000 });
    waits(limiter, 3);
    limiter.forget('a');
    expect(waits(limiter, 2)).toEqual([1, 2]);
  });

  it('W7: stays at its maximum, without overflow after thousands of failures', () => {
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
  it('W7: allows a burst at once, then one key each tenth of a second for all keys together', () => {
    const limiter = tokenBucket();
    expect(waits(limiter, 60)).toEqual(Array(60).fill(0));
    expect(waits(limiter, 43, { key: 'b' })).toEqual([...Array<number>(40).fill(0), 100, 200, 300]);
  });

  it('W7: refills with time, up to its burst', () => {
    const limiter = tokenBucket({ rate: 2, burst: 3 });
    expect(waits(limiter, 4)).toEqual([0, 0, 0, 500]);
    expect(waits(limiter, 2, { now: 1_000 })).toEqual([0, 500]);
    expect(waits(limiter, 5, { now: 60_000 })).toEqual([0, 0, 0, 500, 1_000]);
  });

  it('grants no extra retries when the clock is set back', () => {
    const limiter = tokenBucket({ rate: 1, burst: 1 });
    expect(waits(limiter, 1, { now: 5_000 })).toEqual([0]);
    expect(waits(limiter, 1, { now: 4_000 })).toEqual([2_000]);
  });

  it.each([{ rate: 0 }, { rate: NaN }, { burst: 0 }])('tokenBucket refuses the options %p', (options) => {
    expect(() => tokenBucket(options)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});

describe('fastSlow', () => {
  it('W7: is fast for the first failures of a key, then slow, until it is forgotten', () => {
    const limiter = fastSlow({ fast: 5, slow: 10_000, fastAttempts: 3 });
    expect(waits(limiter, 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect(waits(limiter, 1, { key: 'b' })).toEqual([5]);
    limiter.forget('a');
    expect(waits(limiter, 1)).toEqual([5]);
  });
});

describe('maxOf', () => {
  it('W7: queries all limiters, returns the longest wait, and forgets in all of them', () => {
    const limiter = maxOf(
      fastSlow({ fast: 5, slow: 3_000, fastAttempts: 3 }),
      itemExponentialBackoff({ base: 1, cap: 1e6 }),
    );
    expect(waits(limiter, 5)).toEqual([5, 5, 5, 3_000, 3_000]);
    expect(waits(limiter, 8).at(-1)).toBe(4_096);
    limiter.forget('a');
    expect(waits(limiter, 1)).toEqual([5]);
  });
});

describe('withMaxWait', () => {
  it('W7: shortens longer waits, and keeps counting failures', () => {
    const limiter = withMaxWait(fastSlow({ fast: 5, slow: 60_000, fastAttempts: 2 }), 500);
    expect(waits(limiter, 4)).toEqual([5, 5, 500, 500]);
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

const shiftAll = <T>(fifo: PriorityFifo<T>): readonly T[] => Array.from({ length: fifo.size }, () => fifo.shift() as T);

describe('Heap', () => {
  it('returns the least value first, after values were added and removed anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof({ weight: 2, arbitrary: fc.integer() }, { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) }),
          { maxLength: 60, size: 'max' },
        ),
        (steps) => {
          const heap = new Heap<number>((a, b) => a < b);
          const nodes: HeapNode<number>[] = [];
          for (const step of steps) {
            if (typeof step === 'number') nodes.push(heap.push(step));
            else if (nodes.length > 0) heap.remove(nodes.splice(step.remove % nodes.length, 1)[0]!);
            const values = nodes.map(({ value }) => value);
            expect(heap.first).toBe(values.length > 0 ? Math.min(...values) : undefined);
            expect(heap.size).toBe(nodes.length);
          }
        },
      ),
    );
  });
});

describe('LinkedList', () => {
  it('keeps the order of arrival when values are removed', () => {
    const list = new LinkedList<string>();
    const [a, b, c] = ['a', 'b', 'c'].map((value) => list.push(value));
    list.remove(b!);
    expect(list.first).toBe('a');
    list.remove(a!);
    expect(list.first).toBe('c');
    list.remove(c!);
    expect(list.isEmpty).toBe(true);
    list.push('d');
    expect(list.first).toBe('d');
  });
});

describe('PriorityFifo', () => {
  it('returns higher priorities first, and values of one priority in order of arrival', () => {
    const fifo = new PriorityFifo<string>();
    for (const [value, priority] of [
      ['a', 0],
      ['low', -100],
      ['b', 0],
      ['high', 7],
      ['c', 0],
    ] as const) {
      fifo.push(value, priority);
    }
    expect(shiftAll(fifo)).toEqual(['high', 'a', 'b', 'c', 'low']);
    expect(fifo.shift()).toBeUndefined();
  });

  it('puts a promoted value at the end of its new priority, and never demotes', () => {
    const fifo = new PriorityFifo<string>();
    const low = fifo.push('low', -100);
    const a = fifo.push('a', 0);
    fifo.push('b', 0);
    fifo.promote(low, 0);
    fifo.promote(a, -100);
    expect(shiftAll(fifo)).toEqual(['a', 'b', 'low']);
  });

  it('returns the oldest value after it was passed over nine times, including promoted ones by their age', () => {
    const fifo = new PriorityFifo<string>();
    fifo.push('low', -100);
    const promoted = fifo.push('promoted', -100);
    const nineHigh = Array.from({ length: 9 }, () => 'high');
    for (const value of [...nineHigh, ...nineHigh, 'high']) fifo.push(value, 1);
    fifo.promote(promoted, 0);
    expect(shiftAll(fifo)).toEqual([...nineHigh, 'low', ...nineHigh, 'promoted', 'high']);
  });
});

describe('mergeReason', () => {
  it('keeps each reason once, and the newest ones above the limit', () => {
    const sixteen = Array.from({ length: 16 }, (_, index) => index);
    expect(mergeReason(['a'], 'a')).toEqual(['a']);
    expect(mergeReason(['a'], 'b')).toEqual(['a', 'b']);
    expect(mergeReason(sixteen, 16)).toEqual([...sixteen.slice(1), 16]);
    expect(mergeReason(['a'], undefined)).toEqual(['a']);
  });
});

function aMeasuredQueue() {
  const received: (string | number)[][] = [];
  let gauges: QueueGauges | undefined;
  const metrics: QueueMetrics = {
    opened: (input) => void (gauges = input),
    added: (priority) => void received.push(['added', priority]),
    taken: (waited, priority) => void received.push(['taken', waited, priority]),
    finished: (took) => void received.push(['finished', took]),
    delayed: () => void received.push(['delayed']),
    closed: () => void received.push(['closed']),
  };
  const clock = virtualClock();
  const queue = new PriorityQueue({ scheduler: clock, metrics });
  return { queue, clock, received, gauges: gauges! };
}

describe('QueueMetrics', () => {
  it('W8: the hooks receive each counted addition, the waits and the durations, exactly (TestMetrics)', () => {
    const { queue, clock, received, gauges } = aMeasuredQueue();
    queue.add('a');
    clock.advance(50);
    queue.add('a');
    expect(gauges.depth).toBe(1);
    queue.tryGet();
    clock.advance(25);
    expect([gauges.depth, gauges.unfinishedWork, gauges.longestRunning]).toEqual([0, 25, 25]);
    queue.add('a');
    queue.add('b', { priority: -100 });
    queue.tryGet();
    clock.advance(10);
    expect([gauges.unfinishedWork, gauges.longestRunning]).toEqual([45, 35]);
    queue.done('a');
    queue.tryGet();
    expect(received).toEqual([
      ['added', 0],
      ['taken', 50, 0],
      ['added', 0],
      ['added', -100],
      ['taken', 0, -100],
      ['finished', 35],
      ['taken', 10, 0],
    ]);
  });

  it('W8: counts a delayed key when it is added, and again when its delay ends', () => {
    const { queue, clock, received, gauges } = aMeasuredQueue();
    queue.addAfter('a', 10);
    queue.addAfter('a', 20);
    expect([gauges.depth, gauges.delayed]).toEqual([0, 1]);
    clock.advance(10);
    expect([gauges.depth, gauges.delayed]).toEqual([1, 0]);
    expect(received).toEqual([['delayed'], ['delayed'], ['added', 0]]);
  });

  it('W8: is closed once, by the first shutdown (TestMetricShutdown)', () => {
    const { queue, received } = aMeasuredQueue();
    queue.shutDown();
    queue.shutDown();
    expect(received).toEqual([['closed']]);
  });
});
