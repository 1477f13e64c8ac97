import {
  type QueueMetrics,
  type QueueInput,
  requeueAfter,
  resultsOf,
  RunStoppedError,
  type WorkqueueEvent,
  workqueue,
} from 'rx-informers/controller';
import { informerTest } from 'rx-informers/testing';
import { concat, from, map, NEVER, Observable, of, Subject, takeUntil, timer, VirtualTimeScheduler } from 'rxjs';
import { skipped } from '../../../src/controller/workqueue/outcome.js';
import { promisesSettled } from '../../support/promises-settled.js';
import { fail, steady, told, word } from './support/told.js';

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
    const lines = told(
      () => timer(10),
      ({ cold }) => cold('(abca)'),
      { concurrency: 2 },
    );
    expect(lines).toEqual([
      '0 a?',
      '0 b?',
      '10 a=0',
      '10 a!',
      '10 c?',
      '10 b=0',
      '10 b!',
      '10 a?',
      '20 c=0',
      '20 c!',
      '20 a=0',
      '20 a!',
    ]);
  });

  it('reports a run that did no work as skipped, and forgets the failures of its key', () => {
    const outputs = [fail('no'), skipped('not mine'), fail('no')];
    const lines = told(
      () => outputs.shift(),
      ({ cold }) => cold('a---------a'),
      { rateLimiter: steady(3), until: 12 },
    );
    expect(lines).toEqual(['0 a?', '0 a#3', '3 a?', '3 a-not mine', '10 a?', '10 a#13']);
  });

  it('decides by the last value whether a run was skipped: a run that skips after a value has not succeeded', () => {
    const outputs = [
      of(skipped('not mine'), 'value'),
      of('value', requeueAfter(5), skipped('lost')),
      of(skipped('not mine'), requeueAfter(5)),
    ];
    const lines = told(
      () => outputs.shift(),
      ({ cold }) => cold('(abc)'),
      { until: 3 },
    );
    expect(lines).toEqual(['0 a?', '0 a=value', '0 a!', '0 b?', '0 b=value', '0 b-lost', '0 c?', '0 c!5']);
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
      promiseOfNothing: Promise.resolve(undefined),
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
      told(
        () => undefined,
        () => concat(of({ key: 'a', delay: 7 }), NEVER),
      ),
    ).toEqual(['7 a?', '7 a!']);
  });
});

