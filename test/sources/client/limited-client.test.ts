import fc from 'fast-check';
import { fetchClient, type StatusError, type KubeClient, type RxInformersError } from 'rx-informers';
import {
  limitedClient,
  type KubeRequest,
  type LimitedClientOptions,
  type RateLimitOptions,
  type ResponsePart,
} from 'rx-informers/client';
import { kubeClient } from 'rx-informers/node';
import { informerTest } from 'rx-informers/testing';
import { EMPTY, mergeMap, NEVER, of, throwError, timer, type Observable, type Subscription } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { statusError } from '../support/scripted-client.js';
import { kubeConfigOf } from './kube-config.js';

type Answers = (path: string) => Observable<ResponsePart>;

interface Stage {
  /** `time path` of each request that the server received. */
  readonly sent: readonly string[];
  /** The number of timers. */
  readonly timers: () => number;
  readonly ask: (path: string, more?: Partial<KubeRequest>) => Subscription;
  readonly at: (time: number, act: () => void) => void;
  readonly flush: () => void;
}

const ignored = { error: () => undefined };

function limited(options: LimitedClientOptions, answers: Answers, test: (stage: Stage) => void): void {
  informerTest(({ scheduler, flush }) => {
    const sent: string[] = [];
    const server: KubeClient = {
      exchange: ({ path }) => {
        sent.push(`${scheduler.now()} ${path}`);
        return answers(path);
      },
    };
    const client = limitedClient(server, { ...options, scheduler });
    test({
      sent,
      timers: () => scheduler.actions.length,
      ask: (path, more) => client.exchange({ method: 'GET', path, ...more }).subscribe(ignored),
      at: (time, act) => scheduler.schedule(act, time - scheduler.now()),
      flush,
    });
  });
}

const refusal = (seconds: number, code = 429): Observable<never> =>
  throwError(() => statusError(code, {}, seconds * 1_000));

