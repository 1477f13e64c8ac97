import { leader$, whileLeading } from 'rx-informers/controller';
import { serverFaults, createInMemoryApiServer, informerTest, type InMemoryApiServer } from 'rx-informers/testing';
import { delay, map, Observable, type SchedulerLike } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import { errorWith } from '../../support/error-with.js';
import { leaseName, world, word } from './support/election.js';

describe('leader$', () => {
  it.each([
    [{ identity: '' }, 'identity must be a text that is not empty'],
    [{ lease: { namespace: '', name: 'x' } }, 'a namespace and a name'],
    [{ lease: { namespace: 'a/b', name: 'x' } }, 'a namespace and a name'],
    [{ leaseDuration: 10_000 }, 'longer than renewDeadline'],
    [{ leaseDuration: 15_500 }, 'whole seconds'],
    [{ renewDeadline: 2_400 }, 'longer than 1.2 times retryPeriod'],
    [{ retryPeriod: 0 }, 'retryPeriod must be above 0 ms'],
    [{ retryPeriod: -1 }, 'retryPeriod must be between'],
    [{ renewDeadline: NaN }, 'renewDeadline must be between'],
    [{ leaseDuration: Infinity }, 'leaseDuration must be between'],
    [{ timeout: 0 }, 'timeout must be above 0 ms'],
  ])('L1: throws at once for %p', (options, problem) => {
    const { server } = world();
    expect(() => leader$(server.client, { lease: leaseName, identity: 'a', ...options })).toThrow(
      errorWith('RXI_INVALID_OPTION'),
    );
    expect(() => leader$(server.client, { lease: leaseName, identity: 'a', ...options })).toThrow(problem);
  });

  it('sends no request before the first subscription', () => {
    const { server, requests } = world();
    leader$(server.client, { lease: leaseName, identity: 'a' });
    expect(requests).toEqual([]);
  });

  it('L2: tries at once, and leads synchronously if the lease is free', () => {
    const { candidate, lines, lease } = world();
    candidate('a');
    expect(lines).toEqual(['0 a standby', '0 a leading']);
    expect(lease()?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '1970-01-01T00:00:00.000000Z',
      renewTime: '1970-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  it.each([
    [0, 2_000],
    [0.5, 3_200],
    [0.75, 3_800],
  ])('L2: a candidate waits between 1 and 2.2 retry periods (random %p: %p ms)', (random, wait) => {
    const { candidate, clock, requests, put } = world();
    put({ holderIdentity: 'x', leaseDurationSeconds: 60 });
    candidate('a', { random: () => random });
    clock.advance(2 * wait);
    expect(requests).toEqual(['0 GET', `${wait} GET`, `${2 * wait} GET`]);
  });

  it('L2, L4: the leader renews each retry period without a read, and keeps acquireTime and transitions', () => {
    const { candidate, clock, requests, lease } = world();
    candidate('a');
    clock.advance(6_000);
    expect(requests).toEqual(['0 GET', '0 POST', '2000 PUT', '4000 PUT', '6000 PUT']);
    expect(lease()?.spec).toMatchObject({
      acquireTime: '1970-01-01T00:00:00.000000Z',
      renewTime: '1970-01-01T00:00:06.000000Z',
      leaseTransitions: 0,
    });
  });

  it('L4: reads the lease if a renewal without a read fails, and counts that', () => {
    const { candidate, clock, requests, server, lines } = world();
    let slowPaths = 0;
    candidate('a', { metrics: { leading: () => undefined, slowPath: () => (slowPaths += 1) } });
    server.faults.next('write', serverFaults.respond(500));
    clock.advance(4_000);
    expect(requests).toEqual(['0 GET', '0 POST', '2000 PUT', '2000 GET', '2000 PUT', '4000 PUT']);
    expect(slowPaths).toBe(1);
    expect(lines).toEqual(['0 a standby', '0 a leading']);
  });

  it('L4: keeps leading after another client changed labels of the lease', () => {
    const { candidate, clock, requests, server, lease, lines } = world();
    candidate('a');
    const current = lease()!;
    server.apply({ ...current, metadata: { ...current.metadata, labels: { touched: 'yes' } } });
    clock.advance(4_000);
    expect(requests.slice(2)).toEqual(['2000 PUT', '2000 GET', '2000 PUT', '4000 PUT']);
    expect(lines).toHaveLength(2);
    expect(lease()?.metadata.labels).toEqual({ touched: 'yes' });
  });

  it('L2: stops leading at the renew deadline and reports why; until then it reports each failure', () => {
    const { candidate, clock, server, lines } = world();
    const replica = candidate('a');
    clock.advance(4_000);
    server.faults.always('any', serverFaults.refuse());
    clock.advance(9_999);
    expect(replica.isLeading).toBe(true);
    clock.advance(1);
    expect(lines.slice(2)).toEqual([
      '6000 a leading (RXI_CONNECTION)',
      '8000 a leading (RXI_CONNECTION)',
      '10000 a leading (RXI_CONNECTION)',
      '12000 a leading (RXI_CONNECTION)',
      '14000 a lost by RXI_RENEW_DEADLINE',
    ]);
    expect(replica.last).toMatchObject({
      ledSince: 0,
      holder: 'a',
      cause: { renewDeadline: 10_000, identity: 'a', cause: { code: 'RXI_CONNECTION' } },
    });
  });

  it('counts the deadline from when the renewal was sent, even if the response took a second', () => {
    const { candidate, clock, server, lines } = world();
    const replica = candidate('a');
    // The renewal of second 2 is answered at second 3; then nothing is.
    server.faults.next('write', {
      name: 'slow answer',
      intercept: (request, next) => next(request).pipe(delay(1_000, clock)),
    });
    clock.advance(3_500);
    server.faults.always('any', serverFaults.stall());
    clock.advance(8_499);
    expect(replica.isLeading).toBe(true);
    clock.advance(1);
    expect(lines.at(-1)).toBe('12000 a lost by RXI_RENEW_DEADLINE');
  });

  it('does not lead by a lease whose response came after the deadline, and renews it first', () => {
    const { candidate, clock, server, lines } = world();
    server.faults.next('write', {
      name: 'slow answer',
      intercept: (request, next) => next(request).pipe(delay(10_000, clock)),
    });
    candidate('a', { timeout: 12_000 });
    clock.advance(10_000);
    expect(lines).toEqual(['0 a standby', '10000 a standby of a', '10000 a leading']);
  });

  it('tries again after a request without a response, before the deadline', () => {
    const { candidate, clock, server, requests, lines } = world();
    candidate('a');
    server.faults.next('any', serverFaults.stall(), { times: 1 });
    clock.advance(9_000);
    expect(requests.slice(2)).toEqual(['2000 PUT', '7000 GET', '7000 PUT', '9000 PUT']);
    expect(lines).toHaveLength(2);
  });

  it('▲ competes again after it lost leadership, and leads again when the server is back', () => {
    const { candidate, clock, server, lines, lease } = world();
    candidate('a');
    server.faults.always('any', serverFaults.respond(503));
    clock.advance(12_000);
    server.faults.clear();
    clock.advance(3_000);
    expect(lines.slice(-2)).toEqual(['10000 a lost by RXI_RENEW_DEADLINE', '13200 a leading']);
    expect(lease()?.spec?.leaseTransitions).toBe(0);
  });

  it('L5: reports each other holder once', () => {
    const { candidate, clock, put, lines } = world();
    put({ holderIdentity: 'x', leaseDurationSeconds: 60, renewTime: '2026-01-01T00:00:00.000000Z' });
    candidate('a');
    clock.advance(4_000);
    put({ holderIdentity: 'y', leaseDurationSeconds: 60, renewTime: '2026-01-01T00:00:05.000000Z' });
    clock.advance(8_000);
    put({ holderIdentity: '', leaseDurationSeconds: 1 });
    clock.advance(4_000);
    expect(lines).toEqual([
      '0 a standby',
      '0 a standby of x',
      '6400 a standby of y',
      '12800 a standby',
      '12800 a leading',
    ]);
  });

  it('is one candidacy for all subscribers, and emits the current state to late ones', () => {
    const { candidate, clock, requests, holder } = world();
    const replica = candidate('a');
    const seen: string[] = [];
    const late = replica.leadership$.subscribe(({ type }) => seen.push(type));
    expect(seen).toEqual(['leading']);
    expect(requests).toEqual(['0 GET', '0 POST']);
    replica.stop();
    clock.advance(2_000);
    expect(requests.at(-1)).toBe('2000 PUT');
    expect(holder()).toBe('a');
    late.unsubscribe();
    expect(holder()).toBe('');
  });

  it('reports to the metrics whether it leads', () => {
    const { candidate, clock, server } = world();
    const received: boolean[] = [];
    const replica = candidate('a', {
      metrics: { leading: (value) => received.push(value), slowPath: () => undefined },
    });
    expect(received).toEqual([false, true]);
    server.faults.always('any', serverFaults.refuse());
    clock.advance(10_000);
    expect(received).toEqual([false, true, false]);
    server.faults.clear();
    clock.advance(5_000);
    replica.stop();
    expect(received).toEqual([false, true, false, true, false]);
  });
});

interface Helpers extends RunHelpers {
  readonly server: InMemoryApiServer;
  readonly compete: (identity: string) => ReturnType<typeof leader$>;
}

function election(test: (helpers: Helpers) => void): void {
  informerTest((helpers) => {
    const { scheduler } = helpers;
    const server = createInMemoryApiServer({ scheduler });
    // Candidates look each second, and leaders renew each second; one second is 1000 frames.
    const compete = (identity: string) => leader$(server.client, options(identity, scheduler));
    test({ ...helpers, server, compete });
  });
}

const options = (identity: string, scheduler: SchedulerLike) => ({
  lease: leaseName,
  identity,
  leaseDuration: 3_000,
  renewDeadline: 2_000,
  retryPeriod: 1_000,
  scheduler,
  random: () => 0,
});

const values = {
  s: 'standby',
  l: 'leading',
  a: 'standby of a',
  b: 'standby of b',
  e: 'leading (RXI_CONNECTION)',
  f: 'standby of a (RXI_CONNECTION)',
  x: 'lost by RXI_RENEW_DEADLINE',
};

describe('leader$ in marble diagrams', () => {
  it('L6: another candidate follows a leader that unsubscribes, with its next attempt', () => {
    election(({ compete, expectObservable }) => {
      expectObservable(compete('a').pipe(map(word)), '^ 1499ms !').toBe('(sl)', values);
      expectObservable(compete('b').pipe(map(word)), '^ 2499ms !').toBe('(sa) 1996ms (sl)', values);
    });
  });

  it('L2: in an outage the leader stops at its deadline, competes again, and the work follows it', () => {
    election(({ compete, cold, server, expectObservable, expectSubscriptions }) => {
      const work = cold('w');
      const a = compete('a');
      cold('500ms x 5499ms y').subscribe((sign) => {
        if (sign === 'x') server.faults.always('any', serverFaults.refuse());
        else server.faults.clear();
      });
      expectObservable(a.pipe(map(word)), '^ 7500ms !').toBe(
        '(sl) 996ms e 999ms x 999ms f 999ms f 999ms f 999ms l',
        values,
      );
      expectObservable(a.pipe(whileLeading(() => work)), '^ 7500ms !').toBe('w 5999ms w');
      expectSubscriptions(work.subscriptions).toBe(['^ 1999ms !', '6s ^ 1500ms !']);
    });
  });

  it('leaves nothing running after the work is unsubscribed from', () => {
    election(({ compete, expectObservable, expectSubscriptions, cold, server }) => {
      const work = cold('w 999ms w');
      expectObservable(compete('a').pipe(whileLeading(() => work)), '^ 500ms !').toBe('w');
      expectSubscriptions(work.subscriptions).toBe('^ 500ms !');
      const requested = new Observable<string>((subscriber) =>
        server.requests$.subscribe(({ method }) => {
          subscriber.next(method);
        }),
      );
      expectObservable(requested, '^ 5s !').toBe('501ms (gp)', { g: 'GET', p: 'PUT' });
    });
  });
});
