import { setImmediate as settled } from 'node:timers/promises';
import { EMPTY, NEVER, Observable, of, take, throwError, Subject, type SchedulerAction } from 'rxjs';
import { type Leadership, TakenOverError, whileLeading, leader$, workqueue } from 'rx-informers/controller';
import { serverFaults, informerTest, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { leaseName, world } from './support/election.js';
import type { SchedulerWithElapsed } from '../../../src/time/clock.js';

const leading = (since: number, error?: Error): Leadership => ({
  type: 'leading',
  identity: 'a',
  since,
  transitions: since,
  error: error as undefined,
});

const states: Readonly<Record<string, Leadership>> = {
  s: { type: 'standby', holder: undefined, error: undefined },
  b: { type: 'standby', holder: 'b', error: undefined },
  l: leading(1),
  e: leading(1, new Error('renewal failed')),
  m: leading(2),
  x: { type: 'lost', cause: new TakenOverError(leaseName, 'a', 'b'), holder: 'b', ledSince: 1 },
};

describe('whileLeading', () => {
  it('runs the work while leading, and again with the next leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1-2-3-4-5');
      const leadership = hot<Leadership>('s-l---x-b-l-s', states);
      expectObservable(leadership.pipe(whileLeading(work))).toBe('--1-2-----1-');
      expectSubscriptions(work.subscriptions).toBe(['--^---!', '----------^-!']);
    });
  });

  it('goes on through what changes about the same leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1-2-3-4-5');
      const leadership = hot<Leadership>('l-e-l---x', states);
      expectObservable(leadership.pipe(whileLeading(work))).toBe('1-2-3-4--');
      expectSubscriptions(work.subscriptions).toBe(['^-------!']);
    });
  });

  it('starts over if one leadership follows another without a gap', () => {
    informerTest(({ cold, hot, expectSubscriptions, flush }) => {
      const work = cold('             1');
      hot<Leadership>('                l--m', states).pipe(whileLeading(work)).subscribe();
      flush();
      expectSubscriptions(work.subscriptions).toBe(['^--!', '---^']);
    });
  });

  it('calls a function with each leadership, and takes what it gives', () => {
    informerTest(({ hot, expectObservable }) => {
      const leadership = hot<Leadership>('l-x-m', states);
      expectObservable(leadership.pipe(whileLeading(({ transitions }) => [transitions]))).toBe('1---2', { 1: 1, 2: 2 });
    });
  });

  it('does not begin work again that has completed, within the same leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1|');
      expectObservable(hot<Leadership>('l-e-l-x-m', states).pipe(whileLeading(work))).toBe('1-------1');
      expectSubscriptions(work.subscriptions).toBe(['^!', '--------^!']);
    });
  });

  it('ends when stopped on standby, at once', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1');
      const leadership = hot<Leadership>('s-b---l', states);
      const stop$ = hot('             ---x-');
      expectObservable(leadership.pipe(whileLeading(work, { stop$ }))).toBe('---|');
      expectSubscriptions(leadership.subscriptions).toBe(['^--!']);
      expectSubscriptions(work.subscriptions).toBe([]);
    });
  });

  it('leads on when stopped until the work has ended by itself', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1---2-|');
      const leadership = hot<Leadership>('l--e----------', states);
      const stop$ = hot('             --x-x');
      expectObservable(leadership.pipe(whileLeading(work, { stop$ }))).toBe('1---2-|');
      expectSubscriptions(leadership.subscriptions).toBe(['^-----!']);
    });
  });

  it('ends when leadership is lost while it is being stopped, and begins no other work', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1---2-|');
      const leadership = hot<Leadership>('l---m---', states);
      const stop$ = hot('             --x-----');
      expectObservable(leadership.pipe(whileLeading(work, { stop$ }))).toBe('1---|');
      expectSubscriptions(work.subscriptions).toBe(['^---!']);
    });
  });

  it('ends at once when stopped after its work has completed, or before it began', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const leadership = hot<Leadership>('l----', states);
      expectObservable(leadership.pipe(whileLeading(cold('1|'), { stop$: cold('---x') }))).toBe('1--|');
      const other = hot<Leadership>('l----', states);
      expectObservable(other.pipe(whileLeading(cold('1|'), { stop$: of('now') }))).toBe('|');
      expectSubscriptions(other.subscriptions).toBe([]);
    });
  });

  it('goes on where what would stop it completes without a word, and passes its error on', () => {
    informerTest(({ cold, hot, expectObservable }) => {
      const leadership = (): Observable<Leadership> => hot<Leadership>('l----', states);
      expectObservable(leadership().pipe(whileLeading(cold('1-2'), { stop$: EMPTY }))).toBe('1-2');
      expectObservable(leadership().pipe(whileLeading(cold('1-2'), { stop$: cold('-#') }))).toBe('1#');
    });
  });

  it('passes on an error of the work, of the function, and of the leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const leadership = hot<Leadership>('l----', states);
      expectObservable(leadership.pipe(whileLeading(cold('1-#')))).toBe('1-#');
      expectSubscriptions(leadership.subscriptions).toBe('^-!');
      const failing = whileLeading((): Observable<string> => {
        throw new Error('no');
      });
      expectObservable(hot<Leadership>('l', states).pipe(failing)).toBe('#', undefined, new Error('no'));
      const work = cold('1');
      expectObservable(hot<Leadership>('l--#', states).pipe(whileLeading(work))).toBe('1--#');
      expectSubscriptions(work.subscriptions).toBe('^--!');
    });
  });

  it('completes with the leadership once the work has completed, and at once where there is none', () => {
    informerTest(({ cold, hot, expectObservable }) => {
      expectObservable(hot<Leadership>('l|', states).pipe(whileLeading(cold('1-2-|')))).toBe('1-2-|');
      expectObservable(hot<Leadership>('s-|', states).pipe(whileLeading(NEVER))).toBe('--|');
      expectObservable(EMPTY.pipe(whileLeading(NEVER))).toBe('|');
    });
  });

  it('stops the work before it leaves the leadership, so before the lease is given back', () => {
    const order: string[] = [];
    const leadership$ = new Observable<Leadership>((subscriber) => {
      subscriber.next(leading(1));
      return () => order.push('leadership left');
    });
    const work$ = new Observable(() => () => order.push('work stopped'));
    leadership$.pipe(whileLeading(work$)).subscribe().unsubscribe();
    expect(order).toEqual(['work stopped', 'leadership left']);

    const { candidate, server } = world();
    order.length = 0;
    server.requests$.subscribe(({ method }) => order.push(method));
    const { leadership$: elected, stop } = candidate('a');
    const running = elected.pipe(whileLeading(work$)).subscribe();
    stop();
    order.length = 0;
    running.unsubscribe();
    expect(order).toEqual(['work stopped', 'GET', 'PUT']);
  });

  it('stops the work when leadership is lost, before the leader asks the server for anything', () => {
    const { candidate, clock, server } = world();
    const order: string[] = [];
    const { leadership$ } = candidate('a');
    leadership$.pipe(whileLeading(new Observable(() => () => order.push(`${clock.now()} stopped`)))).subscribe();
    server.faults.always('any', serverFaults.refuse());
    clock.advance(9_000);
    server.requests$.subscribe(({ method }) => order.push(`${clock.now()} ${method}`));
    clock.advance(5_000);
    expect(order).toEqual(['10000 stopped', '13200 GET']);
  });

  it('an error of the work releases the lease, so that another replica tries', () => {
    const { candidate, holder } = world();
    const { leadership$, stop } = candidate('a');
    const errors: unknown[] = [];
    stop();
    leadership$
      .pipe(whileLeading(throwError(() => new Error('broken'))))
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([new Error('broken')]);
    expect(holder()).toBe('');
  });

  it('a subscriber can leave inside the first value of synchronous work', () => {
    const { candidate, holder } = world();
    const { leadership$, stop } = candidate('a');
    stop();
    const seen: number[] = [];
    leadership$.pipe(whileLeading(of(1, 2, 3)), take(1)).subscribe((value) => seen.push(value));
    expect([seen, holder()]).toEqual([[1], '']);
  });
});

