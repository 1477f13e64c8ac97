import { virtualClock } from 'rx-informers/testing';
import { type ExternalStore, toExternalStore } from 'rx-informers/views';
import { BehaviorSubject, defer, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { uncaughtErrorsOf } from '../../informer/support/uncaught.js';
import { errorWith } from '../../support/error-with.js';

/**
 * A stream that counts its subscriptions, and a store over it whose linger time a test can observe.
 */
function storeOf<T>(value$: Observable<T>, initial: T, linger?: number) {
  const clock = virtualClock();
  const subscriptions = { open: 0, ever: 0 };
  const counted$ = new Observable<T>((subscriber) => {
    subscriptions.open++;
    subscriptions.ever++;
    subscriber.add(() => subscriptions.open--);
    subscriber.add(value$.subscribe(subscriber));
  });
  return { store: toExternalStore(counted$, initial, { linger, scheduler: clock }), subscriptions, clock };
}

const silent = (): void => undefined;

describe('toExternalStore', () => {
  it('has the initial snapshot while there is no value, and then the latest, and calls its listeners', () => {
    const values = new Subject<string>();
    const { store } = storeOf(values, 'initial');
    const seen: string[] = [];
    store.subscribe(() => seen.push(store.getSnapshot()));
    expect(store.getSnapshot()).toBe('initial');
    values.next('a');
    values.next('b');
    expect([seen, store.getSnapshot()]).toEqual([['a', 'b'], 'b']);
  });

  it('has a synchronous value of the stream as its first snapshot, before any subscription', () => {
    const { store } = storeOf(new BehaviorSubject('state'), 'initial');
    expect(store.getSnapshot()).toBe('state');
  });

  it('does not call a listener for values that the stream emits during its subscription', () => {
    const { store } = storeOf(of('state'), 'initial', 0);
    let calls = 0;
    expect(store.getSnapshot()).toBe('initial');
    store.subscribe(() => calls++);
    expect([calls, store.getSnapshot()]).toEqual([0, 'state']);
  });

  it('has functions that work separately, without this', () => {
    const { subscribe, getSnapshot, getServerSnapshot } = storeOf(of('state'), 'initial').store;
    subscribe(silent)();
    expect([getSnapshot(), getServerSnapshot()]).toEqual(['state', 'initial']);
  });

  it('has the initial snapshot on a server, without a subscription', () => {
    const { store, subscriptions } = storeOf(of('state'), 'initial');
    expect([store.getServerSnapshot(), subscriptions.ever]).toEqual(['initial', 0]);
    store.getSnapshot();
    expect(store.getServerSnapshot()).toBe('initial');
  });

  it('keeps the identity of a snapshot until the stream emits another value, and calls no listener before', () => {
    const values = new Subject<unknown>();
    const { store } = storeOf(values, undefined);
    let calls = 0;
    store.subscribe(() => calls++);
    const list = Object.freeze([]);
    for (const value of [undefined, list, list, NaN, NaN, [], 0, -0]) values.next(value);
    expect(calls).toBe(5);
    expect(store.getSnapshot()).toBe(store.getSnapshot());
  });

  it('subscribes once for all listeners, and unsubscribes after the last of them and the linger time', () => {
    const { store, subscriptions, clock } = storeOf(new BehaviorSubject(1), 0, 100);
    const [first, second] = [store.subscribe(silent), store.subscribe(silent)];
    first();
    first();
    clock.advance(200);
    expect(subscriptions).toEqual({ open: 1, ever: 1 });
    second();
    clock.advance(99);
    expect(subscriptions.open).toBe(1);
    clock.advance(1);
    expect(subscriptions.open).toBe(0);
  });

  it('calls no listener during a read, which may be a render, but right afterwards', async () => {
    const values = new Subject<string>();
    const { store: notified } = storeOf(values, 'initial');
    const opening$ = defer(() => {
      values.next('by the read');
      values.next('again');
      return of('read');
    });
    const { store: readOnly } = storeOf(opening$, 'initial');
    const { store: inner } = storeOf(
      defer(() => of(readOnly.getSnapshot())),
      'initial',
    );
    const seen: string[] = [];
    notified.subscribe(() => seen.push(notified.getSnapshot()));
    notified.subscribe(silent)();
    expect([inner.getSnapshot(), notified.getSnapshot(), seen]).toEqual(['read', 'again', []]);
    await Promise.resolve();
    expect(seen).toEqual(['again']);
    values.next('later');
    expect(seen).toEqual(['again', 'later']);
  });

  it('calls listeners as usual after a read that threw', () => {
    const values = new Subject<string>();
    const { store } = storeOf(values, 'initial');
    const { store: failing } = storeOf(
      throwError(() => new Error('failed')),
      'initial',
    );
    const seen: string[] = [];
    store.subscribe(() => seen.push(store.getSnapshot()));
    expect(() => failing.getSnapshot()).toThrow('failed');
    values.next('a');
    expect(seen).toEqual(['a']);
  });

  it('counts a listener that subscribes twice as two', () => {
    const values = new Subject<number>();
    const { store } = storeOf(values, 0);
    let calls = 0;
    const listener = (): void => {
      calls++;
    };
    const leave = store.subscribe(listener);
    store.subscribe(listener);
    values.next(1);
    leave();
    values.next(2);
    expect(calls).toBe(3);
  });

  it('lingers: a listener that returns in time finds the same subscription and snapshot, as in React in StrictMode', () => {
    const value = { of: 'a list' };
    const { store, subscriptions, clock } = storeOf(new BehaviorSubject<object>(value), {}, 100);
    store.subscribe(silent)();
    const leave = store.subscribe(silent);
    clock.advance(99);
    leave();
    clock.advance(99);
    expect(store.getSnapshot()).toBe(value);
    store.subscribe(silent);
    clock.advance(500);
    expect(subscriptions).toEqual({ open: 1, ever: 1 });
  });

  it('lingers for 5 s by default, and unsubscribes at once with 0', () => {
    const byDefault = storeOf(new BehaviorSubject(1), 0);
    byDefault.store.subscribe(silent)();
    byDefault.clock.advance(4999);
    expect(byDefault.subscriptions.open).toBe(1);
    byDefault.clock.advance(1);
    expect(byDefault.subscriptions.open).toBe(0);
    const { store, subscriptions, clock } = storeOf(new BehaviorSubject(1), 0, 0);
    store.subscribe(silent)();
    expect([subscriptions.open, clock.timers]).toEqual([0, 0]);
  });

  it('leaves nothing behind after a read without a listener: a discarded render (G8)', () => {
    const { store, subscriptions, clock } = storeOf(new BehaviorSubject(1), 0, 100);
    expect([store.getSnapshot(), store.getSnapshot(), subscriptions]).toEqual([1, 1, { open: 1, ever: 1 }]);
    clock.advance(100);
    expect([subscriptions.open, clock.timers]).toEqual([0, 0]);
  });

  it('does not subscribe for a read without a listener if it cannot linger', () => {
    const { store, subscriptions } = storeOf(new BehaviorSubject(1), 0, 0);
    expect([store.getSnapshot(), subscriptions.ever]).toEqual([0, 0]);
  });

  it('G6: drops its snapshot after it has unsubscribed, and starts over', () => {
    const values = new Subject<string>();
    const { store, subscriptions, clock } = storeOf(values, 'initial', 100);
    const leave = store.subscribe(silent);
    values.next('old');
    leave();
    clock.advance(100);
    store.subscribe(silent);
    expect([store.getSnapshot(), subscriptions]).toEqual(['initial', { open: 1, ever: 2 }]);
  });

  it('shows all listeners the same: the snapshot is new before any listener is called', () => {
    const values = new Subject<number>();
    const { store } = storeOf(values, 0);
    const seen: string[] = [];
    store.subscribe(() => seen.push(`first ${store.getSnapshot()}`));
    store.subscribe(() => seen.push(`second ${store.getSnapshot()}`));
    values.next(1);
    expect(seen).toEqual(['first 1', 'second 1']);
  });

  it('shows no listener an outdated snapshot if a listener causes the next value', () => {
    const values = new Subject<number>();
    const { store } = storeOf(values, 0);
    const seen: string[] = [];
    store.subscribe(() => {
      if (store.getSnapshot() === 1) values.next(2);
    });
    store.subscribe(() => seen.push(`second ${store.getSnapshot()}`));
    values.next(1);
    expect(new Set(seen)).toEqual(new Set(['second 2']));
  });

  it('does not call a listener that has unsubscribed, nor one added during the current change', () => {
    const values = new Subject<number>();
    const { store } = storeOf(values, 0);
    const called: string[] = [];
    store.subscribe(() => {
      called.push('first');
      leave();
      if (called.length === 1) store.subscribe(() => called.push('new'));
    });
    const leave = store.subscribe(() => called.push('second'));
    values.next(1);
    expect(called).toEqual(['first']);
    values.next(2);
    expect(called).toEqual(['first', 'first', 'new']);
  });

  it('calls the other listeners if one throws, and reports its error', () => {
    const errors = uncaughtErrorsOf(() => {
      const values = new Subject<number>();
      const { store } = storeOf(values, 0);
      let calls = 0;
      store.subscribe(() => {
        throw new Error('listener');
      });
      store.subscribe(() => calls++);
      values.next(1);
      expect(calls).toBe(1);
    });
    expect(errors).toEqual([new Error('listener')]);
  });

  it('keeps its snapshot when the stream completes, while it is used', () => {
    const { store, subscriptions, clock } = storeOf(of('only'), 'initial', 100);
    const leave = store.subscribe(silent);
    clock.advance(500);
    expect([store.getSnapshot(), subscriptions]).toEqual(['only', { open: 0, ever: 1 }]);
    leave();
    expect(store.getSnapshot()).toBe('only');
    clock.advance(100);
    expect([store.getSnapshot(), subscriptions.ever]).toEqual(['only', 2]);
  });

  describe('if the stream errors', () => {
    it('calls its listeners, and throws the error to each reader', () => {
      const values = new Subject<number>();
      const { store } = storeOf(values, 0);
      let calls = 0;
      store.subscribe(() => calls++);
      values.next(1);
      values.error(new Error('failed'));
      expect(calls).toBe(2);
      expect(() => store.getSnapshot()).toThrow('failed');
      expect(() => store.getSnapshot()).toThrow('failed');
      expect(store.getServerSnapshot()).toBe(0);
    });

    it('throws the error also if the stream errors synchronously', () => {
      const failed$ = throwError(() => new Error('failed'));
      expect(() => storeOf(failed$, 0).store.getSnapshot()).toThrow('failed');
      const { store } = storeOf(failed$, 0, 0);
      store.subscribe(silent);
      expect(() => store.getSnapshot()).toThrow('failed');
    });

    it('tries again for the first listener after all have unsubscribed, although it lingers', () => {
      let attempt = 0;
      const flaky$ = new Observable<string>((subscriber) => {
        if (++attempt === 1) subscriber.error(new Error('failed'));
        else subscriber.next('better');
      });
      const { store } = storeOf(flaky$, 'initial');
      const leave = [store.subscribe(silent), store.subscribe(silent)];
      leave[0]!();
      expect(() => store.getSnapshot()).toThrow('failed');
      leave[1]!();
      expect(store.getSnapshot()).toBe('better');
    });

    it.each([
      ['reads', ({ getSnapshot }: ExternalStore<string>) => getSnapshot()],
      [
        'subscribes',
        ({ subscribe, getSnapshot }: ExternalStore<string>) => {
          subscribe(silent);
          return getSnapshot();
        },
      ],
    ])('tries again on the next %s if no listener received the error: a render that failed', (_, come) => {
      let attempt = 0;
      const flaky$ = new Observable<string>((subscriber) => {
        if (++attempt < 3) subscriber.error(new Error(`failed ${attempt}`));
        else subscriber.next('better');
      });
      const { store } = storeOf(flaky$, 'initial');
      expect(() => store.getSnapshot()).toThrow('failed 1');
      expect(() => store.getSnapshot()).toThrow('failed 2');
      expect(come(store)).toBe('better');
    });

    it('throws undefined if the error is undefined', () => {
      const { store } = storeOf(
        new Observable<number>((subscriber) => {
          subscriber.error(undefined);
        }),
        0,
      );
      let thrown: unknown = 'nothing';
      try {
        store.getSnapshot();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeUndefined();
    });
  });

  it.each([-1, NaN, Infinity, 2 ** 31])('throws for a linger time of %p ms', (linger) => {
    expect(() => toExternalStore(NEVER, 0, { linger })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
