import { StatusError, isRxInformersError } from 'rx-informers';
import { TerminalError, type WorkqueueEvent, workqueue } from 'rx-informers/controller';
import { informerTest } from 'rx-informers/testing';
import { concat, from, map, of, type Observable, mergeMap, NEVER, range, timer } from 'rxjs';
import { runTimeoutError, runStoppedError, rateLimiterError } from '../../../src/controller/queue/errors.js';
import { errorWith } from '../../support/error-with.js';
import { fail, steady, received, word } from './support/recorded-events.js';

/** Values that the compiler treats as errors, and that are none. */
const notAnError = 'text' as unknown as Error;

describe('workqueue: failures', () => {
  it('W7: retries after 5, 10, 20 ms, counts attempts, and forgets them after a success', () => {
    let runs = 0;
    const project = (): Observable<string> => (++runs === 4 ? of('ok') : fail('no'));
    const lines = received(project, ({ hot }) => hot('a 59ms a'));
    expect(lines).toEqual([
      '0 a started',
      '0 a failed, retry at 5',
      '5 a started',
      '5 a failed, retry at 15',
      '15 a started',
      '15 a failed, retry at 35',
      '35 a started',
      '35 a emitted ok',
      '35 a succeeded',
      '60 a started',
      '60 a failed, retry at 65',
      '65 a started',
      '65 a failed, retry at 75',
      '75 a started',
      '75 a failed, retry at 95',
      '95 a started',
      '95 a failed, retry at 135',
    ]);
  });

  it.each<[string, () => unknown, unknown]>([
    [
      'thrown',
      () => {
        throw new Error('boom');
      },
      new Error('boom'),
    ],
    ['rejected with a non-error', () => Promise.reject(notAnError), 'text'],
    ['errored with undefined', () => fail(undefined), undefined],
  ])('continues after a run that has %s', async (_name, project, error) => {
    const events: WorkqueueEvent[] = [];
    await of('a', 'b')
      .pipe(workqueue((key) => (key === 'a' ? project() : 'fine'), { maxRetries: 0 }))
      .forEach((event) => void events.push(event));
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'failed', key: 'a', error, outcome: 'retries-exhausted' }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'succeeded', key: 'b', result: 'fine' }));
  });

  it('does not retry a key with a TerminalError until it is added again', () => {
    const lines = received(
      () => fail(new TerminalError('never')),
      ({ hot }) => hot('a 8ms a'),
    );
    expect(lines).toEqual(['0 a started', '0 a failed: terminal', '9 a started', '9 a failed: terminal']);
  });

  it('stops retrying a key after maxRetries, and counts from zero after it is added again', () => {
    const lines = received(
      () => fail('no'),
      ({ hot }) => hot('a 29ms a'),
      { maxRetries: 1, rateLimiter: steady(10) },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a failed, retry at 10',
      '10 a started',
      '10 a failed: retries-exhausted',
      '30 a started',
      '30 a failed, retry at 40',
      '40 a started',
      '40 a failed: retries-exhausted',
    ]);
  });

  it('passes on the values that a run emitted before it failed', () => {
    const lines = received(
      () => concat(of(1, 2), fail('no')),
      ({ hot }) => hot('a'),
      { maxRetries: 0 },
    );
    expect(lines).toEqual(['0 a started', '0 a emitted 1', '0 a emitted 2', '0 a failed: retries-exhausted']);
  });

  it('ends a run that never completes after its timeout, aborts its signal, and retries', () => {
    const aborted: unknown[] = [];
    informerTest(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const work = cold('--');
      const events$ = hot('a').pipe(
        workqueue(
          (_key, { signal }) => {
            signal.addEventListener('abort', () => aborted.push(signal.reason));
            return work;
          },
          { timeout: 10, rateLimiter: steady(5) },
        ),
        map(word),
      );
      expectObservable(events$, '18ms !').toBe('s 9ms t----u', {
        s: 'a started',
        t: 'a failed, retry at 15',
        u: 'a started',
      });
      expectSubscriptions(work.subscriptions).toBe(['^---------!', '---------------^--!']);
    });
    expect(aborted).toEqual([runTimeoutError('a', 10), runStoppedError('a')]);
  });

  it('reports a rate limiter that throws, and retries after a second', () => {
    const events: WorkqueueEvent[] = [];
    const broken = {
      when: () => {
        throw new Error('broken');
      },
      forget: () => undefined,
    };
    informerTest(({ hot }) => {
      hot('a 1100ms |')
        .pipe(workqueue(() => fail('no'), { rateLimiter: () => broken }))
        .subscribe((event) => events.push(event));
    });
    const failures = events.filter((event) => event.type === 'failed');
    expect(failures.map(({ retryAt }) => retryAt)).toEqual([1_000, 2_000]);
    expect(failures[0]?.error).toEqual(rateLimiterError('a', 'no', new Error('broken')));
  });

  it('does not retry in a busy loop if the rate limiter returns no wait', () => {
    const lines = received(
      () => fail('no'),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(0), until: 2.5 },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a failed, retry at 1',
      '1 a started',
      '1 a failed, retry at 2',
      '2 a started',
      '2 a failed, retry at 3',
    ]);
  });

  it('refuses an invalid key, and continues', () => {
    const events: WorkqueueEvent[] = [];
    from<unknown[]>([5, null, { key: 7 }, { key: 'x', priority: NaN }, { key: 'x', delay: Infinity }, 'a'])
      .pipe(
        map((input) => input as string),
        workqueue(() => 'done'),
      )
      .subscribe((event) => events.push(event));
    const refused = events.filter((event) => event.type === 'refused');
    expect(refused.map(({ input }) => input)).toEqual([
      5,
      null,
      { key: 7 },
      { key: 'x', priority: NaN },
      { key: 'x', delay: Infinity },
    ]);
    expect(refused.every(({ error }) => isRxInformersError(error, 'RXI_INVALID_QUEUE_INPUT'))).toBe(true);
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['started', 'emitted', 'succeeded']);
  });

  it.each([{ concurrency: 0 }, { concurrency: NaN }, { timeout: -1 }, { maxRetries: -1 }])(
    'throws at once for %p',
    (options) => {
      expect(() => workqueue(() => undefined, options)).toThrow(errorWith('RXI_INVALID_OPTION'));
    },
  );
});

