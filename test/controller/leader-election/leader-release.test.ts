import { delay, tap } from 'rxjs';
import { leader$, type Release } from 'rx-informers/controller';
import { serverFaults } from 'rx-informers/testing';
import { leaseName, world, type Replica } from './support/election.js';

function released(replica: Replica): Release[] {
  const outcomes: Release[] = [];
  replica.leadership$.released$.subscribe((outcome) => outcomes.push(outcome));
  return outcomes;
}

describe('leader$, when its last subscriber leaves', () => {
  it('L6: releases the lease: no holder, for one second, transitions kept; it looks first', () => {
    const { candidate, clock, lease, put, requests } = world();
    put({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 4 });
    const a = candidate('a');
    clock.advance(3_000);
    requests.length = 0;
    a.stop();
    expect(requests).toEqual(['3000 GET', '3000 PUT']);
    expect(lease()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 5 });
    expect(released(a)).toEqual([{ type: 'released' }]);
  });

  it('releasing the lease leaves no timer behind', () => {
    const { candidate, clock } = world();
    const timersBefore = clock.timers;
    const a = candidate('a');
    const b = candidate('b');
    clock.advance(3_000);
    a.stop();
    b.stop();
    expect(clock.timers).toBe(timersBefore);
  });

  it('L6: releases it though a renewal under way makes another version', () => {
    const { candidate, clock, server, holder, put, requests } = world();
    const a = candidate('a');
    // The release is read; before it is written, a renewal that was given up arrives.
    server.faults.next('get', {
      name: 'late renewal',
      intercept: (request, next) =>
        next(request).pipe(tap(() => put({ holderIdentity: 'a', leaseDurationSeconds: 15 }))),
    });
    requests.length = 0;
    a.stop();
    clock.advance(1_000);
    expect(requests).toEqual(['0 GET', '0 PUT', '10 GET', '10 PUT']);
    expect(holder()).toBe('');
    expect(released(a)).toEqual([{ type: 'released' }]);
  });

  it('L6: never releases a Lease that another replica holds', () => {
    const { candidate, put, holder, requests } = world();
    const a = candidate('a');
    put({ holderIdentity: 'b', leaseDurationSeconds: 15 });
    requests.length = 0;
    a.stop();
    expect(requests).toEqual(['0 GET']);
    expect(holder()).toBe('b');
    expect(released(a)).toEqual([{ type: 'not-held' }]);
  });

  it('asks for nothing where it was on standby', () => {
    const { candidate, requests } = world();
    candidate('a');
    const b = candidate('b');
    requests.length = 0;
    b.stop();
    expect(requests).toEqual([]);
    expect(released(b)).toEqual([{ type: 'not-held' }]);
  });

  it('releases a lease that it lost by the deadline, where it is still the holder', () => {
    const { candidate, clock, server, holder } = world();
    const a = candidate('a');
    server.faults.always('any', serverFaults.refuse());
    clock.advance(11_000);
    server.faults.clear();
    a.stop();
    expect(holder()).toBe('');
  });

  it('releases a lease that an abandoned write may have acquired', () => {
    const { candidate, server, clock, holder } = world();
    server.faults.next('write', {
      name: 'no answer',
      intercept: (request, next) => next(request).pipe(delay(60_000, clock)),
    });
    const a = candidate('a');
    expect(holder()).toBe('a');
    a.stop();
    expect(holder()).toBe('');
  });

  it('keeps it where that is wanted', () => {
    const { candidate, requests, holder } = world();
    const a = candidate('a', { releaseOnUnsubscribe: false });
    requests.length = 0;
    a.stop();
    expect([requests, holder()]).toEqual([[], 'a']);
    expect(released(a)).toEqual([{ type: 'kept' }]);
  });

  it('reports that the lease could not be released, and why; that never takes longer than the renew deadline', () => {
    const { candidate, clock, server } = world();
    const a = candidate('a');
    const outcomes = released(a);
    server.faults.next('any', serverFaults.respond(503));
    a.stop();
    expect(outcomes).toEqual([{ type: 'failed', error: expect.objectContaining({ statusCode: 503 }) }]);

    const b = candidate('a', { timeout: 20_000 });
    const outcomesOfB = released(b);
    server.faults.always('any', serverFaults.stall());
    b.stop();
    clock.advance(9_999);
    expect(outcomesOfB).toEqual([]);
    clock.advance(1);
    expect(outcomesOfB).toEqual([{ type: 'failed', error: undefined }]);
    expect(clock.timers).toBe(0);
  });

  it('gives up on a lease that conflicts for ever', () => {
    const { candidate, clock, server } = world();
    const a = candidate('a');
    server.faults.always('write', serverFaults.respond(409));
    a.stop();
    clock.advance(5_000);
    expect(released(a)).toEqual([{ type: 'failed', error: expect.objectContaining({ statusCode: 409 }) }]);
  });

  it('reports nothing to release if it never had a subscriber, and waits while it has one', () => {
    const { server, candidate } = world();
    const outcomes: Release[] = [];
    leader$(server.client, { lease: leaseName, identity: 'x' }).released$.subscribe((outcome) =>
      outcomes.push(outcome),
    );
    expect(outcomes).toEqual([{ type: 'not-held' }]);
    const a = candidate('a');
    const outcomesOfA = released(a);
    expect(outcomesOfA).toEqual([]);
    a.stop();
    expect(outcomesOfA).toEqual([{ type: 'released' }]);
  });

  it('a subscriber during the release competes at once, and the late release takes nothing away', () => {
    const { candidate, clock, server, holder, lines } = world();
    const a = candidate('a');
    const outcomes = released(a);
    server.faults.next('write', {
      name: 'slow way there',
      intercept: (request, next) => next(request).pipe(delay(500, clock)),
    });
    server.faults.next('get', {
      name: 'slow answer',
      intercept: (request, next) => next(request).pipe(delay(500, clock)),
    });
    a.stop();
    a.start();
    clock.advance(10_000);
    expect(holder()).toBe('a');
    expect(a.isLeading).toBe(true);
    expect(lines.filter((line) => line.includes('lost'))).toEqual([]);
    expect(outcomes).toEqual([]);
    a.stop();
    expect(outcomes).toEqual([{ type: 'released' }]);
  });
});
