import { leases } from 'rx-informers';
import { membership$, type LeaseRelease } from 'rx-informers/controller';
import { serverFaults } from 'rx-informers/testing';
import { timer } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { linesOf, messages } from '../lease/support/log-lines.js';
import { Group, group, namespace } from './support/group.js';
import { skewedClock } from './support/skewed-clock.js';

function stage() {
  const replicas = new Group();
  return { replicas, log: linesOf(() => replicas.clock.now()) };
}

describe('membership$: its log', () => {
  it('logs that it joined, how many slots it owns, and which members join and leave', () => {
    const { replicas, log } = stage();
    replicas.start('a', { logger: log.logger });
    replicas.advance(5_000);
    const b = replicas.start('b');
    replicas.advance(5_000);
    b.leave();
    replicas.advance(5_000);
    expect(log.lines.map(({ message, members, owned }) => [message, members ?? owned])).toEqual([
      ['joined the group', ['a']],
      ['the owned slots changed', 1024],
      ['the members of the group changed', ['a', 'b']],
      ['the owned slots changed', expect.any(Number)],
      ['the members of the group changed', ['a']],
      ['the owned slots changed', 1024],
    ]);
    const [joined, , changed, shared, left] = log.lines;
    expect(joined).toMatchObject({ level: 'info', group: 'web/labeller', identity: 'a' });
    expect(changed).toMatchObject({ joined: ['b'], left: [] });
    expect(left).toMatchObject({ joined: [], left: ['b'] });
    expect(Number(shared!['owned']) + Number(shared!['lost'])).toBe(1024);
  });

  it('logs which rights are missing and which to grant, at once and then at growing intervals, and when they are granted', () => {
    const { replicas, log } = stage();
    replicas.server.faults.always('write', serverFaults.respond(403));
    const a = replicas.start('a', { logger: log.logger });
    replicas.advance(60_000);
    expect(log.lines[0]).toMatchObject({
      level: 'warn',
      message:
        'cannot join the group; retrying; ' +
        'grant get, list, watch, create, update and delete of leases.coordination.k8s.io in namespace web',
      error: { code: 'RXI_LEASE_REQUEST', cause: { statusCode: 403 } },
      failures: 1,
    });
    expect(log.lines.map(({ at }) => Math.floor(at / 10_000))).toEqual([0, 0, 1, 3]);
    expect(a.state).toMatchObject({
      owned: { portion: 0 },
      status: { state: 'joining', reason: expect.stringContaining('403'), error: { code: 'RXI_LEASE_REQUEST' } },
    });
    replicas.server.faults.clear();
    replicas.advance(5_000);
    expect(log.lines.slice(4).map(({ message }) => message)).toEqual([
      'requests for the leases of the group succeed again',
      'joined the group',
      'the owned slots changed',
    ]);
    expect(a.state.status).toEqual({ state: 'settled', reason: undefined, error: undefined });
  });

  it('logs that the group cannot be watched', () => {
    const { replicas, log } = stage();
    replicas.server.faults.always('any', serverFaults.respond(403));
    const a = replicas.start('a', { logger: log.logger });
    replicas.advance(1_000);
    expect(log.lines[0]).toMatchObject({
      message: expect.stringMatching(/^cannot watch the group; .*grant get, list/),
    });
    expect(a.state.status).toMatchObject({ state: 'joining', error: { name: 'StatusError', statusCode: 403 } });
  });

  it('logs that it gave up all slots because its lease was not renewed, and why', () => {
    const { replicas, log } = stage();
    const a = replicas.start('a', { logger: log.logger });
    replicas.advance(5_000);
    replicas.server.faults.always('write', serverFaults.respond(500));
    replicas.advance(15_000);
    expect(log.lines.slice(2).map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: cannot renew the lease; retrying',
      'warn: cannot renew the lease; retrying',
      'warn: gave up all slots: the lease was not renewed in time',
      'info: the owned slots changed',
    ]);
    expect(log.lines[4]).toMatchObject({ error: { cause: { name: 'StatusError', statusCode: 500 } } });
    expect(a.state.status.state).toBe('joining');
  });

  it('logs why it owns nothing although nothing fails', () => {
    const { replicas, log } = stage();
    replicas.start('a').die();
    const successor = replicas.start('a', { logger: log.logger });
    replicas.advance(1_000);
    expect(messages(log)).toEqual(['0 info: owns no slots yet']);
    const reason = 'Lease web/labeller-a was left by an earlier process with this identity and has not expired yet';
    expect(log.lines[0]).toMatchObject({ reason });
    expect(successor.state.status).toEqual({ state: 'joining', reason, error: undefined });
  });

  it('logs the replicas that still hold its share', () => {
    const { replicas } = stage();
    replicas.start('a', {
      follow: (state) => void state.waitUntil(timer(5_000, replicas.clock)),
    });
    const b = replicas.start('b');
    replicas.advance(3_000);
    expect(b.state.status).toEqual({
      state: 'balancing',
      reason: 'keys of its share are still claimed by a',
      error: undefined,
    });
    expect(replicas.replicas[0]!.state.status.reason).toBe('work on keys that this replica has lost has not ended yet');
    replicas.advance(5_000);
    expect(replicas.replicas.map(({ state }) => state.status.state)).toEqual(['settled', 'settled']);
  });

  it('logs that another replica uses its identity', () => {
    const { replicas, log } = stage();
    replicas.start('a');
    const second = replicas.start('a', { logger: log.logger });
    replicas.advance(30_000);
    expect(messages(log).filter((line) => line.includes('warn'))).toHaveLength(3);
    expect(log.lines.at(-1)).toMatchObject({ error: { code: 'RXI_IDENTITY_IN_USE' } });
    expect(second.state.status).toMatchObject({ state: 'joining', error: { code: 'RXI_IDENTITY_IN_USE' } });
  });

  it('continues although logger and metrics hooks throw, and logs the first error of each hook', () => {
    const { replicas, log } = stage();
    const fail = (): never => {
      throw new Error('broken');
    };
    const a = replicas.start('a', {
      logger: log.logger,
      metrics: { members: fail, ownedSlots: fail, renewalFailed: fail },
    });
    const b = replicas.start('b', { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    replicas.advance(5_000);
    expect([a.state.isSettled, b.state.isSettled]).toEqual([true, true]);
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ hook }) => hook)).toEqual(['metrics.members', 'metrics.ownedSlots']);
  });
});

