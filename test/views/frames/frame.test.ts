import { animationFrameScheduler, asapScheduler } from 'rxjs';
import { frame } from 'rx-informers/views';
import { informerTest } from 'rx-informers/testing';

const page = globalThis as { requestAnimationFrame?: unknown };

describe('frame', () => {
  afterEach(() => {
    delete page.requestAnimationFrame;
  });

  it('emits with the next frame of the display, and completes', () => {
    informerTest(({ animate, expectObservable }) => {
      animate('            ---x---x');
      expectObservable(frame(animationFrameScheduler)).toBe('---(f|)', { f: 0 });
      expectObservable(frame(animationFrameScheduler), '-----^').toBe('-------(f|)', { f: 0 });
    });
  });

  it('takes the display by default, where there is one', () => {
    page.requestAnimationFrame = () => undefined;
    informerTest(({ animate, expectObservable }) => {
      animate('               ---x');
      expectObservable(frame()).toBe('---(f|)', { f: 0 });
    });
  });

  it('takes 16 ms for a frame where there is no display, or another clock', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(frame()).toBe('16ms (f|)', { f: 0 });
    });
    informerTest(({ expectObservable, scheduler }) => {
      expectObservable(frame(scheduler)).toBe('16ms (f|)', { f: 0 });
      expectObservable(frame(asapScheduler)).toBe('16ms (f|)', { f: 0 });
    });
  });

  it('asks for no frame before it is subscribed to, and takes the request back (G8)', () => {
    const requested: number[] = [];
    const cancelled: number[] = [];
    const given = globalThis as { requestAnimationFrame?: unknown; cancelAnimationFrame?: unknown };
    given.requestAnimationFrame = () => requested.push(requested.length);
    given.cancelAnimationFrame = (handle: number) => cancelled.push(handle);
    try {
      const next = frame();
      expect(requested).toHaveLength(0);
      next.subscribe().unsubscribe();
      expect([requested.length, cancelled.length]).toEqual([1, 1]);
    } finally {
      delete given.cancelAnimationFrame;
    }
  });
});
