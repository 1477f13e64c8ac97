import { concat, from, map, of, type Observable } from 'rxjs';
import {
  InvalidQueueInputError,
  RateLimiterError,
  RunStoppedError,
  RunTimeoutError,
  TerminalError,
  type WorkqueueEvent,
  workqueue,
} from 'rx-informers/controller';
import { informerTest } from 'rx-informers/testing';
import { fail, steady, told, word } from './support/told.js';

/** What the compiler takes for an error, and is none. */
const notAnError = 'text' as unknown as Error;

describe('workqueue: failures', () => {
  it('W7: tries again after 5, 10, 20 ms, counts attempts, and forgets them after a success', () => {
    let runs = 0;
    const project = (): Observable<string> => (++runs === 4 ? of('ok') : fail('no'));
    const lines = told(project, ({ hot }) => hot('a 59ms a'));
    expect(lines).toEqual([
      '0 a?',
      '0 a#5',
      '5 a?',
      '5 a#15',
      '15 a?',
      '15 a#35',
      '35 a?',
      '35 a=ok',
      '35 a!',
      '60 a?',
      '60 a#65',
      '65 a?',
      '65 a#75',
      '75 a?',
      '75 a#95',
      '95 a?',
      '95 a#135',
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
    ['errored with nothing', () => fail(undefined), undefined],
  ])('goes on after what was %s', async (_name, project, error) => {
    const events: WorkqueueEvent[] = [];
    await of('a', 'b')
      .pipe(workqueue((key) => (key === 'a' ? project() : 'fine'), { maxRetries: 0 }))
      .forEach((event) => void events.push(event));
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'failed', key: 'a', error, outcome: 'retries-exhausted' }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'succeeded', key: 'b', result: 'fine' }));
  });

  it('does not try again what cannot succeed, until it is added again', () => {
    const lines = told(
      () => fail(new TerminalError('never')),
      ({ hot }) => hot('a 8ms a'),
    );
    expect(lines).toEqual(['0 a?', '0 a#terminal', '9 a?', '9 a#terminal']);
  });

  it('stops retrying a key after maxRetries, and counts from zero after it is added again', () => {
    const lines = told(
      () => fail('no'),
      ({ hot }) => hot('a 29ms a'),
      { maxRetries: 1, rateLimiter: steady(10) },
    );
    expect(lines).toEqual([
      '0 a?',
      '0 a#10',
      '10 a?',
      '10 a#retries-exhausted',
      '30 a?',
      '30 a#40',
      '40 a?',
      '40 a#retries-exhausted',
    ]);
  });

  it('passes on what a run gave before it failed', () => {
    const lines = told(
      () => concat(of(1, 2), fail('no')),
      ({ hot }) => hot('a'),
      { maxRetries: 0 },
    );
    expect(lines).toEqual(['0 a?', '0 a=1', '0 a=2', '0 a#retries-exhausted']);
  });

  it('ends a run that never ends, aborts its signal, and tries again', () => {
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
      expectObservable(events$, '18ms !').toBe('s 9ms t----u', { s: 'a?', t: 'a#15', u: 'a?' });
      expectSubscriptions(work.subscriptions).toBe(['^---------!', '---------------^--!']);
    });
    expect(aborted).toEqual([new RunTimeoutError('a', 10), new RunStoppedError('a')]);
  });

  it('reports a rate limiter that fails, and tries again after a second', () => {
    const events: WorkqueueEvent[] = [];
    const broken = {
      when: () => {
        throw new Error('broken');
      },
      forget: () => undefined,
      requeues: () => 0,
    };
    informerTest(({ hot }) => {
      hot('a 1100ms |')
        .pipe(workqueue(() => fail('no'), { rateLimiter: () => broken }))
        .subscribe((event) => events.push(event));
    });
    const failures = events.filter((event) => event.type === 'failed');
    expect(failures.map(({ retryAt }) => retryAt)).toEqual([1_000, 2_000]);
    expect(failures[0]?.error).toEqual(new RateLimiterError('a', 'no', new Error('broken')));
  });

  it('does not spin where the rate limiter knows no waiting', () => {
    const lines = told(
      () => fail('no'),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(0), until: 2.5 },
    );
    expect(lines).toEqual(['0 a?', '0 a#1', '1 a?', '1 a#2', '2 a?', '2 a#3']);
  });

  it('refuses what is no key, and goes on', () => {
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
    expect(refused.every(({ error }) => error instanceof InvalidQueueInputError)).toBe(true);
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['started', 'emitted', 'succeeded']);
  });

  it.each([{ concurrency: 0 }, { concurrency: NaN }, { timeout: -1 }, { maxRetries: -1 }])(
    'refuses %p at once',
    (options) => {
      expect(() => workqueue(() => undefined, options)).toThrow(RangeError);
    },
  );
});