describe('membership$: when its last subscriber unsubscribes', () => {
  function join(replicas: Group, log: ReturnType<typeof linesOf>) {
    const scheduler = replicas.clock;
    const membership = membership$(replicas.server.client, {
      group,
      identity: 'a',
      scheduler,
      random: () => 0.5,
      logger: log.logger,
    });
    const outcomes: (LeaseRelease | 'complete')[] = [];
    return {
      membership,
      outcomes,
      follow: () =>
        membership.released$.subscribe({
          next: (outcome) => outcomes.push(outcome),
          complete: () => outcomes.push('complete'),
        }),
    };
  }

  it('L6: released$ emits when the lease has been deleted, and completes', () => {
    const { replicas, log } = stage();
    const { membership, outcomes, follow } = join(replicas, log);
    const subscription = membership.subscribe();
    replicas.advance(5_000);
    follow();
    expect(outcomes).toEqual([]);
    subscription.unsubscribe();
    expect(replicas.leases).toEqual([]);
    expect(outcomes).toEqual([{ type: 'released' }, 'complete']);
    expect(messages(log).at(-1)).toBe('5000 info: left the group; the lease was deleted');
  });

  it('released$ emits not-held without a subscriber, and if the server refused every write', () => {
    const { replicas, log } = stage();
    const { membership, outcomes, follow } = join(replicas, log);
    follow();
    expect(outcomes).toEqual([{ type: 'not-held' }, 'complete']);
    replicas.server.faults.always('any', serverFaults.respond(403));
    const subscription = membership.subscribe();
    replicas.advance(60_000);
    subscription.unsubscribe();
    follow();
    expect(outcomes.slice(2)).toEqual([{ type: 'not-held' }, 'complete']);
  });

  it('released$ emits released once the claim is withdrawn, even if the lease itself cannot be deleted', () => {
    const { replicas, log } = stage();
    const { membership, outcomes, follow } = join(replicas, log);
    const subscription = membership.subscribe();
    replicas.advance(5_000);
    replicas.server.faults.always('write', {
      name: 'no deletion',
      intercept: (request, next, context) =>
        request.method === 'DELETE' ? serverFaults.respond(403).intercept(request, next, context) : next(request),
    });
    subscription.unsubscribe();
    follow();
    expect(outcomes).toEqual([{ type: 'released' }, 'complete']);
  });

  it.each([
    ['the server fails', serverFaults.respond(500), { type: 'failed', error: { statusCode: 500 } }],
    ['there is no response', serverFaults.stall(), { type: 'failed', error: { code: 'RXI_CALL_TIMEOUT' } }],
  ])('released$ emits failed by the renewal deadline if %s', (_, fault, outcome) => {
    const { replicas, log } = stage();
    const { membership, outcomes, follow } = join(replicas, log);
    const subscription = membership.subscribe();
    replicas.advance(5_000);
    replicas.server.faults.always('any', fault);
    subscription.unsubscribe();
    follow();
    replicas.advance(10_000);
    expect(outcomes).toMatchObject([outcome, 'complete']);
    expect(log.lines.at(-1)).toMatchObject({
      level: 'warn',
      message: 'could not delete the lease; other replicas take the keys when it has expired',
    });
  });

  it('released$ belongs to the latest membership', () => {
    const { replicas, log } = stage();
    const { membership, outcomes, follow } = join(replicas, log);
    membership.subscribe().unsubscribe();
    const again = membership.subscribe();
    replicas.advance(1_000);
    follow();
    expect(outcomes).toEqual([]);
    again.unsubscribe();
    expect(outcomes).toEqual([{ type: 'released' }, 'complete']);
    replicas.server.remove(leases, 'labeller-a', namespace);
  });

  it('L7: checkHealth returns an error if timers do not fire while it believes that it owns keys', () => {
    const { replicas } = stage();
    const skew = { offset: 0, rate: 1 };
    const membership = membership$(replicas.server.client, {
      group,
      identity: 'a',
      scheduler: skewedClock(replicas.clock, skew),
      random: () => 0.5,
    });
    expect(membership.checkHealth()).toBeUndefined();
    const subscription = membership.subscribe();
    expect(membership.checkHealth()).toBeUndefined();
    skew.offset = 35_000;
    expect(membership.checkHealth()).toBeUndefined();
    skew.offset = 35_001;
    expect(membership.checkHealth()).toMatchObject({
      code: 'RXI_LEASE_EXPIRED',
      lease: { namespace: 'web', name: 'labeller-a' },
      age: 35_001,
    });
    expect(membership.checkHealth(30_000)).toBeUndefined();
    subscription.unsubscribe();
    expect(membership.checkHealth()).toBeUndefined();
  });
});

describe('membership$: its identity', () => {
  it.each([
    ['MacBook-Pro.local', 'macbook-pro.local'],
    ['web_1', 'web-1'],
    ['-Web..1_', 'web.1'],
  ])('is refused with a valid suggestion if it cannot be part of a Lease name: %s', (identity, usable) => {
    const { replicas } = stage();
    const join = (by: string) => () => membership$(replicas.server.client, { group, identity: by });
    expect(join(identity)).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(join(identity)).toThrow(`for example "${usable}"`);
    expect(join(usable)).not.toThrow();
  });
});