const request = { method: 'PUT', url: '/api/v1/namespaces/web/configmaps/a' };

/** The server answered 429 and requested a pause of this many milliseconds. */
function busy(retryAfter: number | undefined): StatusError {
  return new StatusError(request, { reason: 'TooManyRequests', message: 'try later' }, { code: 429, retryAfter });
}

/** A cyclic chain of causes. */
function inCircles(cause: Error): Error {
  const error = new Error('outer', { cause: new AggregateError([cause], 'inner') });
  (cause as { cause?: unknown }).cause = error;
  return error;
}

describe('workqueue: Retry-After', () => {
  it('retries a key only when the server allows it: one run in 30 s, where backoff alone made thirteen', () => {
    const runs = (error: unknown): number =>
      received(
        () => fail(error),
        () => concat(of('a'), NEVER),
        { until: 29_999 },
      ).filter((line) => line.endsWith(' started')).length;
    expect([runs(busy(undefined)), runs(busy(30_000))]).toEqual([13, 1]);
  });

  it('reports the time in retryAt, and uses the wait of the rate limiter if that is longer', () => {
    const lines = received(
      () => fail(busy(30)),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(40) },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a failed, retry at 40',
      '40 a started',
      '40 a failed, retry at 80',
      '80 a started',
      '80 a failed, retry at 120',
    ]);
    expect(
      received(
        () => fail(busy(30)),
        ({ hot }) => hot('a'),
        { until: 31 },
      ),
    ).toEqual(['0 a started', '0 a failed, retry at 30', '30 a started', '30 a failed, retry at 60']);
  });

  it('is not shortened by triggers, and merges them into one run', () => {
    const storm = range(0, 61).pipe(
      mergeMap((at) => timer(at)),
      map(() => 'a'),
    );
    expect(
      received(
        () => fail(busy(30)),
        () => concat(storm, NEVER),
        { until: 61 },
      ),
    ).toEqual([
      '0 a started',
      '0 a failed, retry at 30',
      '30 a started',
      '30 a failed, retry at 60',
      '60 a started',
      '60 a failed, retry at 90',
    ]);
  });

  it('is not shortened by a trigger that arrived during the run', () => {
    const lines = received(
      () => timer(5).pipe(mergeMap(() => fail(busy(30)))),
      ({ hot }) => hot('a--a'),
      { rateLimiter: steady(100), until: 41 },
    );
    // The trigger waits for as long as the server asked, not for as long as the rate limiter says.
    expect(lines).toEqual(['0 a started', '5 a failed, retry at 35', '35 a started', '40 a failed, retry at 140']);
  });

  it('does not hold back other keys', () => {
    const lines = received(
      (key) => (key === 'a' ? fail(busy(30)) : 'done'),
      ({ hot }) => hot('ab'),
      { until: 20 },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a failed, retry at 30',
      '1 b started',
      '1 b emitted done',
      '1 b succeeded',
    ]);
  });

  it.each<[string, Error]>([
    ['a cause', new Error('outer', { cause: new Error('inner', { cause: busy(30) }) })],
    ['one of several errors', new AggregateError([busy(10), new Error('other'), busy(30)])],
    ['a cyclic chain of causes', inCircles(busy(30))],
  ])('Retry-After is found in %s', (_where, error) => {
    expect(
      received(
        () => fail(error),
        ({ hot }) => hot('a--a'),
        { until: 20 },
      ),
    ).toEqual(['0 a started', '0 a failed, retry at 30']);
  });

  it('is honoured up to five minutes, as for lists and watches', () => {
    const lines = received(
      () => fail(busy(86_400_000)),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(5) },
    );
    expect(lines).toEqual(['0 a started', '0 a failed, retry at 300000']);
  });

  it('also holds back additions of a key that is not retried automatically', () => {
    const lines = received(
      () => fail(busy(30)),
      ({ hot }) => hot('a--a'),
      { maxRetries: 0, until: 50 },
    );
    expect(lines).toEqual([
      '0 a started',
      '0 a failed: retries-exhausted',
      '30 a started',
      '30 a failed: retries-exhausted',
    ]);
  });

  it('drops held keys when the source completes, or waits for them with waitForDelayed', () => {
    const ends = (waitForDelayed: boolean): readonly string[] =>
      received(
        (_key, at) => (at() >= 30 ? 'done' : timer(5).pipe(mergeMap(() => fail(busy(30))))),
        ({ hot }) => hot('a-a|'),
        { waitForDelayed },
      );
    expect(ends(false)).toEqual(['0 a started', '5 a failed: stopping', '5 a dropped', '5 complete']);
    expect(ends(true)).toEqual([
      '0 a started',
      '5 a failed, retry at 35',
      '35 a started',
      '35 a emitted done',
      '35 a succeeded',
      '35 complete',
    ]);
  });
});

