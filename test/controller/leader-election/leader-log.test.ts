import { eventRecorder, leader$, type LeaseRelease } from 'rx-informers/controller';
import { eventsV1Events, type EventsV1Event } from 'rx-informers/resources';
import { randomFromSeed, serverFaults } from 'rx-informers/testing';
import { firstValueFrom, delay, tap } from 'rxjs';
import { linesOf, messages } from '../lease/support/log-lines.js';
import { leaseName, world, type Replica } from './support/election.js';

function stage() {
  const all = world();
  const a = linesOf(() => all.clock.now());
  const b = linesOf(() => all.clock.now());
  return { ...all, a, b };
}

describe('leader$: its log', () => {
  it('L5: logs the holder and since when, once for each change of holder', () => {
    const { candidate, clock, a, b } = stage();
    const first = candidate('a', { logger: a.logger });
    clock.advance(500);
    candidate('b', { logger: b.logger });
    clock.advance(60_000);
    expect(messages(b)).toEqual(['500 info: on standby; another replica leads']);
    expect(b.lines[0]).toMatchObject({
      lease: 'default/operator',
      identity: 'b',
      holder: 'a',
      since: '1970-01-01T00:00:00.000000Z',
      transitions: 0,
    });
    first.stop();
    clock.advance(5_000);
    expect(b.lines.at(-1)).toMatchObject({ message: 'became leader', identity: 'b', transitions: 1 });
    expect(b.lines).toHaveLength(2);
  });

  it('logs when leadership was acquired, why and after how long it was lost, and when the lease can be acquired again', () => {
    const { candidate, clock, server, a } = stage();
    candidate('a', { logger: a.logger });
    clock.advance(4_000);
    server.faults.always('any', serverFaults.refuse());
    clock.advance(20_000);
    server.faults.clear();
    clock.advance(5_000);
    expect(messages(a)).toEqual([
      '0 info: became leader',
      '6000 warn: cannot renew the lease; retrying',
      '12000 warn: cannot renew the lease; retrying',
      '14000 warn: lost leadership; competing again',
      '23600 warn: cannot compete for the lease; retrying',
      '26800 info: requests for the lease succeed again',
      '26800 info: became leader',
    ]);
    expect(a.lines[3]).toMatchObject({ ledFor: 14_000, error: { code: 'RXI_RENEW_DEADLINE' } });
    expect(a.lines[5]).toMatchObject({ failingFor: 20_800 });
  });

  it('logs which rights are missing and which to grant, at once and then at growing intervals', () => {
    const { candidate, clock, server, a } = stage();
    server.faults.always('any', serverFaults.respond(403));
    candidate('a', { logger: a.logger });
    clock.advance(1_200_000);
    expect(a.lines.every(({ level }) => level === 'warn')).toBe(true);
    expect(a.lines[0]).toMatchObject({
      message:
        'cannot compete for the lease; retrying; ' +
        'grant get, create and update of leases.coordination.k8s.io in namespace default',
      error: { statusCode: 403 },
      failures: 1,
      failingFor: 0,
    });
    // An attempt follows each 3.2 s, so a line is late by at most that.
    const gaps = a.lines.slice(1).map(({ at }, index) => at - a.lines[index]!.at);
    const waits = [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000];
    expect(gaps.map((gap, index) => gap - waits[index]!).every((late) => late >= 0 && late <= 3_200)).toBe(true);
    expect(gaps).toHaveLength(waits.length);
  });

  it.each([
    [{ type: 'released' }, {}, 'released the lease'],
    [{ type: 'kept' }, { releaseOnUnsubscribe: false }, 'kept the lease; other replicas wait until it has expired'],
  ])('logs the outcome of the lease: %p', (outcome, options, message) => {
    const { candidate, clock, a } = stage();
    const replica = candidate('a', { logger: a.logger, ...options });
    clock.advance(3_000);
    replica.stop();
    expect(messages(a).slice(1)).toEqual([
      '3000 info: stopped leading, because the last subscriber left',
      `3000 info: ${message}`,
    ]);
    expect(a.lines[1]).toMatchObject({ ledFor: 3_000 });
    const outcomes: unknown[] = [];
    replica.leadership$.released$.subscribe((seen) => outcomes.push(seen));
    expect(outcomes).toEqual([outcome]);
  });

  it('logs a warning with the reason if the lease could not be released', () => {
    const { candidate, clock, server, a } = stage();
    const replica = candidate('a', { logger: a.logger });
    clock.advance(3_000);
    server.faults.always('any', serverFaults.respond(500));
    replica.stop();
    expect(a.lines.at(-1)).toMatchObject({
      level: 'warn',
      message: 'could not release the lease; other replicas wait until it has expired',
      error: { statusCode: 500 },
    });
  });

  it('continues to lead although the logger and the metrics hooks throw, and logs the first error of each hook', () => {
    const { candidate, clock, a, lines } = stage();
    const fail = (): never => {
      throw new Error('broken');
    };
    candidate('a', { logger: a.logger, metrics: { leading: fail, slowPath: fail }, recorder: { record: fail } });
    clock.advance(3_000);
    expect(lines).toEqual(['0 a standby', '0 a leading']);
    expect(a.lines.filter(({ level }) => level === 'warn').map(({ hook }) => hook)).toEqual([
      'metrics.leading',
      'recorder',
    ]);
    const silent = stage();
    silent.candidate('a', { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    expect(silent.lines).toEqual(['0 a standby', '0 a leading']);
  });
});

describe('leader$: its events', () => {
  it('records that this replica became leader and stopped leading, as events about the Lease', async () => {
    const { clock, server, lease } = world();
    const scheduler = clock;
    const random = randomFromSeed(1);
    const recorder = eventRecorder(server.client, {
      reportingController: 'example.com/operator',
      reportingInstance: 'operator-0',
      scheduler,
      random,
    });
    const leadership$ = leader$(server.client, { lease: leaseName, identity: 'a', recorder, scheduler, random });
    const subscription = leadership$.subscribe();
    const { uid } = lease()!.metadata;
    clock.advance(3_000);
    subscription.unsubscribe();
    await firstValueFrom(leadership$.released$);
    clock.advance(1);
    const regarding = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...leaseName, uid };
    const timeOf = ({ eventTime }: EventsV1Event) => eventTime;
    const events = [...server.objects.list<EventsV1Event>(eventsV1Events, 'default')];
    expect(events.sort((a, b) => timeOf(a).localeCompare(timeOf(b)))).toMatchObject([
      { type: 'Normal', reason: 'LeaderElection', note: 'a became leader', regarding },
      { type: 'Normal', reason: 'LeaderElection', note: 'a stopped leading', regarding },
    ]);
    recorder.unsubscribe();
  });

  it('records that leadership was lost', () => {
    const { candidate, clock, server } = stage();
    const notes: unknown[] = [];
    candidate('a', { recorder: { record: (_, { note }) => notes.push(note) } });
    server.faults.always('any', serverFaults.refuse());
    clock.advance(11_000);
    expect(notes).toEqual(['a became leader', 'a stopped leading']);
  });
});

function released(replica: Replica): LeaseRelease[] {
  const outcomes: LeaseRelease[] = [];
  replica.leadership$.released$.subscribe((outcome) => outcomes.push(outcome));
  return outcomes;
}

describe('leader$: when its last subscriber unsubscribes', () => {
  it('L6: releases the lease after a read: no holder, a duration of one second, transitions kept', () => {
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

  it('leaves no timer after the release', () => {
    const { candidate, clock } = world();
    const timersBefore = clock.timers;
    const a = candidate('a');
    const b = candidate('b');
    clock.advance(3_000);
    a.stop();
    b.stop();
    expect(clock.timers).toBe(timersBefore);
  });

  it('L6: releases the lease even if a renewal in progress creates another version', () => {
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

  it('sends nothing if it was on standby', () => {
    const { candidate, requests } = world();
    candidate('a');
    const b = candidate('b');
    requests.length = 0;
    b.stop();
    expect(requests).toEqual([]);
    expect(released(b)).toEqual([{ type: 'not-held' }]);
  });

  it('releases a lease that it lost at the deadline, if it is still the holder', () => {
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

  it('keeps the lease if releaseOnUnsubscribe is false', () => {
    const { candidate, requests, holder } = world();
    const a = candidate('a', { releaseOnUnsubscribe: false });
    requests.length = 0;
    a.stop();
    expect([requests, holder()]).toEqual([[], 'a']);
    expect(released(a)).toEqual([{ type: 'kept' }]);
  });

  it('reports why the lease could not be released, within the renew deadline', () => {
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

  it('gives up on a lease that always conflicts', () => {
    const { candidate, clock, server } = world();
    const a = candidate('a');
    server.faults.always('write', serverFaults.respond(409));
    a.stop();
    clock.advance(5_000);
    expect(released(a)).toEqual([{ type: 'failed', error: expect.objectContaining({ statusCode: 409 }) }]);
  });

  it('released$ reports that there is nothing to release without a subscriber, and waits while there is one', () => {
    const { server, candidate } = world();
    const outcomes: LeaseRelease[] = [];
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

  it('a subscriber that arrives during the release competes at once, and the late release does not affect it', () => {
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
