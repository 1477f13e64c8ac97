import { conflateChanges, type ChangeSet } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { nextFrame, coalesceFrames, tabHidden$ } from 'rx-informers/views';
import { animationFrameScheduler, asapScheduler, of, Subject, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { added, changeSet, deleted, updated } from '../../fixtures/changes.js';
import { aPod, type Pod } from '../../fixtures/pods.js';

describe('frame', () => {
  const page = globalThis as { requestAnimationFrame?: unknown };

  afterEach(() => {
    delete page.requestAnimationFrame;
  });

  it('emits with the next frame of the display, and completes', () => {
    informerTest(({ animate, expectObservable }) => {
      animate('            ---x---x');
      expectObservable(nextFrame(animationFrameScheduler)).toBe('---(f|)', { f: 0 });
      expectObservable(nextFrame(animationFrameScheduler), '-----^').toBe('-------(f|)', { f: 0 });
    });
  });

  it('uses the display by default, if there is one', () => {
    page.requestAnimationFrame = () => undefined;
    informerTest(({ animate, expectObservable }) => {
      animate('               ---x');
      expectObservable(nextFrame()).toBe('---(f|)', { f: 0 });
    });
  });

  it('uses 16 ms per frame without a display, or with another clock', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(nextFrame()).toBe('16ms (f|)', { f: 0 });
    });
    informerTest(({ expectObservable, scheduler }) => {
      expectObservable(nextFrame(scheduler)).toBe('16ms (f|)', { f: 0 });
      expectObservable(nextFrame(asapScheduler)).toBe('16ms (f|)', { f: 0 });
    });
  });

  it('requests no frame before it is subscribed to, and cancels the request (G8)', () => {
    const requested: number[] = [];
    const cancelled: number[] = [];
    const input = globalThis as { requestAnimationFrame?: unknown; cancelAnimationFrame?: unknown };
    input.requestAnimationFrame = () => requested.push(requested.length);
    input.cancelAnimationFrame = (handle: number) => cancelled.push(handle);
    try {
      const next = nextFrame();
      expect(requested).toHaveLength(0);
      next.subscribe().unsubscribe();
      expect([requested.length, cancelled.length]).toEqual([1, 1]);
    } finally {
      delete input.cancelAnimationFrame;
    }
  });
});

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

  it('uses 16 ms per frame with the clock of a test', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      const values = hot('-ab 13ms c 7ms d 30ms |');
      expectObservable(values.pipe(coalesceFrames(scheduler))).toBe('-a 16ms c 21ms d 14ms |');
    });
  });

  it('requests frames only while a value waits', () => {
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

  it('emits the first and the last of several synchronous values', () => {
    informerTest(({ expectObservable, scheduler }) => {
      expectObservable(of('a', 'b', 'c').pipe(coalesceFrames(scheduler))).toBe('a 15ms (c|)');
    });
  });

  it('starts separately for each subscriber', () => {
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

  it('unsubscribes from the source and cancels its frame when its subscriber unsubscribes (G8)', () => {
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

  it('emits a value that its subscriber causes in the next frame', () => {
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

const one = aPod({ version: 1 });

const two = aPod({ version: 2 });

const three = aPod({ version: 3 });

const values = {
  i: changeSet('initial', added(one)),
  e: changeSet<Pod>('initial'),
  n: changeSet<Pod>('watch'),
  u: changeSet('watch', updated(one, two)),
  v: changeSet('watch', updated(two, three)),
  m: changeSet('watch', updated(one, three)),
  a: changeSet('watch', added(three)),
  d: changeSet('watch', deleted(three)),
};

const conflateFrames = (scheduler: SchedulerLike) =>
  conflateChanges<Pod>({ release: nextFrame(scheduler), leading: true });

describe('conflateChanges with nextFrame() and leading', () => {
  it('emits the state at once, and then the merged changes with each frame', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      const sets = hot('  -i-uv 20ms d-a 20ms d 30ms |', values);
      const expected = '  -i 17ms m 21ms r 22ms d 14ms |';
      const relisted = changeSet('watch', updated(three, three));
      expectObservable(sets.pipe(conflateFrames(scheduler))).toBe(expected, { ...values, r: relisted });
    });
  });

  it('G1: emits an empty state at once too', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      expectObservable(hot('-e-n|', values).pipe(conflateFrames(scheduler))).toBe('-e--|', values);
    });
  });

  it('emits nothing for changes that cancelled out', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      expectObservable(hot('-e-a-d 30ms |', values).pipe(conflateFrames(scheduler))).toBe('-e 34ms |', values);
    });
  });

  it('completes after what is pending, and passes an error on at once', () => {
    informerTest(({ cold, expectObservable, scheduler }) => {
      expectObservable(cold('i-u|', values).pipe(conflateFrames(scheduler))).toBe('i 17ms (u|)', values);
      expectObservable(cold('i-u#', values).pipe(conflateFrames(scheduler))).toBe('i--#', values);
    });
  });

  it('unsubscribes from the source and cancels its frame when its subscriber unsubscribes (G8)', () => {
    const scheduler = new VirtualTimeScheduler();
    const sets = new Subject<ChangeSet<Pod>>();
    const seen: ChangeSet<Pod>[] = [];
    const subscription = sets.pipe(conflateFrames(scheduler)).subscribe((set) => seen.push(set));
    sets.next(values.i);
    sets.next(values.u);
    subscription.unsubscribe();
    scheduler.flush();
    expect([seen, sets.observed]).toEqual([[values.i], false]);
  });
});

/** A document that a test hides and shows, and that counts its listeners. */
class FakeDocument extends EventTarget {
  visibilityState = 'visible';
  listeners = 0;

  override addEventListener(type: string, listener: () => void): void {
    this.listeners++;
    super.addEventListener(type, listener);
  }

  override removeEventListener(type: string, listener: () => void): void {
    this.listeners--;
    super.removeEventListener(type, listener);
  }

  become(state: string): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

describe('tabHidden$', () => {
  const page = globalThis as { document?: unknown };

  afterEach(() => {
    delete page.document;
  });

  it('emits the current state and each change, and leaves no listener behind (G8)', () => {
    const document = new FakeDocument();
    const seen: boolean[] = [];
    const subscription = tabHidden$(document).subscribe((isHidden) => seen.push(isHidden));
    document.become('hidden');
    document.become('hidden');
    document.become('prerender');
    expect(document.listeners).toBe(1);
    subscription.unsubscribe();
    document.become('hidden');
    expect([seen, document.listeners]).toEqual([[false, true, false], 0]);
  });

  it('begins with hidden for a page that is opened in the background', () => {
    const document = new FakeDocument();
    document.visibilityState = 'hidden';
    const seen: boolean[] = [];
    tabHidden$(document).subscribe((isHidden) => seen.push(isHidden));
    expect(seen).toEqual([true]);
  });

  it("uses the page's own document at the time of subscription", () => {
    const hidden$ = tabHidden$();
    page.document = Object.assign(new FakeDocument(), { visibilityState: 'hidden' });
    const seen: unknown[] = [];
    hidden$.subscribe((isHidden) => seen.push(isHidden)).unsubscribe();
    expect(seen).toEqual([true]);
  });

  it('emits false and completes without a document', () => {
    const seen: unknown[] = [];
    tabHidden$().subscribe({ next: (isHidden) => seen.push(isHidden), complete: () => seen.push('complete') });
    expect(seen).toEqual([false, 'complete']);
  });
});
