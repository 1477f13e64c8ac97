import { setImmediate as settled } from 'node:timers/promises';
import { NEVER, of, Subject, type SchedulerAction } from 'rxjs';
import { leader$, whileLeading, workqueue, type Leadership } from 'rx-informers/controller';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import type { SchedulerWithElapsed } from '../../../src/time/clock.js';
import { leaseName } from './support/election.js';

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
