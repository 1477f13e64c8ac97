import { animationFrameScheduler, of, Subject, VirtualTimeScheduler } from 'rxjs';
import { coalesceFrames } from 'rx-informers/views';
import { informerTest } from 'rx-informers/testing';

describe('coalesceFrames', () => {
  it('emits the first value at once, and then the latest one with each frame', () => {
    informerTest(({ animate, hot, expectObservable, expectSubscriptions }) => {
      animate('              ----x---x---x---x---x');
      const values = hot('   -a--bc-d--e-----f---|');
      const expected = '     -a------d---e-------(f|)';
      expectObservable(values.pipe(coalesceFrames(animationFrameScheduler))).toBe(expected);
      expectSubscriptions(values.subscriptions).toBe('^-------------------!');
    });
  });

  it('takes 16 ms for a frame on the clock of a test', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      const values = hot('-ab 13ms c 7ms d 30ms |');
      expectObservable(values.pipe(coalesceFrames(scheduler))).toBe('-a 16ms c 21ms d 14ms |');
    });
  });

  it('asks for frames only while something waits', () => {
    const scheduler = new VirtualTimeScheduler();
    const values = new Subject<number>();
    const seen: number[] = [];
    values.pipe(coalesceFrames(scheduler)).subscribe((value) => seen.push(value));
    values.next(1);
    expect(scheduler.actions).toHaveLength(0);
    values.next(2);
    values.next(3);
    expect(scheduler.actions).toHaveLength(1);
    scheduler.flush();
    expect([seen, scheduler.actions.length]).toEqual([[1, 3], 0]);
  });

  it('emits values that arrive at once as two: the first and the last', () => {
    informerTest(({ expectObservable, scheduler }) => {
      expectObservable(of('a', 'b', 'c').pipe(coalesceFrames(scheduler))).toBe('a 15ms (c|)');
    });
  });

  it('is a beginning for each subscriber', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      const coalesced = hot('-a-b----|').pipe(coalesceFrames(scheduler));
      expectObservable(coalesced, '  ^').toBe('-a 17ms (b|)');
      expectObservable(coalesced, '--^').toBe('---b----|');
    });
  });

  it('completes with an empty source, and passes an error on at once', () => {
    informerTest(({ cold, expectObservable, scheduler }) => {
      expectObservable(cold('--|').pipe(coalesceFrames(scheduler))).toBe('--|');
      expectObservable(cold('ab-#').pipe(coalesceFrames(scheduler))).toBe('a--#');
    });
  });

  it('leaves the source and takes back its frame when its subscriber leaves (G8)', () => {
    const scheduler = new VirtualTimeScheduler();
    const values = new Subject<number>();
    const seen: number[] = [];
    const subscription = values.pipe(coalesceFrames(scheduler)).subscribe((value) => seen.push(value));
    values.next(1);
    values.next(2);
    subscription.unsubscribe();
    scheduler.flush();
    expect([seen, values.observed]).toEqual([[1], false]);
  });

  it('takes a value that its subscriber causes into the next frame', () => {
    const scheduler = new VirtualTimeScheduler();
    const values = new Subject<number>();
    const seen: string[] = [];
    values.pipe(coalesceFrames(scheduler)).subscribe((value) => {
      seen.push(`${scheduler.frame}: ${value}`);
      if (value < 3) values.next(value + 1);
    });
    values.next(1);
    scheduler.flush();
    expect(seen).toEqual(['0: 1', '16: 2', '32: 3']);
  });
});