describe('workqueue: a TerminalError inside another error', () => {
  const terminal = new TerminalError('never');
  const outcomeOf = (error: Error): readonly string[] =>
    received(
      () => fail(error),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(50), until: 10 },
    ).slice(1);

  it.each<[string, Error]>([
    ['its cause', new Error('outer', { cause: terminal })],
    ['the cause of a cause', new Error('outer', { cause: new Error('middle', { cause: terminal }) })],
    ['all errors of an AggregateError', new AggregateError([terminal, new Error('outer', { cause: terminal })])],
    ['an AggregateError that is a cause', new Error('outer', { cause: new AggregateError([terminal, terminal]) })],
    ['part of a cyclic chain of causes', inCircles(new AggregateError([terminal]))],
  ])('is not retried if it is %s', (_where, error) => {
    expect(outcomeOf(error)).toEqual(['0 a failed: terminal']);
  });

  it.each<[string, Error]>([
    ['only one of several errors is terminal', new AggregateError([terminal, new Error('passes')])],
    ['an AggregateError has no errors', new AggregateError([])],
    ['a cyclic chain of causes contains none', inCircles(new Error('passes'))],
    [
      'its cause cannot be read',
      Object.defineProperty(new Error('odd'), 'cause', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('is retried if %s', (_where, error) => {
    expect(outcomeOf(error)).toEqual(['0 a failed, retry at 50']);
  });

  it('is found a thousand causes deep', () => {
    let error: Error = terminal;
    for (let depth = 0; depth < 1_000; depth++) error = new Error('outer', { cause: error });
    expect(outcomeOf(error)).toEqual(['0 a failed: terminal']);
  });
});
