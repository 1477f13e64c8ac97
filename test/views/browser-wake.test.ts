import { informerTest } from 'rx-informers/testing';
import { browserWake$, type WakeTarget } from 'rx-informers/views';
import { asyncScheduler, map, type SchedulerAction, type SchedulerLike, type Subscription } from 'rxjs';

/** A window that counts its listeners. */
function fakeWindow(hasDocument = true) {
  const window = new CountedTarget();
  const document = Object.assign(new CountedTarget(), { visibilityState: 'visible' });
  const target: WakeTarget = Object.assign(window, { document: hasDocument ? document : undefined });
  return {
    target,
    listeners: () => window.listeners + document.listeners,
    emit: (type: string, facts: object = {}) => window.dispatchEvent(Object.assign(new Event(type), facts)),
    show: (visibilityState: string) => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

class CountedTarget extends EventTarget {
  listeners = 0;

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners++;
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners--;
    super.removeEventListener(...args);
  }
}

/** The virtual clock, as it is after a sleep of `asleep` milliseconds. */
class SleepyClock implements SchedulerLike {
  asleep = 0;

  now(): number {
    return asyncScheduler.now() + this.asleep;
  }

  schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T): Subscription {
    return asyncScheduler.schedule<T>(work, delay, state);
  }
}

type Browser = ReturnType<typeof fakeWindow>;

/** The emissions with their times, until 200 s. */
function play(
  actions: readonly (readonly [at: number, act: (browser: Browser, clock: { asleep: number }) => void])[],
  hasDocument = true,
) {
  const browser = fakeWindow(hasDocument);
  const clock = new SleepyClock();
  const seen: string[] = [];
  informerTest(
    ({ flush }) => {
      const wake$ = browserWake$({ target: browser.target, scheduler: clock });
      const both = [
        wake$.subscribe(),
        wake$.pipe(map((reason) => `${asyncScheduler.now()}: ${reason}`)).subscribe((text) => seen.push(text)),
      ];
      for (const [at, act] of actions)
        asyncScheduler.schedule(() => {
          act(browser, clock);
        }, at);
      asyncScheduler.schedule(() => {
        expect(browser.listeners()).toBe(hasDocument ? 3 : 2);
        for (const each of both) each.unsubscribe();
      }, 200_000);
      flush();
    },
    { until: Infinity },
  );
  expect(browser.listeners()).toBe(0);
  return seen;
}

describe('browserWake$', () => {
  it('emits when the browser is online again, and when a page is restored from the cache, but not when it is loaded', () => {
    expect(
      play([
        [100, ({ emit }) => emit('pageshow', { persisted: false })],
        [200, ({ emit }) => emit('online')],
        [300, ({ emit }) => emit('pageshow', { persisted: true })],
      ]),
    ).toEqual(['200: online', '300: restored']);
  });

  it('emits when a tab is shown that was hidden for at least a minute', () => {
    expect(
      play([
        [
          1_000,
          ({ show }) => {
            show('hidden');
          },
        ],
        [
          60_999,
          ({ show }) => {
            show('visible');
          },
        ],
        [
          61_000,
          ({ show }) => {
            show('hidden');
          },
        ],
        [
          121_000,
          ({ show }) => {
            show('visible');
          },
        ],
      ]),
    ).toEqual(['121000: shown']);
  });

  it('emits once when a timer is late, because the machine slept', () => {
    expect(
      play([
        [6_000, (_, clock) => (clock.asleep += 30_000)],
        [51_000, (_, clock) => (clock.asleep += 9_000)],
      ]),
    ).toEqual(['10000: slept']);
  });

  it('has no timer in a hidden tab, where timers are usually late', () => {
    expect(
      play([
        [
          1_000,
          ({ show }) => {
            show('hidden');
          },
        ],
        [6_000, (_, clock) => (clock.asleep += 30_000)],
        [
          8_000,
          ({ show }) => {
            show('visible');
          },
        ],
      ]),
    ).toEqual([]);
  });

  it('detects sleep in a worker, which has no document', () => {
    expect(play([[6_000, (_, clock) => (clock.asleep += 30_000)]], false)).toEqual(['10000: slept']);
  });

  it('G8: completes at once in Node, without a timer or a listener', () => {
    informerTest(({ expectObservable, scheduler }) => {
      expectObservable(browserWake$()).toBe('|');
      scheduler.schedule(() => {
        expect(scheduler.actions.length).toBe(0);
      }, 1);
    });
  });
});
