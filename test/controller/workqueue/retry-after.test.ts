import { concat, map, mergeMap, NEVER, of, range, timer } from 'rxjs';
import { StatusError } from 'rx-informers';
import { TerminalError } from 'rx-informers/controller';
import { fail, steady, told } from './support/told.js';

const request = { method: 'PUT', url: '/api/v1/namespaces/web/configmaps/a' };

/** The server answered 429 and asked to be left alone for so many milliseconds. */
function busy(retryAfter: number | undefined): StatusError {
  return new StatusError(request, { reason: 'TooManyRequests', message: 'try later' }, { code: 429, retryAfter });
}

/** Loops back to itself. */
function inCircles(cause: Error): Error {
  const error = new Error('outer', { cause: new AggregateError([cause], 'inner') });
  (cause as { cause?: unknown }).cause = error;
  return error;
}

describe('workqueue: Retry-After', () => {
  it('tries a key again only when the server allows it: one run in 30 s, where backoff alone made thirteen', () => {
    const runs = (error: unknown): number =>
      told(
        () => fail(error),
        () => concat(of('a'), NEVER),
        { until: 29_999 },
      ).filter((line) => line.endsWith('?')).length;
    expect([runs(busy(undefined)), runs(busy(30_000))]).toEqual([13, 1]);
  });

  it('says so in retryAt, and goes on with the wait of the rate limiter where that is longer', () => {
    const lines = told(
      () => fail(busy(30)),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(40) },
    );
    expect(lines).toEqual(['0 a?', '0 a#40', '40 a?', '40 a#80', '80 a?', '80 a#120']);
    expect(
      told(
        () => fail(busy(30)),
        ({ hot }) => hot('a'),
        { until: 31 },
      ),
    ).toEqual(['0 a?', '0 a#30', '30 a?', '30 a#60']);
  });

  it('is not cut short by triggers, and makes one run of them', () => {
    const storm = range(0, 61).pipe(
      mergeMap((at) => timer(at)),
      map(() => 'a'),
    );
    expect(
      told(
        () => fail(busy(30)),
        () => concat(storm, NEVER),
        { until: 61 },
      ),
    ).toEqual(['0 a?', '0 a#30', '30 a?', '30 a#60', '60 a?', '60 a#90']);
  });

  it('is not cut short by a trigger that came during the run', () => {
    const lines = told(
      () => timer(5).pipe(mergeMap(() => fail(busy(30)))),
      ({ hot }) => hot('a--a'),
      { rateLimiter: steady(100), until: 41 },
    );
    // The trigger waits for as long as the server asked, not for as long as the rate limiter says.
    expect(lines).toEqual(['0 a?', '5 a#35', '35 a?', '40 a#140']);
  });

  it('does not hold back other keys', () => {
    const lines = told(
      (key) => (key === 'a' ? fail(busy(30)) : 'done'),
      ({ hot }) => hot('ab'),
      { until: 20 },
    );
    expect(lines).toEqual(['0 a?', '0 a#30', '1 b?', '1 b=done', '1 b!']);
  });

  it.each<[string, Error]>([
    ['a cause', new Error('outer', { cause: new Error('inner', { cause: busy(30) }) })],
    ['one of several errors', new AggregateError([busy(10), new Error('other'), busy(30)])],
    ['a chain that runs in circles', inCircles(busy(30))],
  ])('Retry-After is found in %s', (_where, error) => {
    expect(
      told(
        () => fail(error),
        ({ hot }) => hot('a--a'),
        { until: 20 },
      ),
    ).toEqual(['0 a?', '0 a#30']);
  });

  it('is honoured up to five minutes, as for lists and watches', () => {
    const lines = told(
      () => fail(busy(86_400_000)),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(5) },
    );
    expect(lines).toEqual(['0 a?', '0 a#300000']);
  });

  it('also holds back what is added for a key that is not tried again by itself', () => {
    const lines = told(
      () => fail(busy(30)),
      ({ hot }) => hot('a--a'),
      { maxRetries: 0, until: 50 },
    );
    expect(lines).toEqual(['0 a?', '0 a#retries-exhausted', '30 a?', '30 a#retries-exhausted']);
  });

  it('drops what it holds back when the source completes, or waits for it with waitForDelayed', () => {
    const ends = (waitForDelayed: boolean): readonly string[] =>
      told(
        (_key, at) => (at() >= 30 ? 'done' : timer(5).pipe(mergeMap(() => fail(busy(30))))),
        ({ hot }) => hot('a-a|'),
        { waitForDelayed },
      );
    expect(ends(false)).toEqual(['0 a?', '5 a#stopping', '5 ax', '5 complete']);
    expect(ends(true)).toEqual(['0 a?', '5 a#35', '35 a?', '35 a=done', '35 a!', '35 complete']);
  });
});

describe('workqueue: a TerminalError inside another error', () => {
  const terminal = new TerminalError('never');
  const outcomeOf = (error: Error): readonly string[] =>
    told(
      () => fail(error),
      ({ hot }) => hot('a'),
      { rateLimiter: steady(50), until: 10 },
    ).slice(1);

  it.each<[string, Error]>([
    ['its cause', new Error('outer', { cause: terminal })],
    ['a cause of a cause', new Error('outer', { cause: new Error('middle', { cause: terminal }) })],
    ['all errors of an AggregateError', new AggregateError([terminal, new Error('outer', { cause: terminal })])],
    ['an AggregateError behind a cause', new Error('outer', { cause: new AggregateError([terminal, terminal]) })],
    ['a chain that runs in circles', inCircles(new AggregateError([terminal]))],
  ])('is not tried again where it is %s', (_where, error) => {
    expect(outcomeOf(error)).toEqual(['0 a#terminal']);
  });

  it.each<[string, Error]>([
    ['only one of several errors is terminal', new AggregateError([terminal, new Error('passes')])],
    ['an AggregateError has no errors', new AggregateError([])],
    ['a chain that runs in circles has none', inCircles(new Error('passes'))],
    [
      'its cause cannot be read',
      Object.defineProperty(new Error('odd'), 'cause', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('is tried again where %s', (_where, error) => {
    expect(outcomeOf(error)).toEqual(['0 a#50']);
  });

  it('is found a thousand causes deep', () => {
    let error: Error = terminal;
    for (let depth = 0; depth < 1_000; depth++) error = new Error('outer', { cause: error });
    expect(outcomeOf(error)).toEqual(['0 a#terminal']);
  });
});
