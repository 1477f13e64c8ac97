import {
  type QueueMetrics,
  type QueueInput,
  requeueAfter,
  resultsOf,
  type WorkqueueEvent,
  workqueue,
} from 'rx-informers/controller';
import { informerTest } from 'rx-informers/testing';
import { concat, from, map, NEVER, Observable, of, Subject, takeUntil, timer, VirtualTimeScheduler } from 'rxjs';
import { runStoppedError } from '../../../src/controller/queue/errors.js';
import { skipped } from '../../../src/controller/workqueue/outcome.js';
import { errorWith } from '../../support/error-with.js';
import { promisesSettled } from '../../support/promises-settled.js';
import { fail, steady, received, word } from './support/recorded-events.js';

describe('workqueue: runs', () => {
  it('W1, W2: merges additions of a waiting key into one run, and additions of a running key into one more', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('---(r|)');
      const source = hot(' abbaa------|');
      const expected = '          ---r--r--r-|';
      expectObservable(
        source.pipe(
          workqueue(() => work),
          resultsOf(),
        ),
      ).toBe(expected);
      expectSubscriptions(work.subscriptions).toBe(['^--!', '---^--!', '------^--!']);
      expectSubscriptions(source.subscriptions).toBe('^----------!');
    });
  });

  it('runs as many keys at once as configured, and never a key twice', () => {
    const lines = received(
      () => timer(10),
      ({ cold }) => cold('(abca)'),
      { concurrency: 2 },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 b started',
      '10 a emitted 0',
      '10 a succeeded',
      '10 c started',
      '10 b emitted 0',
      '10 b succeeded',
      '10 a started',
      '20 c emitted 0',
      '20 c succeeded',
      '20 a emitted 0',
      '20 a succeeded',
    ]);
  });

  it('reports a run that did no work as skipped, and forgets the failures of its key', () => {
    const outputs = [fail('no'), skipped('not mine'), fail('no')];
    const lines = received(
      () => outputs.shift(),
      ({ cold }) => cold('a---------a'),
      { rateLimiter: steady(3), until: 12 },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a failed, retry at 3',
      '3 a started',
      '3 a skipped: not mine',
      '10 a started',
      '10 a failed, retry at 13',
    ]);
  });

  it('decides by the last value whether a run was skipped: a run that skips after a value has not succeeded', () => {
    const outputs = [
      of(skipped('not mine'), 'value'),
      of('value', requeueAfter(5), skipped('lost')),
      of(skipped('not mine'), requeueAfter(5)),
    ];
    const lines = received(
      () => outputs.shift(),
      ({ cold }) => cold('(abc)'),
      { until: 3 },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a emitted value',
      '0 a succeeded',
      '0 b started',
      '0 b emitted value',
      '0 b skipped: lost',
      '0 c started',
      '0 c succeeded, again at 5',
    ]);
  });

  it('accepts values, promises, Observables, async iterables and nothing', async () => {
    async function* generate(): AsyncGenerator<string> {
      yield 'one';
      yield 'two';
    }
    const outputs: Record<string, unknown> = {
      value: ['an', 'array'],
      text: 'text',
      none: undefined,
      promise: Promise.resolve('later'),
      promiseOfUndefined: Promise.resolve(undefined),
      observable: of('x', 'y'),
      iterable: generate(),
    };
    const events: WorkqueueEvent[] = [];
    await from(Object.keys(outputs))
      .pipe(workqueue((key) => outputs[key]))
      .forEach((event) => void events.push(event));
    expect(events.flatMap((event) => (event.type === 'emitted' ? [[event.key, event.value]] : []))).toEqual([
      ['value', ['an', 'array']],
      ['text', 'text'],
      ['promise', 'later'],
      ['observable', 'x'],
      ['observable', 'y'],
      ['iterable', 'one'],
      ['iterable', 'two'],
    ]);
    expect(events.filter(({ type }) => type === 'succeeded').map((event) => 'result' in event && event.result)).toEqual(
      [['an', 'array'], 'text', undefined, 'later', undefined, 'y', 'two'],
    );
  });

  it('runs twenty thousand synchronous keys without growing the stack', () => {
    const source = new Subject<string>();
    const gate = new Subject<never>();
    let runs = 0;
    const project = (key: string): unknown => {
      runs++;
      return key === 'first' ? gate : undefined;
    };
    source.pipe(workqueue(project, { scheduler: new VirtualTimeScheduler() })).subscribe();
    source.next('first');
    for (let key = 0; key < 20_000; key++) source.next(`key-${key}`);
    gate.complete();
    expect(runs).toBe(20_001);
  });

  it('stays correct if its own events add keys', () => {
    const source = new Subject<string>();
    const runs: string[] = [];
    source
      .pipe(workqueue((key) => void runs.push(key), { scheduler: new VirtualTimeScheduler() }))
      .subscribe((event) => {
        if (event.type === 'started' && event.key === 'a') source.next('b');
        if (event.type === 'succeeded' && event.key === 'b' && runs.length < 4) source.next('b');
      });
    source.next('a');
    expect(runs).toEqual(['a', 'b', 'b', 'b']);
  });

  it('passes the attempt, the priority and all reasons to the run', () => {
    const source = new Subject<QueueInput<string, string>>();
    const seen: unknown[] = [];
    const work = new Subject<never>();
    source
      .pipe(
        workqueue((_key, { attempt, priority, reasons }) => {
          seen.push({ attempt, priority, reasons });
          return work;
        }),
      )
      .subscribe();
    source.next('a');
    source.next({ key: 'b', priority: -100, reason: 'one' });
    source.next({ key: 'b', priority: 5, reason: 'two' });
    work.complete();
    expect(seen).toEqual([
      { attempt: 1, priority: 0, reasons: [] },
      { attempt: 1, priority: 5, reasons: ['one', 'two'] },
    ]);
  });

  it('delays a request for as long as it specifies', () => {
    expect(
      received(
        () => undefined,
        () => concat(of({ key: 'a', delay: 7 }), NEVER),
      ),
    ).toEqual(['7 a started', '7 a succeeded']);
  });
});

