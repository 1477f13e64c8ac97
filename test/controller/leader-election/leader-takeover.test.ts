import { serverFaults } from 'rx-informers/testing';
import { mergeMap, of, throwError } from 'rxjs';
import { malformedLeaseError, takenOverError } from '../../../src/controller/lease/lease-errors.js';
import { world, leaseName } from './support/election.js';
import { skewed } from './support/skewed-clock.js';

describe('leader$ with several replicas', () => {
  it('L3: no replica leads until the lease of a killed leader expires; then another one does, in bounded time', () => {
    const { candidate, clock, lines, lease } = world();
    const a = candidate('a');
    candidate('b');
    clock.advance(7_000);
    a.kill();
    // The last renewal was at 6 s, and b saw it at 6.4 s; it looks each 3.2 s.
    clock.advance(60_000);
    expect(lines).toEqual(['0 a standby', '0 a leading', '0 b standby', '0 b standby of a', '22400 b leading']);
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('L6: another replica leads with its next attempt after the leader released its lease', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    candidate('b');
    clock.advance(7_000);
    a.stop();
    clock.advance(3_000);
    expect(lines.slice(4)).toEqual(['9600 b standby', '9600 b leading']);
  });

  it('one of two standby replicas takes over, and the other one observes it', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    const b = candidate('b', { random: () => 0.1 });
    const c = candidate('c', { random: () => 0.9 });
    a.kill();
    clock.advance(60_000);
    expect([b.isLeading, c.isLeading]).toEqual([true, false]);
    expect(lines.slice(-2)).toEqual(['15680 b leading', '16640 c standby of b']);
  });

  it('if two compete for a free lease at once, one leads and the other is on standby without an error', () => {
    const { candidate, clock, put, lines } = world();
    put({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    candidate('a');
    candidate('b');
    clock.advance(20_000);
    expect(lines).toEqual([
      '0 a standby',
      '0 a standby of x',
      '0 b standby',
      '0 b standby of x',
      '16000 a leading',
      '16000 b standby of a',
    ]);
  });

  it.each([3_600_000, -3_600_000])('L3: clocks that differ by %p ms make no difference', (offset) => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    candidate('b', { scheduler: skewed(clock, () => offset) });
    clock.advance(7_000);
    a.kill();
    clock.advance(60_000);
    expect(lines.slice(4)).toEqual(['22400 b leading']);
  });

  it.each([3_600_000, -3_600_000])(
    '▲ a standby replica whose clock is set by %p ms takes over neither sooner nor later',
    (jump) => {
      const { candidate, clock, lines } = world();
      let offset = 0;
      const a = candidate('a');
      candidate('b', { scheduler: skewed(clock, () => offset) });
      clock.advance(7_000);
      a.kill();
      offset = jump;
      clock.advance(60_000);
      expect(lines.slice(4)).toEqual(['22400 b leading']);
    },
  );

  it('▲ a leader whose clock is set back still stops at its deadline', () => {
    const { candidate, clock, lines } = world();
    let offset = 0;
    const a = candidate('a', { scheduler: skewed(clock, () => offset) });
    clock.advance(3_000);
    a.network.isDown = true;
    offset = -3_600_000;
    clock.advance(20_000);
    expect(lines).toContain('12000 a lost by RXI_RENEW_DEADLINE');
  });

  it('▲ a leader whose clock is set back during a renewal still stops at its deadline', () => {
    const { candidate, clock, server, lines } = world();
    let offset = 0;
    const a = candidate('a', { scheduler: skewed(clock, () => offset) });
    candidate('b');
    clock.advance(3_000);
    const renewals = server.requests$.subscribe(({ method }) => {
      if (method === 'PUT') offset = -3_600_000;
    });
    clock.advance(1_500);
    renewals.unsubscribe();
    a.network.isDown = true;
    clock.advance(30_000);
    expect(offset).toBe(-3_600_000);
    expect(lines.filter((line) => / (lost|leading$)/.test(line)).slice(1)).toEqual([
      '14000 a lost by RXI_RENEW_DEADLINE',
      '22400 b leading',
    ]);
  });

  it('▲ a leader whose clock is set back during a failed renewal tries again after the retry period', () => {
    const { candidate, clock, server, lines, requests } = world();
    let offset = 0;
    candidate('a', { scheduler: skewed(clock, () => offset) });
    clock.advance(3_000);
    server.faults.next('any', serverFaults.respond(500), { times: 2 });
    const attempts = server.requests$.subscribe(() => {
      offset -= 3_600_000;
    });
    clock.advance(1_500);
    attempts.unsubscribe();
    requests.length = 0;
    clock.advance(20_000);
    expect(requests[0]).toBe('6000 PUT');
    expect(lines.filter((line) => line.includes('lost'))).toEqual([]);
  });

  it('a leader whose clock is set forward stops too early rather than too late, and leads again', () => {
    const { candidate, clock, lines } = world();
    let offset = 0;
    candidate('a', { scheduler: skewed(clock, () => offset) });
    clock.advance(3_000);
    offset = 3_600_000;
    clock.advance(5_000);
    expect(lines.slice(2)).toEqual(['4000 a lost by RXI_RENEW_DEADLINE', '7200 a leading']);
  });

  it('L3: the duration written by the holder counts, not that of the candidate', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a', { leaseDuration: 60_000 });
    candidate('b');
    a.kill();
    clock.advance(100_000);
    expect(lines.slice(4)).toEqual(['60800 b leading']);
  });

  it('the leader stays the same through a restart of the server and a short outage', () => {
    const { candidate, clock, server, lines } = world();
    const a = candidate('a');
    const b = candidate('b');
    server.restart({ compact: true });
    server.faults.next('any', serverFaults.refuse(), { times: 8 });
    clock.advance(20_000);
    server.faults.next('any', serverFaults.respond(429, { retryAfter: 1 }), { times: 4 });
    clock.advance(20_000);
    expect([a.isLeading, b.isLeading]).toEqual([true, false]);
    expect(lines.filter((line) => line.includes('lost'))).toEqual([]);
  });

  it('a disconnected leader stops before another one begins, and is on standby after reconnecting', () => {
    const { candidate, clock, lines } = world();
    const a = candidate('a');
    const b = candidate('b');
    clock.advance(3_000);
    a.network.isDown = true;
    clock.advance(30_000);
    a.network.isDown = false;
    clock.advance(5_000);
    expect(lines.filter((line) => / (lost|leading$)/.test(line))).toEqual([
      '0 a leading',
      '12000 a lost by RXI_RENEW_DEADLINE',
      '19200 b leading',
    ]);
    expect([a.last, b.isLeading]).toEqual([{ type: 'standby', holder: 'b', error: undefined }, true]);
  });
});