/** A replica that leads, with timers that do not fire while its thread is blocked or stopped. */
function replica() {
  const clock = virtualClock();
  let [blocked, slept] = [0, 0];
  const scheduler: SchedulerWithElapsed = {
    elapsed: () => clock.now() + blocked,
    now: () => clock.now() + blocked + slept,
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T) =>
      clock.schedule(work, delay, state),
  };
  const { client } = createInMemoryApiServer({ scheduler: clock });
  const lines: string[] = [];
  return {
    lines,
    leadership$: leader$(client, { lease: leaseName, identity: 'a', scheduler, random: () => 0.5 }),
    log: (line: string) => void lines.push(line),
    logLeadership: ({ type }: Leadership) => void lines.push(type),
    /** Time passes on all clocks, and no timer fires. */
    block: (milliseconds: number) => void (blocked += milliseconds),
    /** The machine sleeps: only the time of day passes. */
    sleep: (milliseconds: number) => void (slept += milliseconds),
    /** Timers fire that are due by now; those of before the block are late. */
    turn: () => {
      clock.advance(1);
    },
    queue: (run: (key: string) => unknown) => workqueue(run, { scheduler, concurrency: 1 }),
  };
}

describe('a leadership whose renew deadline has passed by the clock, before its timer has fired (L2, L3)', () => {
  it('begins no other run after a run that blocked the event loop for longer than the deadline', () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const run = (key: string): void => {
      log(`run ${key}`);
      block(10_000);
    };
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(of('a', 'b', 'c').pipe(queue(run)))).subscribe();
    turn();
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('begins no other run in a microtask', async () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const keys = new Subject<string>();
    const run = async (key: string): Promise<void> => {
      log(`run ${key}`);
      await settled();
      block(10_000);
    };
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(keys.pipe(queue(run)))).subscribe();
    keys.next('a');
    keys.next('b');
    turn();
    await settled();
    await settled();
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('begins no run for a key that comes before any timer when a stopped process goes on', () => {
    const { leadership$, lines, log, logLeadership, block, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(keys.pipe(queue((key) => log(`run ${key}`))))).subscribe();
    block(9_999);
    keys.next('a');
    block(1);
    keys.next('b');
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('begins no run after the machine slept, although its timers stood still meanwhile', () => {
    const { leadership$, lines, log, logLeadership, sleep, turn, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(keys.pipe(queue((key) => log(`run ${key}`))))).subscribe();
    sleep(10_000);
    keys.next('a');
    turn();
    expect(lines).toEqual(['standby', 'leading', 'lost']);
  });

  it('passes on no value of work that is no queue', () => {
    const { leadership$, lines, log, logLeadership, block } = replica();
    const work = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(work)).subscribe(log);
    work.next('in time');
    block(10_000);
    work.next('late');
    expect(lines).toEqual(['standby', 'leading', 'in time', 'lost']);
    expect(work.observed).toBe(false);
  });

  it('begins no work, and notifies all subscribers in order, if the start of the work blocked for too long', async () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const slow = () => {
      block(10_000);
      return of('value');
    };
    const runs$ = of('a').pipe(queue((key) => log(`run ${key}`)));
    const slowRuns = () => {
      block(10_000);
      return runs$;
    };
    leadership$.pipe(whileLeading(slow)).subscribe(log);
    leadership$.pipe(whileLeading(slowRuns)).subscribe(() => undefined);
    leadership$.subscribe(logLeadership);
    turn();
    await settled();
    expect(lines).toEqual(['lost']);
  });

  it('starts no run of a queue that is subscribed to while leadership is emitted', () => {
    const { leadership$, lines, log, block, turn, queue } = replica();
    const runs$ = of('a').pipe(queue((key) => log(`run ${key}`)));
    let isFirst = true;
    const first = new Subject<Leadership>();
    const others: string[] = [];
    first.subscribe(({ type }) => {
      log(type);
      if (type !== 'leading' || !isFirst) return;
      isFirst = false;
      block(10_000);
    });
    first.pipe(whileLeading(runs$)).subscribe();
    first.subscribe(({ type }) => others.push(type));
    leadership$.subscribe(first);
    turn();
    expect(lines).toEqual(['standby', 'leading', 'lost']);
    expect(others).toEqual(['standby', 'leading', 'lost']);
  });

  it('does not stop work of the process that depends on no leadership', () => {
    const { leadership$, lines, log, logLeadership, block, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(NEVER)).subscribe();
    keys.pipe(queue((key) => log(`run ${key}`))).subscribe();
    block(10_000);
    keys.next('a');
    expect(lines).toEqual(['standby', 'leading', 'lost', 'run a']);
  });
});
