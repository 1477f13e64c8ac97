import { itemExponentialBackoff } from 'rx-informers/controller';
import { virtualClock } from 'rx-informers/testing';
import { invalidQueueInputError } from '../../../src/controller/queue/errors.js';
import { PriorityQueue } from '../../../src/controller/queue/priority-queue.js';
import { collectUntil } from '../../support/collect-until.js';
import { errorWith } from '../../support/error-with.js';
import { until } from '../../support/until.js';

/** A queue in virtual time, which continues on request. */
function aQueue(options: ConstructorParameters<typeof PriorityQueue>[0] = {}) {
  const clock = virtualClock();
  const queue = new PriorityQueue({ scheduler: clock, ...options });
  const takeAll = (): readonly string[] => {
    const taken: string[] = [];
    for (let item = queue.tryGet(); item; item = queue.tryGet()) taken.push(item.key);
    return taken;
  };
  return { queue, clock, takeAll };
}

describe('PriorityQueue: the order of runs', () => {
  it('W1, W4: returns keys in the order of their addition', () => {
    const { queue, takeAll } = aQueue();
    for (const key of ['b', 'a', 'c']) queue.add(key);
    expect(takeAll()).toEqual(['b', 'a', 'c']);
  });

  it('W2: runs a key once for any number of additions while it waits (TestCollapse)', () => {
    const { queue, takeAll } = aQueue();
    for (let added = 0; added < 4; added++) queue.add('a');
    queue.add('b');
    queue.add('a');
    expect(queue.length).toBe(2);
    expect(takeAll()).toEqual(['a', 'b']);
  });

  it('W2: runs a key exactly once more, at the tail, for any number of additions while it runs (TestReinsert)', () => {
    const { queue, takeAll } = aQueue();
    queue.add('a');
    expect(takeAll()).toEqual(['a']);
    for (let added = 0; added < 4; added++) queue.add('a');
    queue.add('b');
    expect(queue.length).toBe(1);
    queue.done('a');
    expect(takeAll()).toEqual(['b', 'a']);
    queue.done('a');
    queue.done('b');
    expect(takeAll()).toEqual([]);
  });

  it('W2: has nothing for a second worker until the first one is done with the key (TestCollapseWhileProcessing)', () => {
    const { queue, takeAll } = aQueue();
    let ready = 0;
    queue.ready$.subscribe(() => ready++);
    queue.add('a');
    takeAll();
    queue.add('a');
    expect([ready, takeAll()]).toEqual([1, []]);
    queue.done('a');
    expect([ready, takeAll()]).toEqual([2, ['a']]);
  });

  it('W2: ignores done for a key that is not running', () => {
    const { queue, takeAll } = aQueue();
    queue.add('a');
    queue.done('a');
    queue.done('never seen');
    expect(takeAll()).toEqual(['a']);
  });

  it('W2: runs every key of many producers, none twice at once (TestAddWhileProcessing)', async () => {
    const { queue } = aQueue();
    const running = new Set<string>();
    const runs = new Map<string, number>();
    const work = async (key: string): Promise<void> => {
      expect(running.has(key)).toBe(false);
      running.add(key);
      const count = (runs.get(key) ?? 0) + 1;
      runs.set(key, count);
      if (count < 3) queue.add(key);
      await Promise.resolve();
      running.delete(key);
      queue.done(key);
    };
    queue.ready$.subscribe(() => {
      for (let item = queue.tryGet(); item; item = queue.tryGet()) void work(item.key);
    });
    for (let producer = 0; producer < 50; producer++) queue.add(`key-${producer}`);
    await until(() => queue.length + queue.running === 0);
    expect([...runs.values()]).toEqual(Array(50).fill(3));
  });
});