describe('leader$ with invalid leases and clients', () => {
  it.each([
    ['the namespace does not exist', { lease: { namespace: 'nowhere', name: 'x' } }, '404'],
    ['the identity has no permission', {}, '403'],
  ])('reports that %s, and continues', (_name, options, code) => {
    const { candidate, clock, server, lines } = world();
    if (code === '403') server.faults.always('any', serverFaults.respond(403));
    candidate('a', options);
    clock.advance(3_200);
    expect(lines).toEqual(['0 a standby', `0 a standby (${code})`, `3200 a standby (${code})`]);
    server.faults.clear();
    server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nowhere' } });
    clock.advance(3_200);
    expect(lines.at(-1)).toBe('6400 a leading');
  });

  it('loses leadership at the renew deadline, also at a time whose sum with the deadline is rounded down', () => {
    const { candidate, clock, lines } = world();
    const [start, renewDeadline] = [27_643.034_364_216_28, 10_000];
    expect(start + renewDeadline - start).toBeLessThan(renewDeadline);
    clock.advance(start);
    candidate('a', { renewDeadline }).network.isDown = true;
    clock.advance(renewDeadline);
    expect(lines.at(-1)).toBe(`${start + renewDeadline} a lost by RXI_RENEW_DEADLINE`);
  });

  it('acquires the lease of a dead holder after the lease did not change for its duration', () => {
    const { candidate, clock, put, lines } = world();
    put({ holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2999-01-01T00:00:00.000000Z' });
    candidate('a');
    clock.advance(20_000);
    expect(lines).toEqual(['0 a standby', '0 a standby of dead', '16000 a leading']);
  });

  it('does not acquire a lease with a duration of 68 years at once, although no timer can wait that long', () => {
    const { candidate, clock, put, lines } = world();
    put({ holderIdentity: 'x', leaseDurationSeconds: 2 ** 31 - 1 });
    candidate('a');
    clock.advance(100_000);
    expect(lines).toEqual(['0 a standby', '0 a standby of x']);
  });

  it.each([
    ['without a spec', undefined, '0 a leading'],
    ['without a duration', { holderIdentity: 'x' }, '16000 a leading'],
    ['whose holder is not a string', { holderIdentity: 7, leaseDurationSeconds: 5 }, '6400 a leading'],
    ['whose duration is not a number', { holderIdentity: 'x', leaseDurationSeconds: '5' }, '16000 a leading'],
    ['whose duration is 0', { holderIdentity: 'x', leaseDurationSeconds: 0 }, '16000 a leading'],
    ['whose spec is not an object', 'what?', '0 a leading'],
  ])('acquires a lease %s once it can no longer be held, and writes it correctly', (_name, spec, last) => {
    const { candidate, clock, put, lines, lease } = world();
    put(spec as object);
    candidate('a');
    clock.advance(20_000);
    expect(lines.at(-1)).toBe(last);
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 1 });
  });

  it('reports what is wrong with a malformed lease', () => {
    const { candidate, put } = world();
    put({ holderIdentity: 'x', leaseDurationSeconds: -1, renewTime: 'yesterday' });
    const { last } = candidate('a');
    expect(last).toEqual({
      type: 'standby',
      holder: 'x',
      error: malformedLeaseError(leaseName, [
        'spec.leaseDurationSeconds is -1, not a whole number above 0',
        'spec.renewTime is "yesterday", not an RFC 3339 time',
      ]),
    });
  });

  it('▲ the leader, and no other candidate, creates a deleted lease again', () => {
    const { candidate, clock, removeLease, lines, lease } = world();
    const a = candidate('a');
    clock.advance(600);
    // It looks at 2.6 s, when the lease is gone; the leader renews at 4 s.
    const b = candidate('b', { random: () => 0 });
    clock.advance(1_900);
    removeLease();
    clock.advance(20_000);
    expect([a.isLeading, b.isLeading]).toEqual([true, false]);
    expect(lines).toHaveLength(4);
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });

  it('▲ another replica creates a deleted lease after the last observed lease has expired', () => {
    const { candidate, clock, removeLease, lines } = world();
    const a = candidate('a');
    candidate('b');
    a.kill();
    removeLease();
    clock.advance(20_000);
    expect(lines.slice(4)).toEqual(['16000 b leading']);
  });

  it('continues to lead if it created a deleted lease again, and the response was lost', () => {
    const { candidate, clock, server, removeLease, lines } = world();
    candidate('a');
    server.faults.always('write', {
      name: 'lose the response to a POST',
      intercept: (request, next) =>
        request.method === 'POST'
          ? next(request).pipe(mergeMap(() => throwError(() => new Error('connection reset'))))
          : next(request),
    });
    removeLease();
    clock.advance(20_000);
    expect(lines.slice(2)).toEqual(['2000 a leading (RXI_UNEXPECTED_SOURCE)', '4000 a leading']);
  });

  it('stops leading with its next attempt if another client created a deleted lease first', () => {
    const { candidate, clock, server, put, removeLease, lines } = world();
    candidate('a');
    server.faults.next(
      'write',
      {
        name: 'another client is faster',
        intercept: (request, next) => {
          if (request.method === 'POST') put({ holderIdentity: 'b', leaseDurationSeconds: 15 });
          return next(request);
        },
      },
      { times: 2 },
    );
    removeLease();
    clock.advance(6_000);
    expect(lines.slice(2)).toEqual(['2000 a leading (409)', '4000 a lost by RXI_TAKEN_OVER']);
  });

  it('stops leading as soon as it observes another holder of the lease', () => {
    const { candidate, clock, put, lines, holder } = world();
    const a = candidate('a');
    put({ holderIdentity: 'b', leaseDurationSeconds: 15 });
    clock.advance(2_000);
    expect(a.last).toEqual({
      type: 'lost',
      holder: 'b',
      ledSince: 0,
      cause: takenOverError(leaseName, 'a', 'b'),
    });
    clock.advance(3_200);
    expect(lines.slice(2)).toEqual(['2000 a lost by RXI_TAKEN_OVER', '5200 a standby of b']);
    expect(holder()).toBe('b');
  });

  it('stops leading and competes again if the holder was removed from the lease', () => {
    const { candidate, clock, put, lines } = world();
    candidate('a');
    put({ leaseDurationSeconds: 15 });
    clock.advance(5_200);
    expect(lines.slice(2)).toEqual(['2000 a lost by RXI_TAKEN_OVER', '5200 a leading']);
  });

  it('continues after a response that is not a lease', () => {
    const { candidate, clock, server, lines } = world();
    server.faults.next('get', {
      name: 'a proxy',
      intercept: () => of({ type: 'whole', status: 200, headers: {}, body: '{"welcome":"to our proxy"}' }),
    });
    candidate('a');
    clock.advance(3_200);
    expect(lines).toEqual(['0 a standby', '0 a standby (RXI_MALFORMED_LEASE)', '3200 a leading']);
  });

  it('L7: is unhealthy only if it leads and has not noticed that its lease expired', () => {
    const { candidate, clock, server } = world();
    let offset = 0;
    const a = candidate('a', { scheduler: skewed(clock, () => offset) });
    const b = candidate('b', { scheduler: skewed(clock, () => offset) });
    expect(a.leadership$.checkHealth()).toBeUndefined();
    // The event loop stands still: no timer fires.
    offset = 35_000;
    expect(a.leadership$.checkHealth()).toBeUndefined();
    offset = 35_001;
    expect(a.leadership$.checkHealth()).toMatchObject({ code: 'RXI_LEASE_EXPIRED', age: 35_001, identity: 'a' });
    expect(a.leadership$.checkHealth(30_000)).toBeUndefined();
    expect(b.leadership$.checkHealth()).toBeUndefined();
    server.faults.always('any', serverFaults.respond(500));
    clock.advance(60_000);
    expect(a.leadership$.checkHealth()).toBeUndefined();
    a.stop();
    expect(a.leadership$.checkHealth(-100_000)).toBeUndefined();
  });
});