describe('workqueue: requeueAfter', () => {
  it('runs again after the earliest of several times, and does not emit the request', () => {
    let runs = 0;
    const project = (): unknown =>
      ++runs > 1 ? undefined : of(requeueAfter(30), 'r', requeueAfter(20), requeueAfter(40));
    expect(told(project, ({ hot }) => hot('a'))).toEqual(['0 a?', '0 a=r', '0 a!20', '20 a?', '20 a!']);
  });

  it('runs once if a change comes earlier', () => {
    let runs = 0;
    const project = (): unknown => (++runs > 1 ? undefined : requeueAfter(30));
    expect(told(project, ({ hot }) => hot('a---a'))).toEqual(['0 a?', '0 a!30', '4 a?', '4 a!']);
  });

  it('W7: uses the rate limiter if it is requested without a wait', () => {
    const lines = told(
      () => requeueAfter(0),
      ({ hot }) => hot('a'),
      { until: 10_000 },
    );
    expect(lines.slice(0, 7)).toEqual(['0 a?', '0 a!5', '5 a?', '5 a!15', '15 a?', '15 a!35', '35 a?']);
    // 5 + 10 + 20 + … ms: eleven runs in ten seconds.
    expect(lines.filter((line) => line.endsWith('?'))).toHaveLength(11);
  });

  it.each<[string, unknown, string]>([
    ['a requeueAfter with a wait', requeueAfter(7), '22'],
    ['a run without a requeueAfter', undefined, ''],
  ])('resets that rate limit with %s', (_what, other, at) => {
    const given = [requeueAfter(0), requeueAfter(0), other, requeueAfter(0), undefined];
    let runs = 0;
    const lines = told(
      () => given[runs++],
      ({ hot }) => hot('a 39ms a'),
    );
    expect(lines.slice(0, 6)).toEqual(['0 a?', '0 a!5', '5 a?', '5 a!15', '15 a?', `15 a!${at}`]);
    const next = at === '' ? 40 : Number(at);
    expect(lines.slice(6, 9)).toEqual([`${next} a?`, `${next} a!${next + 5}`, `${next + 5} a?`]);
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
      requeues: () => 0,
    };
    const lines = told(
      () => requeueAfter(0),
      ({ hot }) => hot('a'),
      { rateLimiter: () => broken },
    );
    expect(lines).toEqual(['0 a?', '0 a!1000', '0 rateLimiter.when failed']);
  });

  it('sets the requested priority for the next run, but not for the retry of a failure', () => {
    const given: Readonly<Record<string, unknown>> = {
      low: requeueAfter(5, { priority: -100 }),
      high: of(requeueAfter(5, { priority: 7 }), requeueAfter(9, { priority: 9 })),
      same: requeueAfter(5),
      fails: concat(of(requeueAfter(5, { priority: 9 })), fail('no')),
    };
    const runs: string[] = [];
    informerTest(({ scheduler }) => {
      concat(from(Object.keys(given)), NEVER)
        .pipe(
          workqueue(
            (key, { priority }) => {
              runs.push(`${key} ${priority}`);
              return runs.length > 4 ? timer(1) : given[key];
            },
            { rateLimiter: steady(5) },
          ),
          takeUntil(timer(20, scheduler)),
        )
        .subscribe();
    });
    expect(runs).toEqual(['low 0', 'high 0', 'same 0', 'fails 0', 'high 7', 'same 0', 'fails 0', 'low -100']);
    expect(() => requeueAfter(5, { priority: NaN })).toThrow(RangeError);
  });

  it.each([-1, NaN, Infinity])('fails the run for %p', (delay) => {
    expect(() => requeueAfter(delay)).toThrow(RangeError);
    const lines = told(
      () => requeueAfter(delay),
      ({ hot }) => hot('a'),
      { maxRetries: 0 },
    );
    expect(lines).toEqual(['0 a?', '0 a#retries-exhausted']);
  });
});

describe('workqueue: its end', () => {
  it('▲ W3: finishes queued and running keys when its source completes, then completes', () => {
    const lines = told(
      () => timer(10).pipe(map(() => 'r')),
      ({ cold }) => cold('(abcb|)'),
    );
    expect(lines).toEqual([
      '0 a?',
      '10 a=r',
      '10 a!',
      '10 b?',
      '20 b=r',
      '20 b!',
      '20 c?',
      '30 c=r',
      '30 c!',
      '30 complete',
    ]);
  });

  it('W5: drops delayed keys, and retries of runs that fail meanwhile', () => {
    const lines = told(
      () =>
        timer(10).pipe(
          map(() => {
            throw new Error('no');
          }),
        ),
      () => of('a', { key: 'b', delay: 20 }),
    );
    expect(lines).toEqual(['0 a?', '0 bx', '10 a#stopping', '10 complete']);
  });

  it('waits for delayed keys and retries with waitForDelayed', () => {
    let runs = 0;
    const project = (): unknown => (++runs < 3 ? fail('no') : timer(1));
    const lines = told(project, () => of('a', { key: 'b', delay: 20 }), { waitForDelayed: true });
    const expected = ['0 a?', '0 a#5', '5 a?', '5 a#15', '15 a?', '16 a=0', '16 a!'];
    expect(lines).toEqual([...expected, '20 b?', '21 b=0', '21 b!', '21 complete']);
  });

  it('completes with an empty source', () => {
    expect(
      told(
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
      expectObservable(events$).toBe('s-#', { s: 'a?' });
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
      expectObservable(events$, '----!').toBe('s', { s: 'a?' });
      expectSubscriptions(work.subscriptions).toBe('^---!');
      expectSubscriptions(source.subscriptions).toBe('^---!');
    });
    expect(reasons).toEqual([new RunStoppedError('a')]);
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
    expect([events, runs]).toEqual([['a?'], []]);
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
    expect(seen).toEqual(['a?', 'a#retries-exhausted', 'a?', 'a#retries-exhausted']);
  });
});