describe('PriorityQueue: priorities and reasons', () => {
  it('▲ W4: keeps the highest priority, promotes to the end of that priority, and never demotes', () => {
    const { queue, takeAll } = aQueue();
    queue.add('low', { priority: -100 });
    queue.add('a');
    queue.add('b', { priority: -100 });
    queue.add('b');
    queue.add('a', { priority: -100 });
    queue.addAfter('low', 50, { priority: 10 });
    expect(takeAll()).toEqual(['low', 'a', 'b']);
  });

  it('keeps the priority of a delayed key, and the higher one of a key added while it runs', () => {
    const { queue, clock } = aQueue();
    queue.addAfter('late', 5, { priority: -100 });
    clock.advance(5);
    expect(queue.tryGet()).toMatchObject({ key: 'late', priority: -100, addedAt: 5 });
    queue.add('late', { priority: -100 });
    queue.add('late', { priority: 3 });
    queue.done('late');
    expect(queue.tryGet()).toMatchObject({ key: 'late', priority: 3 });
  });

  it('passes a run all reasons that led to it, each once, up to a limit, and none that came later', () => {
    const { queue } = aQueue();
    queue.addAfter('a', 100, { reason: 1 });
    const later = Array.from({ length: 16 }, (_, index) => index + 2);
    for (const reason of [2, 2, undefined, ...later]) queue.add('a', { reason });
    const item = queue.tryGet();
    queue.add('a', { reason: 99 });
    expect(item?.reasons).toEqual(later);
    queue.done('a');
    expect(queue.tryGet()?.reasons).toEqual([99]);
  });

  it('W2: retains no reference to returned, promoted or dropped keys (TestGarbageCollection)', async () => {
    const { queue, clock } = aQueue();
    const reasons: WeakRef<object>[] = [];
    const aReason = (): object => {
      const reason = {};
      reasons.push(new WeakRef(reason));
      return reason;
    };
    queue.add('queued', { reason: aReason() });
    queue.add('promoted', { priority: -100, reason: aReason() });
    queue.add('promoted', { priority: 7, reason: aReason() });
    queue.addAfter('due', 5, { reason: aReason() });
    queue.addAfter('dropped', 50, { reason: aReason() });
    clock.advance(5);
    for (let item = queue.tryGet(); item; item = queue.tryGet()) queue.done(item.key);
    queue.shutDown();
    expect(reasons).toHaveLength(5);
    await collectUntil(() => reasons.every((reason) => reason.deref() === undefined));
    expect([queue.length, queue.delayed, queue.running]).toEqual([0, 0, 0]);
  });
});