describe('workqueue: requeueAfter', () => {
  it('runs again after the earliest of several times, and does not emit the request', () => {
    let runs = 0;
    const project = (): unknown =>
      ++runs > 1 ? undefined : of(requeueAfter(30), 'r', requeueAfter(20), requeueAfter(40));
    expect(received(project, ({ hot }) => hot('a'))).toEqual([
      '0 a started',
      '0 a emitted r',
      '0 a succeeded, again at 20',
      '20 a started',
      '20 a succeeded',
    ]);
  });

  it('runs once if a change comes earlier', () => {
    let runs = 0;
    const project = (): unknown => (++runs > 1 ? undefined : requeueAfter(30));
    expect(received(project, ({ hot }) => hot('a---a'))).toEqual([
      '0 a started',
      '0 a succeeded, again at 30',
      '4 a started',
      '4 a succeeded',
    ]);
  });

  it('W7: uses the rate limiter if it is requested without a wait', () => {
    const lines = received(
      () => requeueAfter(0),
      ({ hot }) => hot('a'),
      { until: 10_000 },
    );
    expect(lines.slice(0, 7)).toEqual([
      '0 a started',
      '0 a succeeded, again at 5',
      '5 a started',
      '5 a succeeded, again at 15',
      '15 a started',
      '15 a succeeded, again at 35',
      '35 a started',
    ]);
    // 5 + 10 + 20 + … ms: eleven runs in ten seconds.
    expect(lines.filter((line) => line.endsWith(' started'))).toHaveLength(11);
  });

  it.each<[string, unknown, string]>([
    ['a requeueAfter with a wait', requeueAfter(7), '22'],
    ['a run without a requeueAfter', undefined, ''],
  ])('resets that rate limit with %s', (_what, other, at) => {
    const input = [requeueAfter(0), requeueAfter(0), other, requeueAfter(0), undefined];
    let runs = 0;
    const lines = received(
      () => input[runs++],
      ({ hot }) => hot('a 39ms a'),
    );
    expect(lines.slice(0, 6)).toEqual([
      '0 a started',
      '0 a succeeded, again at 5',
      '5 a started',
      '5 a succeeded, again at 15',
      '15 a started',
      at === '' ? '15 a succeeded' : `15 a succeeded, again at ${at}`,
    ]);
    const next = at === '' ? 40 : Number(at);
    expect(lines.slice(6, 9)).toEqual([
      `${next} a started`,
      `${next} a succeeded, again at ${next + 5}`,
      `${next + 5} a started`,
    ]);
  });

  it('continues from the wait of earlier failures if requested without a wait, and counts attempts from 1', () => {
    let runs = 0;
    const attempts: number[] = [];
    const requeues: (number | undefined)[] = [];
    informerTest(({ scheduler }) => {
      concat(of('a'), NEVER)
        .pipe(
          workqueue((_key, { attempt }) => {
            attempts.push(attempt);
            runs++;
            if (runs < 3) throw new Error('no');
            return runs === 3 ? requeueAfter(0) : undefined;
          }),
          takeUntil(timer(100, scheduler)),
        )
        .subscribe((event) => {
          if (event.type === 'succeeded') requeues.push(event.requeueAt);
        });
    });
    expect(requeues).toEqual([5 + 10 + 20, undefined]);
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  it('runs a second later, and reports the rate limiter, if that throws', () => {
    const broken = {
      when: () => {
        throw new Error('broken');
      },
      forget: () => undefined,
    };
    const lines = received(
      () => requeueAfter(0),
      ({ hot }) => hot('a'),
      { rateLimiter: () => broken },
    );
    expect(lines).toEqual(['0 a started', '0 a succeeded, again at 1000', '0 rateLimiter.when failed']);
  });

  it('sets the requested priority for the next run, but not for the retry of a failure', () => {
    const input: Readonly<Record<string, unknown>> = {
      low: requeueAfter(5, { priority: -100 }),
      high: of(requeueAfter(5, { priority: 7 }), requeueAfter(9, { priority: 9 })),
      same: requeueAfter(5),
      fails: concat(of(requeueAfter(5, { priority: 9 })), fail('no')),
    };
    const runs: string[] = [];
    informerTest(({ scheduler }) => {
      concat(from(Object.keys(input)), NEVER)
        .pipe(
          workqueue(
            (key, { priority }) => {
              runs.push(`${key} ${priority}`);
              return runs.length > 4 ? timer(1) : input[key];
            },
            { rateLimiter: steady(5) },
          ),
          takeUntil(timer(20, scheduler)),
        )
        .subscribe();
    });
    expect(runs).toEqual(['low 0', 'high 0', 'same 0', 'fails 0', 'high 7', 'same 0', 'fails 0', 'low -100']);
    expect(() => requeueAfter(5, { priority: NaN })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it.each([-1, NaN, Infinity])('fails the run for %p', (delay) => {
    expect(() => requeueAfter(delay)).toThrow(errorWith('RXI_INVALID_OPTION'));
    const lines = received(
      () => requeueAfter(delay),
      ({ hot }) => hot('a'),
      { maxRetries: 0 },
    );
    expect(lines).toEqual(['0 a started', '0 a failed: retries-exhausted']);
  });
});

describe('workqueue: its end', () => {
  it('▲ W3: finishes queued and running keys when its source completes, then completes', () => {
    const lines = received(
      () => timer(10).pipe(map(() => 'r')),
      ({ cold }) => cold('(abcb|)'),
    );
    expect(lines).toEqual([
      '0 a started',
      '10 a emitted r',
      '10 a succeeded',
      '10 b started',
      '20 b emitted r',
      '20 b succeeded',
      '20 c started',
      '30 c emitted r',
      '30 c succeeded',
      '30 complete',
    ]);
  });

  it('W5: drops delayed keys, and retries of runs that fail meanwhile', () => {
    const lines = received(
      () =>
        timer(10).pipe(
          map(() => {
            throw new Error('no');
          }),
        ),
      () => of('a', { key: 'b', delay: 20 }),
    );
    expect(lines).toEqual(['0 a started', '0 b dropped', '10 a failed: stopping', '10 complete']);
  });

  it('waits for delayed keys and retries with waitForDelayed', () => {
    let runs = 0;
    const project = (): unknown => (++runs < 3 ? fail('no') : timer(1));
    const lines = received(project, () => of('a', { key: 'b', delay: 20 }), { waitForDelayed: true });
    const expected = [
      '0 a started',
      '0 a failed, retry at 5',
      '5 a started',
      '5 a failed, retry at 15',
      '15 a started',
      '16 a emitted 0',
      '16 a succeeded',
    ];
    expect(lines).toEqual([...expected, '20 b started', '21 b emitted 0', '21 b succeeded', '21 complete']);
  });

  it('completes with an empty source', () => {
    expect(
      received(
        () => undefined,
        () => of(),
      ),
    ).toEqual(['0 complete']);
  });

  it('passes an error of its source on at once, and aborts running keys', () => {
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----|');
      const events$ = hot('a-#').pipe(
        workqueue(() => work),
        map(word),
      );
      expectObservable(events$).toBe('s-#', { s: 'a started' });
      expectSubscriptions(work.subscriptions).toBe('^-!');
    });
  });

  it('G8: aborts running keys, drops waiting ones, and leaves no timer when its subscriber unsubscribes', () => {
    const reasons: unknown[] = [];
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('-----r');
      const source = hot<QueueInput>('ab-c-----', { a: 'a', b: 'b', c: { key: 'c', delay: 5 } });
      const events$ = source.pipe(
        workqueue((_key, { signal }) => {
          signal.addEventListener('abort', () => reasons.push(signal.reason));
          return work;
        }),
        map(word),
      );
      expectObservable(events$, '----!').toBe('s', { s: 'a started' });
      expectSubscriptions(work.subscriptions).toBe('^---!');
      expectSubscriptions(source.subscriptions).toBe('^---!');
    });
    expect(reasons).toEqual([runStoppedError('a')]);
  });

  it('G8: stops its timers and closes its gauges when its subscriber unsubscribes', () => {
    const scheduler = new VirtualTimeScheduler();
    let closed = 0;
    const metrics: Partial<QueueMetrics> = { closed: () => closed++ };
    const subscription = concat(of({ key: 'a', delay: 50 }, 'b'), NEVER)
      .pipe(workqueue(() => NEVER, { scheduler, metrics, timeout: 1_000 }))
      .subscribe();
    const timers = (): number => scheduler.actions.filter((action) => !action.closed).length;
    expect(timers()).toBe(2);
    subscription.unsubscribe();
    expect([timers(), closed]).toEqual([0, 1]);
  });

  it('emits nothing late and starts no other run if its subscriber unsubscribes within an event', async () => {
    const events: string[] = [];
    const runs: string[] = [];
    const source = new Subject<string>();
    const subscription = source
      .pipe(
        workqueue((key) => {
          runs.push(key);
          return Promise.reject(new Error('late'));
        }),
      )
      .subscribe((event) => {
        events.push(word(event));
        if (event.type === 'started') subscription.unsubscribe();
      });
    source.next('a');
    source.next('b');
    await promisesSettled();
    expect([events, runs]).toEqual([['a started'], []]);
    expect(source.observed).toBe(false);
  });

  it('ends a run within which its subscriber unsubscribes', () => {
    const source = new Subject<string>();
    let isAborted = false;
    let hasLeft = false;
    const subscription = source
      .pipe(
        workqueue((_key, { signal }) => {
          subscription.unsubscribe();
          signal.addEventListener('abort', () => (isAborted = true));
          return new Observable(() => () => (hasLeft = true));
        }),
      )
      .subscribe();
    source.next('a');
    expect([isAborted, hasLeft]).toEqual([true, true]);
  });

  it('creates a queue for each subscription', () => {
    const queued$ = of('a').pipe(
      workqueue(() => fail('no'), { maxRetries: 0 }),
      map(word),
    );
    const seen: string[] = [];
    queued$.subscribe((text) => seen.push(text));
    queued$.subscribe((text) => seen.push(text));
    expect(seen).toEqual(['a started', 'a failed: retries-exhausted', 'a started', 'a failed: retries-exhausted']);
  });
});
