import { setImmediate } from 'node:timers/promises';
import { configMaps, informer, type ConfigMap, type KubeClient } from 'rx-informers';
import {
  controller,
  leader$,
  whileLeading,
  workqueue,
  type Leadership,
  type Leading,
  type ReconcileRequest,
} from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { aConfigMap, createInMemoryApiServer, informerTest, serverFaults, virtualClock } from 'rx-informers/testing';
import {
  EMPTY,
  firstValueFrom,
  ignoreElements,
  NEVER,
  Observable,
  of,
  Subject,
  take,
  throwError,
  type SchedulerAction,
} from 'rxjs';
import { takenOverError } from '../../../src/controller/lease/lease-errors.js';
import type { SchedulerWithElapsed } from '../../../src/scheduling/clock.js';
import { promisesSettled } from '../../support/promises-settled.js';
import { until } from '../../support/until.js';
import { leaseName, world } from './support/election.js';

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
  x: { type: 'lost', cause: takenOverError(leaseName, 'a', 'b'), holder: 'b', ledSince: 1 },
};

describe('whileLeading', () => {
  it('runs the work while leading, and again with the next leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1-2-3-4-5');
      const leadership = hot<Leadership>('s-l---x-b-l-s', states);
      expectObservable(leadership.pipe(whileLeading(() => work))).toBe('--1-2-----1-');
      expectSubscriptions(work.subscriptions).toBe(['--^---!', '----------^-!']);
    });
  });

  it('keeps the work running through updates of the same leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1-2-3-4-5');
      const leadership = hot<Leadership>('l-e-l---x', states);
      expectObservable(leadership.pipe(whileLeading(() => work))).toBe('1-2-3-4--');
      expectSubscriptions(work.subscriptions).toBe(['^-------!']);
    });
  });

  it('restarts the work if one leadership directly follows another', () => {
    informerTest(({ cold, hot, expectSubscriptions, flush }) => {
      const work = cold('             1');
      hot<Leadership>('                l--m', states)
        .pipe(whileLeading(() => work))
        .subscribe();
      flush();
      expectSubscriptions(work.subscriptions).toBe(['^--!', '---^']);
    });
  });

  it('calls a function with each leadership, and runs what it returns', () => {
    informerTest(({ hot, expectObservable }) => {
      const leadership = hot<Leadership>('l-x-m', states);
      expectObservable(leadership.pipe(whileLeading(({ transitions }) => [transitions]))).toBe('1---2', { 1: 1, 2: 2 });
    });
  });

  it('does not start work again that has completed, within the same leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1|');
      expectObservable(hot<Leadership>('l-e-l-x-m', states).pipe(whileLeading(() => work))).toBe('1-------1');
      expectSubscriptions(work.subscriptions).toBe(['^!', '--------^!']);
    });
  });

  it('completes at once if stopped on standby', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1');
      const leadership = hot<Leadership>('s-b---l', states);
      const stop$ = hot('             ---x-');
      expectObservable(leadership.pipe(whileLeading(() => work, { stop$ }))).toBe('---|');
      expectSubscriptions(leadership.subscriptions).toBe(['^--!']);
      expectSubscriptions(work.subscriptions).toBe([]);
    });
  });

  it('continues to lead after a stop until the work has completed', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1---2-|');
      const leadership = hot<Leadership>('l--e----------', states);
      const stop$ = hot('             --x-x');
      expectObservable(leadership.pipe(whileLeading(() => work, { stop$ }))).toBe('1---2-|');
      expectSubscriptions(leadership.subscriptions).toBe(['^-----!']);
    });
  });

  it('completes if leadership is lost while it is stopping, and starts no other work', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const work = cold('             1---2-|');
      const leadership = hot<Leadership>('l---m---', states);
      const stop$ = hot('             --x-----');
      expectObservable(leadership.pipe(whileLeading(() => work, { stop$ }))).toBe('1---|');
      expectSubscriptions(work.subscriptions).toBe(['^---!']);
    });
  });

  it('completes at once if stopped before its work began or after its work completed', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const leadership = hot<Leadership>('l----', states);
      expectObservable(leadership.pipe(whileLeading(() => cold('1|'), { stop$: cold('---x') }))).toBe('1--|');
      const other = hot<Leadership>('l----', states);
      expectObservable(other.pipe(whileLeading(() => cold('1|'), { stop$: of('now') }))).toBe('|');
      expectSubscriptions(other.subscriptions).toBe([]);
    });
  });

  it('continues if the stop notifier completes without a value, and passes its error on', () => {
    informerTest(({ cold, hot, expectObservable }) => {
      const leadership = (): Observable<Leadership> => hot<Leadership>('l----', states);
      expectObservable(leadership().pipe(whileLeading(() => cold('1-2'), { stop$: EMPTY }))).toBe('1-2');
      expectObservable(leadership().pipe(whileLeading(() => cold('1-2'), { stop$: cold('-#') }))).toBe('1#');
    });
  });

  it('passes on an error of the work, of the function, and of the leadership', () => {
    informerTest(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const leadership = hot<Leadership>('l----', states);
      expectObservable(leadership.pipe(whileLeading(() => cold('1-#')))).toBe('1-#');
      expectSubscriptions(leadership.subscriptions).toBe('^-!');
      const failing = whileLeading((): Observable<string> => {
        throw new Error('no');
      });
      expectObservable(hot<Leadership>('l', states).pipe(failing)).toBe('#', undefined, new Error('no'));
      const work = cold('1');
      expectObservable(hot<Leadership>('l--#', states).pipe(whileLeading(() => work))).toBe('1--#');
      expectSubscriptions(work.subscriptions).toBe('^--!');
    });
  });

  it('completes with the leadership once the work has completed, and at once if there is no work', () => {
    informerTest(({ cold, hot, expectObservable }) => {
      expectObservable(hot<Leadership>('l|', states).pipe(whileLeading(() => cold('1-2-|')))).toBe('1-2-|');
      expectObservable(hot<Leadership>('s-|', states).pipe(whileLeading(() => NEVER))).toBe('--|');
      expectObservable(EMPTY.pipe(whileLeading(() => NEVER))).toBe('|');
    });
  });

  it('stops the work before it unsubscribes from the leadership, so before the lease is released', () => {
    const order: string[] = [];
    const leadership$ = new Observable<Leadership>((subscriber) => {
      subscriber.next(leading(1));
      return () => order.push('leadership left');
    });
    const work$ = new Observable(() => () => order.push('work stopped'));
    leadership$
      .pipe(whileLeading(() => work$))
      .subscribe()
      .unsubscribe();
    expect(order).toEqual(['work stopped', 'leadership left']);

    const { candidate, server } = world();
    order.length = 0;
    server.requests$.subscribe(({ method }) => order.push(method));
    const { leadership$: elected, stop } = candidate('a');
    const running = elected.pipe(whileLeading(() => work$)).subscribe();
    stop();
    order.length = 0;
    running.unsubscribe();
    expect(order).toEqual(['work stopped', 'GET', 'PUT']);
  });

  it('stops the work when leadership is lost, before the leader sends another request', () => {
    const { candidate, clock, server } = world();
    const order: string[] = [];
    const { leadership$ } = candidate('a');
    leadership$.pipe(whileLeading(() => new Observable(() => () => order.push(`${clock.now()} stopped`)))).subscribe();
    server.faults.always('any', serverFaults.refuse());
    clock.advance(9_000);
    server.requests$.subscribe(({ method }) => order.push(`${clock.now()} ${method}`));
    clock.advance(5_000);
    expect(order).toEqual(['10000 stopped', '13200 GET']);
  });

  it('an error of the work releases the lease, so another replica can lead', () => {
    const { candidate, holder } = world();
    const { leadership$, stop } = candidate('a');
    const errors: unknown[] = [];
    stop();
    leadership$
      .pipe(whileLeading(() => throwError(() => new Error('broken'))))
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([new Error('broken')]);
    expect(holder()).toBe('');
  });

  it('a subscriber can unsubscribe inside the first value of synchronous work', () => {
    const { candidate, holder } = world();
    const { leadership$, stop } = candidate('a');
    stop();
    const seen: number[] = [];
    leadership$
      .pipe(
        whileLeading(() => of(1, 2, 3)),
        take(1),
      )
      .subscribe((value) => seen.push(value));
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
  const server = createInMemoryApiServer({ scheduler: clock });
  const { client } = server;
  const lines: string[] = [];
  /** A controller whose run writes after each `answer`, and reads after the second write. */
  const controlled = () => {
    server.apply(aConfigMap({ name: 'a', namespace: 'default' }));
    const settings = resourceClient(client, configMaps);
    const answers = new Subject<void>();
    const done = new Subject<void>();
    const reconcile = async ({ clientOf }: ReconcileRequest<ConfigMap, KubeClient>): Promise<void> => {
      for (const data of [{ n: '1' }, { n: '2' }]) {
        await firstValueFrom(answers);
        const sent = clientOf(settings).patch('default/a', { data });
        lines.push(
          `write: ${await sent.then(
            () => 'sent',
            (error: unknown) => (error as { code: string }).code,
          )}`,
        );
        if (data.n === '1') done.next();
      }
      lines.push(`read: ${(await clientOf(settings).get('default/a')).metadata.name}`);
      done.next();
    };
    const controller$ = controller({ for: informer(client, configMaps), client, scheduler, reconcile });
    const answer = async (turn: () => void): Promise<void> => {
      let isDone = false;
      done.subscribe(() => (isDone = true));
      await until(() => (turn(), answers.observed));
      answers.next();
      await until(() => (turn(), isDone));
    };
    return { controller$, answer };
  };
  return {
    lines,
    controlled,
    leadership$: leader$(client, { lease: leaseName, identity: 'a', scheduler, random: () => 0.5 }),
    log: (line: string) => void lines.push(line),
    logLeadership: ({ type }: Leadership) => void lines.push(type),
    /** Advances all clocks without firing a timer. */
    block: (milliseconds: number) => void (blocked += milliseconds),
    /** The machine sleeps: only the time of day advances. */
    sleep: (milliseconds: number) => void (slept += milliseconds),
    /** Fires the timers that are due; those from before the block are late. */
    turn: () => {
      clock.advance(1);
    },
    queue: (run: (key: string) => unknown, { handOver }: Partial<Leading> = {}) =>
      workqueue(run, { scheduler, concurrency: 1, handOver }),
  };
}

describe('a leadership whose renew deadline has passed before its timer has fired (L2, L3)', () => {
  it('starts no run after a run that blocked the event loop for longer than the deadline', () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const run = (key: string): void => {
      log(`run ${key}`);
      block(10_000);
    };
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading((leading) => of('a', 'b', 'c').pipe(queue(run, leading)))).subscribe();
    turn();
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('starts no run of a queue whose events do not leave the work', () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$
      .pipe(
        whileLeading((leading) =>
          keys.pipe(
            queue((key) => log(`run ${key}`), leading),
            ignoreElements(),
          ),
        ),
      )
      .subscribe();
    keys.next('a');
    block(10_000);
    keys.next('b');
    turn();
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('starts no run in a microtask', async () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const keys = new Subject<string>();
    const run = async (key: string): Promise<void> => {
      log(`run ${key}`);
      await setImmediate();
      block(10_000);
    };
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading((leading) => keys.pipe(queue(run, leading)))).subscribe();
    keys.next('a');
    keys.next('b');
    turn();
    await until(() => lines.length === 4);
    await promisesSettled();
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('starts no run for a key that arrives before any timer when a stopped process resumes', () => {
    const { leadership$, lines, log, logLeadership, block, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading((leading) => keys.pipe(queue((key) => log(`run ${key}`), leading)))).subscribe();
    block(9_999);
    keys.next('a');
    block(1);
    keys.next('b');
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });

  it('starts no run after the machine slept, although its timers did not advance', () => {
    const { leadership$, lines, log, logLeadership, sleep, turn, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading((leading) => keys.pipe(queue((key) => log(`run ${key}`), leading)))).subscribe();
    sleep(10_000);
    keys.next('a');
    turn();
    expect(lines).toEqual(['standby', 'leading', 'lost']);
  });

  it('emits no value of work that is not a queue', () => {
    const { leadership$, lines, log, logLeadership, block } = replica();
    const work = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(() => work)).subscribe(log);
    work.next('in time');
    block(10_000);
    work.next('late');
    expect(lines).toEqual(['standby', 'leading', 'in time', 'lost']);
    expect(work.observed).toBe(false);
  });

  it('starts no work, and notifies all subscribers in order, if starting the work blocked for too long', async () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const slow = () => {
      block(10_000);
      return of('value');
    };
    const slowRuns = (leading: Leading) => {
      block(10_000);
      return of('a').pipe(queue((key) => log(`run ${key}`), leading));
    };
    leadership$.pipe(whileLeading(slow)).subscribe(log);
    leadership$.pipe(whileLeading(slowRuns)).subscribe(() => undefined);
    leadership$.subscribe(logLeadership);
    turn();
    await promisesSettled();
    expect(lines).toEqual(['lost']);
  });

  it('starts no run of a queue that is subscribed to while leadership is emitted', () => {
    const { leadership$, lines, log, block, turn, queue } = replica();
    const runs$ = (leading: Leading) => of('a').pipe(queue((key) => log(`run ${key}`), leading));
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

  it('sends no write of a run, but reads on, after the run was blocked for longer than the deadline', async () => {
    const { leadership$, lines, logLeadership, block, turn, controlled } = replica();
    const { controller$, answer } = controlled();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(controller$)).subscribe();
    await answer(turn);
    block(10_000);
    await answer(turn);
    expect(lines).toEqual(['standby', 'leading', 'write: sent', 'lost', 'write: RXI_RUN_STOPPED', 'read: a']);
  });

  it('sends no write of a run while it is overdue and cannot end yet', async () => {
    const { lines, turn, controlled } = replica();
    const { controller$, answer } = controlled();
    let isOverdue = false;
    const endIfOverdue = (): boolean => {
      const isInTime = !isOverdue;
      isOverdue = false;
      return isInTime;
    };
    const handOver = { received: () => new Map<string, string>(), leave: () => undefined, endIfOverdue };
    controller$.within({ handOver }).subscribe();
    await answer(turn);
    isOverdue = true;
    await answer(turn);
    expect(lines).toEqual(['write: sent', 'write: RXI_RUN_STOPPED', 'read: a']);
  });

  it('does not stop work in the process that does not depend on leadership', () => {
    const { leadership$, lines, log, logLeadership, block, turn, queue } = replica();
    const keys = new Subject<string>();
    leadership$.subscribe(logLeadership);
    leadership$.pipe(whileLeading(() => NEVER)).subscribe();
    keys.pipe(queue((key) => log(`run ${key}`))).subscribe();
    block(10_000);
    keys.next('a');
    turn();
    expect(lines).toEqual(['standby', 'leading', 'run a', 'lost']);
  });
});
