import { jest } from '@jest/globals';
import {
  asapScheduler,
  asyncScheduler,
  debounceTime,
  firstValueFrom,
  Subject,
  timer,
  VirtualTimeScheduler,
  type SchedulerAction,
} from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { steady, wallTime, wallTimeAt } from '../../src/scheduling/clock.js';
import { jumpingDate, jumpingScheduler } from '../support/wall-clock.js';

const hour = 3_600_000;

describe('the monotonic clock for decisions', () => {
  it.each([
    ['asyncScheduler', asyncScheduler],
    ['asapScheduler', asapScheduler],
  ])('does not change when the time of day is set (%s)', (_, scheduler) => {
    const date = jumpingDate();
    try {
      const clock = steady(scheduler);
      const before = clock.now();
      const timeOfDay = wallTime(clock);
      date.jump(-hour);
      const setBack = clock.now();
      date.jump(2 * hour);
      const setForward = clock.now();
      expect([setBack - before < 1_000, setForward - before < 1_000]).toEqual([true, true]);
      expect(setBack).toBeGreaterThanOrEqual(before);
      expect(wallTime(clock) - timeOfDay).toBeGreaterThanOrEqual(hour);
      expect(wallTimeAt(clock, clock.now() + 5_000) - wallTime(clock)).toBeLessThanOrEqual(5_000);
    } finally {
      date.restore();
    }
  });

  it('is virtual time for a virtual scheduler, also for asyncScheduler inside TestScheduler.run', () => {
    const virtual = new TestScheduler(() => undefined);
    const clock = steady();
    const seen: number[] = [];
    virtual.run(({ flush }) => {
      timer(60_000, clock).subscribe(() => seen.push(clock.now(), wallTime(clock)));
      flush();
    });
    const own = new VirtualTimeScheduler();
    timer(5, steady(own)).subscribe(() => seen.push(steady(own).now()));
    own.flush();
    expect(seen).toEqual([60_000, 60_000, 5]);
    expect(steady(virtual)).toBe(virtual);
  });

  it('begins at 0 in each virtual time, also with timers left in the one before', () => {
    const starts = [1, 2].map(() => {
      let start = -1;
      new TestScheduler(() => undefined).run(({ flush }) => {
        start = steady().now();
        timer(60_000, steady()).subscribe();
        flush();
      });
      return start;
    });
    expect(starts).toEqual([0, 0]);
  });

  it('has reached the time of a timer when the timer fires', async () => {
    const clock = steady();
    const early: number[] = [];
    for (let round = 0; round < 20; round++) {
      const due = clock.now() + 2;
      await firstValueFrom(timer(2, clock));
      if (clock.now() < due) early.push(due - clock.now());
    }
    expect(early).toEqual([]);
  });

  it.each([2 ** 31 - 1, 2 ** 31, 5 * 2 ** 31])('supports a wait of %i ms, although platform timers do not', (delay) => {
    const delays: number[] = [];
    const platform = new VirtualTimeScheduler();
    const clock = steady({
      now: () => platform.now(),
      schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, wait = 0, state?: T) => {
        delays.push(wait);
        return platform.schedule(work, wait, state);
      },
    });
    let firedAt: number | undefined;
    timer(delay, clock).subscribe(() => (firedAt = clock.now()));
    platform.flush();
    expect(firedAt).toBe(delay);
    expect(Math.max(...delays)).toBeLessThan(2 ** 31);
  });

  it('can be unsubscribed from during a wait longer than any timer', () => {
    const platform = new VirtualTimeScheduler();
    const clock = steady(jumpingScheduler(platform));
    const seen: unknown[] = [];
    const waiting = timer(2 ** 33, clock).subscribe((value) => seen.push(value));
    timer(2 ** 32, clock).subscribe(() => waiting.unsubscribe());
    platform.flush();
    expect(seen).toEqual([]);
    expect(platform.now()).toBeLessThan(2 ** 33);
  });

  it('prevents rxjs operators that compare times from waiting for the clock to catch up', () => {
    const virtual = new VirtualTimeScheduler();
    const scheduler = jumpingScheduler(virtual);
    const keys = new Subject<string>();
    const seen: [number, string][] = [];
    keys.pipe(debounceTime(10, steady(scheduler))).subscribe((key) => seen.push([virtual.now(), key]));
    virtual.schedule(() => keys.next('a'), 1);
    virtual.schedule(() => scheduler.jump(-hour), 2);
    virtual.flush();
    expect(seen).toEqual([[11, 'a']]);
    expect(scheduler.now()).toBeLessThan(0);
  });

  it('works if a test fakes the timers but not performance.now()', () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const clock = steady();
      const start = clock.now();
      let at = 0;
      timer(60_000, clock).subscribe(() => (at = clock.now()));
      jest.advanceTimersByTime(60_000);
      expect(at - start).toBeGreaterThanOrEqual(60_000);
    } finally {
      jest.useRealTimers();
    }
  });

  it('passes on the state of scheduled work', async () => {
    const seen = await new Promise((resolve) => {
      steady().schedule((state) => resolve(state), 1, 'state');
    });
    expect(seen).toBe('state');
  });
});