describe('limitedClient: qps and burst', () => {
  it('sends a burst at once and the rest at the rate, in the order of arrival', () => {
    limited(
      { qps: 2, burst: 3 },
      () => EMPTY,
      ({ ask, sent, flush }) => {
        for (const path of 'abcdef') ask(path);
        expect(sent).toEqual(['0 a', '0 b', '0 c']);
        flush();
        expect(sent.slice(3)).toEqual(['500 d', '1000 e', '1500 f']);
      },
    );
  });

  it('has a burst of twice the rate by default, and of one request below one per second', () => {
    limited(
      { qps: 2 },
      () => EMPTY,
      ({ ask, sent }) => {
        for (const path of 'abcdef') ask(path);
        expect(sent).toHaveLength(4);
      },
    );
    limited(
      { qps: 0.25 },
      () => EMPTY,
      ({ ask, sent, flush }) => {
        for (const path of 'abc') ask(path);
        flush();
        expect(sent).toEqual(['0 a', '4000 b', '8000 c']);
      },
    );
  });

  it('sends everything at once without options', () => {
    limited(
      {},
      () => EMPTY,
      ({ ask, sent }) => {
        for (const path of 'abcdef') ask(path);
        expect(sent).toHaveLength(6);
      },
    );
  });

  it('passes the turn of a request that is unsubscribed from to the next one', () => {
    limited(
      { qps: 1, burst: 1 },
      () => EMPTY,
      ({ ask, sent, flush }) => {
        const [, second] = [ask('a'), ask('b'), ask('c')];
        second.unsubscribe();
        flush();
        expect(sent).toEqual(['0 a', '1000 c']);
      },
    );
  });

  it('has no timer while nothing waits', () => {
    limited(
      { qps: 1, burst: 1 },
      () => EMPTY,
      ({ ask, sent, timers }) => {
        ask('a');
        expect(timers()).toBe(0);
        const waiting = [ask('b'), ask('c')];
        expect(timers()).toBe(1);
        for (const one of waiting) one.unsubscribe();
        expect(timers()).toBe(0);
        expect(sent).toEqual(['0 a']);
      },
    );
  });

  it('never sends more than burst + qps × t, for rates that cannot be represented exactly', () => {
    const setup = fc.record({
      qps: fc.double({ min: 0.1, max: 500, noNaN: true }),
      burst: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(setup, fc.integer({ min: 1, max: 60 }), (options, count) => {
        limited(
          options,
          () => EMPTY,
          ({ ask, sent, flush }) => {
            for (let index = 0; index < count; index++) ask('x');
            flush();
            const times = sent.map((line) => Number.parseFloat(line));
            expect(times).toHaveLength(count);
            times.forEach((time, index) => {
              expect(index + 1).toBeLessThanOrEqual(options.burst + (options.qps * time) / 1_000 + 1e-6);
            });
          },
        );
      }),
      { numRuns: 20 },
    );
  });
});

describe('limitedClient: Retry-After', () => {
  it.each([429, 503])('holds all requests back after a %i, except those in flight', (code) => {
    const answers: Answers = (path) => (path === 'busy' ? refusal(30, code) : NEVER);
    limited({}, answers, ({ ask, at, sent, timers, flush }) => {
      const inFlight = ask('before');
      at(1_000, () => ask('busy'));
      at(2_000, () => ask('a'));
      at(2_001, () => ask('b'));
      at(30_999, () => expect(sent).toEqual(['0 before', '1000 busy']));
      flush();
      expect(inFlight.closed).toBe(false);
      expect(sent.slice(2)).toEqual(['31000 a', '31000 b']);
      expect(timers()).toBe(0);
    });
  });

  it('waits for the longest of several waits, also for one that arrives while requests wait', () => {
    const answers: Answers = (path) =>
      path === 'slow' ? timer(5_000).pipe(mergeMap(() => refusal(20))) : refusal(Number(path));
    limited({}, answers, ({ ask, at, sent, flush }) => {
      ask('slow');
      ask('10');
      at(1_000, () => ask('1'));
      flush();
      expect(sent).toEqual(['0 slow', '0 10', '25000 1']);
    });
  });

  it('waits no longer than maxRetryAfter', () => {
    limited(
      { maxRetryAfter: 2_000 },
      () => refusal(86_400),
      ({ ask, sent, flush }) => {
        ask('a');
        ask('b');
        flush();
        expect(sent).toEqual(['0 a', '2000 b']);
      },
    );
  });

  it.each<[string, LimitedClientOptions, StatusError]>([
    ['maxRetryAfter is 0', { maxRetryAfter: 0 }, statusError(429, {}, 30_000)],
    ['the response is not a 429 or 503', {}, statusError(500, {}, 30_000)],
    ['the response has no Retry-After', {}, statusError(429)],
    [
      'a disruption budget forbids an eviction',
      {},
      statusError(429, { details: { causes: [{ reason: 'DisruptionBudget' }] } }, 10_000),
    ],
  ])('does not hold requests back if %s', (_name, options, error) => {
    limited(
      options,
      () => throwError(() => error),
      ({ ask, sent, timers }) => {
        ask('a');
        ask('b');
        expect(sent).toEqual(['0 a', '0 b']);
        expect(timers()).toBe(0);
      },
    );
  });
});

describe('limitedClient with random requests', () => {
  it('sends the same as a naive queue, bucket and gate', () => {
    const step = 10;
    const request = fc.record({
      at: fc.integer({ min: 0, max: 60 }),
      cancelAfter: fc.option(fc.integer({ min: 1, max: 30 }), { nil: Infinity }),
      retryAfter: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 })),
    });
    const setup = fc.record({ interval: fc.constantFrom(10, 20, 50, 100), burst: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(setup, fc.array(request, { maxLength: 30 }), ({ interval, burst }, requests) => {
        const maxRetryAfter = 200;
        // Requests come 5 ms after the steps and leave with the steps, so that no two things tie.
        const expected: string[] = [];
        const queue: number[] = [];
        let level = burst * interval;
        let pausedUntil = 0;
        for (let time = 0; time < 20_000; time += 5) {
          level = Math.min(burst * interval, level + 5);
          requests.forEach(({ at, cancelAfter }, id) => {
            if ((at + cancelAfter) * step === time && queue.includes(id)) queue.splice(queue.indexOf(id), 1);
            if (at * step + 5 === time) queue.push(id);
          });
          while (queue.length > 0 && time >= pausedUntil && level >= interval) {
            const id = queue.shift() ?? 0;
            level -= interval;
            pausedUntil = Math.max(pausedUntil, time + Math.min(maxRetryAfter, (requests[id]?.retryAfter ?? 0) * step));
            expected.push(`${time} ${id}`);
          }
        }

        const answers: Answers = (path) => refusal(((requests[Number(path)]?.retryAfter ?? 0) * step) / 1_000);
        limited({ qps: 1_000 / interval, burst, maxRetryAfter }, answers, ({ ask, at, sent, timers, flush }) => {
          requests.forEach((one, id) => {
            at(one.at * step + 5, () => {
              const requested = ask(String(id));
              if (one.cancelAfter < Infinity) at((one.at + one.cancelAfter) * step, () => requested.unsubscribe());
            });
          });
          flush();
          expect(sent).toEqual(expected);
          expect(timers()).toBe(0);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the order if a request is made while another one is sent', () => {
    informerTest(({ scheduler, flush }) => {
      const sent: string[] = [];
      const server: KubeClient = {
        exchange: ({ path }) => {
          sent.push(`${scheduler.now()} ${path}`);
          if (path === 'a') for (const next of ['c', 'd']) ask(next);
          return EMPTY;
        },
      };
      const client = limitedClient(server, { qps: 1, burst: 2, scheduler });
      const ask = (path: string): Subscription => client.exchange({ method: 'GET', path }).subscribe();
      ask('a');
      ask('e');
      flush();
      expect(sent).toEqual(['0 a', '0 c', '1000 d', '2000 e']);
    });
  });

  it('continues if the client below throws', () => {
    const answers: Answers = (path) => {
      if (path === 'bad') throw new Error('defect');
      return of();
    };
    limited({ qps: 1, burst: 1 }, answers, ({ ask, sent, flush }) => {
      for (const path of ['bad', 'a', 'bad', 'b']) ask(path);
      flush();
      expect(sent).toEqual(['0 bad', '1000 a', '2000 bad', '3000 b']);
    });
  });

  it('reports when a request begins to wait and when it is sent, and does not send requests that are unsubscribed from then', () => {
    limited(
      { qps: 1, burst: 1 },
      () => EMPTY,
      ({ ask, at, sent, flush }) => {
        const seen: string[] = [];
        let now = 0;
        at(500, () => (now = 500));
        const notify = (path: string) => (isQueued: boolean) => seen.push(`${path} ${isQueued ? 'queued' : 'sent'}`);
        ask('a', { onQueued: notify('a') });
        const leaving = ask('b', {
          onQueued: (isQueued) => {
            notify('b')(isQueued);
            if (!isQueued) leaving.unsubscribe();
          },
        });
        ask('c', { onQueued: notify('c') });
        flush();
        expect(now).toBe(500);
        expect(seen).toEqual(['b queued', 'c queued', 'b sent', 'c sent']);
        expect(sent).toEqual(['0 a', '2000 c']);
      },
    );
  });

  it.each<[string, LimitedClientOptions]>([
    ['qps', { qps: 0 }],
    ['qps', { qps: NaN }],
    ['burst', { qps: 5, burst: 0.5 }],
    ['maxRetryAfter', { maxRetryAfter: -1 }],
  ])('refuses an invalid option %s', (option, options) => {
    const refused = expect.objectContaining({ option }) as RxInformersError<'RXI_INVALID_OPTION'>;
    expect(() => limitedClient({ exchange: () => EMPTY }, options)).toThrow(refused);
  });
});

describe('limitedClient of a fetchClient', () => {
  it('limits its requests, and takes its scheduler as their clock', () => {
    informerTest(({ scheduler, flush }) => {
      const started: number[] = [];
      // Read for each request that is sent.
      const headers = (): Readonly<Record<string, string>> => {
        started.push(scheduler.now());
        return {};
      };
      const fetch = (): Promise<Response> => new Promise(() => undefined);
      const client = limitedClient(fetchClient({ fetch, headers, scheduler }), { qps: 1, burst: 2 });
      for (const path of ['/a', '/b', '/c']) client.exchange({ method: 'GET', path }).subscribe(ignored);
      flush();
      expect(started).toEqual([0, 0, 1_000]);
    });
  });
});

describe('kubeClient with qps and burst', () => {
  it('has no limit by default, and throws for an invalid one', () => {
    const create = (options: RateLimitOptions): KubeClient =>
      kubeClient(kubeConfigOf({ server: 'http://localhost' }), options);
    expect(() => create({})).not.toThrow();
    expect(() => create({ qps: 0 })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => create({ burst: 0 })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => create({ maxRetryAfter: -1 })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});

it('has the address and the namespace of the client that it limits, also when they change', () => {
  let namespace = 'shop';
  const client: KubeClient = {
    exchange: () => EMPTY,
    server: 'https://10.0.0.1',
    get namespace() {
      return namespace;
    },
  };
  const limited = limitedClient(client, { qps: 1 });
  namespace = 'blog';
  expect(limited).toMatchObject({ server: 'https://10.0.0.1', namespace: 'blog' });
});