describe('PriorityQueue: delays', () => {
  it('W5: uses the earliest time of several, in any order of additions, and fires once (TestDeduping)', () => {
    const { queue, clock, takeAll } = aQueue();
    expect(queue.addAfter('a', 50)).toBe(50);
    expect(queue.addAfter('a', 70)).toBe(50);
    expect(queue.addAfter('a', 20)).toBe(20);
    expect([queue.length, queue.delayed]).toEqual([0, 1]);
    clock.advance(20);
    expect(takeAll()).toEqual(['a']);
    queue.done('a');
    clock.advance(100);
    expect(takeAll()).toEqual([]);
  });

  it('W5: orders by time, not by addition (TestAddTwoFireEarly, TestCopyShifting)', () => {
    const { queue, clock, takeAll } = aQueue();
    queue.addAfter('first', 1_000);
    queue.addAfter('second', 500);
    queue.addAfter('third', 250);
    queue.addAfter('fourth', 500);
    clock.advance(250);
    expect(takeAll()).toEqual(['third']);
    clock.advance(1_750);
    expect(takeAll()).toEqual(['second', 'fourth', 'first']);
  });

  it('W5: adds a key without delay at once', () => {
    const { queue, takeAll } = aQueue();
    expect(queue.addAfter('a', 0)).toBe(0);
    queue.addAfter('b', -5);
    expect(takeAll()).toEqual(['a', 'b']);
  });

  it('▲ W5: a plain addition replaces a delayed one, and a delayed one adds nothing to a ready key', () => {
    const { queue, clock, takeAll } = aQueue();
    queue.addAfter('a', 50);
    queue.add('a');
    expect(queue.delayed).toBe(0);
    expect(queue.addAfter('a', 10)).toBe(0);
    expect(takeAll()).toEqual(['a']);
    queue.done('a');
    clock.advance(100);
    expect(takeAll()).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('W5: holds back a key whose delay ends while it runs', () => {
    const { queue, clock, takeAll } = aQueue();
    queue.add('a');
    takeAll();
    queue.addAfter('a', 10);
    clock.advance(10);
    expect(takeAll()).toEqual([]);
    queue.done('a');
    expect(takeAll()).toEqual(['a']);
  });

  it('needs one timer for all delayed keys, and none without delayed keys', () => {
    const { queue, clock } = aQueue();
    for (let delay = 100; delay > 0; delay--) queue.addAfter(`key-${delay}`, delay);
    expect(clock.timers).toBe(1);
    queue.shutDown();
    expect(clock.timers).toBe(0);
  });

  it('waits longer than the longest timer', () => {
    const { queue, clock, takeAll } = aQueue();
    const month = 30 * 24 * 3_600_000;
    queue.addAfter('a', month);
    clock.advance(month - 1);
    expect(takeAll()).toEqual([]);
    clock.advance(1);
    expect(takeAll()).toEqual(['a']);
  });

  it('W6: waits as the rate limiter decides, until the key is forgotten (TestRateLimitingQueue)', () => {
    const { queue, clock, takeAll } = aQueue({ rateLimiter: itemExponentialBackoff({ base: 1, cap: 1_000 }) });
    const delays = [0, 1_000, 2_000].map((now) => {
      const at = queue.addRateLimited('one');
      clock.advance(1_000);
      takeAll();
      queue.done('one');
      return Number(at) - now;
    });
    expect(delays).toEqual([1, 2, 4]);
    expect(queue.addRateLimited('two')).toBe(3_001);
    queue.forget('one');
    expect(queue.addRateLimited('one')).toBe(3_001);
  });
});

describe('PriorityQueue: shutting down', () => {
  it('W3: shutDown() refuses new keys, and hands out the queued ones', () => {
    const { queue, takeAll } = aQueue();
    let ready = 0;
    queue.add('a');
    queue.ready$.subscribe(() => ready++);
    queue.shutDown();
    queue.add('b');
    expect(queue.addAfter('c', 5)).toBeUndefined();
    expect([ready, takeAll()]).toEqual([1, ['a']]);
  });

  it('W5: drops delayed keys, and returns them', () => {
    const { queue, clock, takeAll } = aQueue();
    queue.addAfter('later', 20, { reason: 'r' });
    queue.addAfter('sooner', 10);
    expect(queue.shutDown()).toMatchObject([{ key: 'sooner' }, { key: 'later', reasons: ['r'] }]);
    clock.advance(100);
    expect(takeAll()).toEqual([]);
  });
});

describe('PriorityQueue: invalid input', () => {
  it.each([
    [5, {}, 'the key must be a string, not 5'],
    [null, {}, 'the key must be a string, not null'],
    ['a', { priority: NaN }, 'the priority of a must be a finite number, not NaN'],
  ])('refuses %p with %p', (key, options, problem) => {
    const { queue } = aQueue();
    expect(() => {
      queue.add(key as string, options);
    }).toThrow(invalidQueueInputError(key, problem));
    expect(queue.length).toBe(0);
  });

  it.each([NaN, Infinity])('refuses a delay of %p, also from a rate limiter', (delay) => {
    const rateLimiter = { when: () => delay, forget: () => undefined };
    const { queue } = aQueue({ rateLimiter });
    expect(() => queue.addAfter('a', delay)).toThrow(errorWith('RXI_INVALID_QUEUE_INPUT'));
    expect(() => queue.addRateLimited('a')).toThrow(errorWith('RXI_INVALID_QUEUE_INPUT'));
    expect(queue.delayed).toBe(0);
  });
});
