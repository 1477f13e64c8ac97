import { leases, StatusError } from 'rx-informers';
import { membership$, type MembershipState } from 'rx-informers/controller';
import { serverFaults } from 'rx-informers/testing';
import { Subscription } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { Group, group, namespace, type Replica } from './support/group.js';

const errorNames = ({ states }: Replica): readonly string[] =>
  states.flatMap(({ errors }) => errors.map(({ code }) => code));

const foreign = (name: string, annotations: Record<string, string>, spec: object = { leaseDurationSeconds: 20 }) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace, labels: { 'rx-informers.github.io/shard-group': group.name }, annotations },
  spec: { holderIdentity: name, ...spec },
});

describe('membership$: failures', () => {
  it('leaves and joins again after its Lease is deleted, and no other member takes its keys meanwhile', () => {
    const replicas = new Group();
    const [a, b] = replicas.startAll(2);
    const before = b!.state.owned.portion;
    replicas.server.remove(leases, 'labeller-a', namespace);
    const gaveUp = a!.states.find(({ errors }) => errors.length > 0)!;
    expect(gaveUp).toMatchObject({ owned: { portion: 0 }, errors: [{ code: 'RXI_LEASE_DELETED' }] });
    replicas.advance(100);
    expect(a!.state).toMatchObject({ isSettled: true, members: ['a', 'b'] });
    expect(a!.state.owned.portion).toBe(1 - before);
    expect(b!.state.owned.portion).toBe(before);
  });

  it('gives up its keys at the renew deadline, also at a time whose sum with the deadline is rounded down', () => {
    const replicas = new Group();
    const [start, renewDeadline] = [27_643.034_364_216_28, 10_000];
    expect(start + renewDeadline - start).toBeLessThan(renewDeadline);
    replicas.advance(start);
    const a = replicas.start('a', { renewDeadline });
    a.link.network = 'down';
    replicas.advance(renewDeadline);
    expect(errorNames(a)).toContain('RXI_RENEW_DEADLINE');
    expect(a.state.owned.portion).toBe(0);
  });

  it('takes no keys while a Lease of the group cannot be read, reports it once, and takes them when that Lease expires', () => {
    const replicas = new Group();
    replicas.server.apply(foreign('broken', { 'rx-informers.github.io/shard-claim': 'nonsense' }));
    const a = replicas.start('a');
    replicas.advance(19_000);
    expect(a.state.owned.portion).toBe(0);
    expect(errorNames(a)).toEqual(['RXI_UNREADABLE_LEASE']);
    replicas.advance(5_000);
    expect(a.state.owned.portion).toBe(1);
  });

  it('keeps the keys that it owns when an unreadable Lease appears', () => {
    const replicas = new Group();
    const a = replicas.start('a');
    replicas.server.apply(foreign('broken', { 'rx-informers.github.io/shard-claim': '{"version":2}' }));
    replicas.advance(5_000);
    expect(a.state.owned.portion).toBe(1);
    expect(errorNames(a)).toEqual(['RXI_UNREADABLE_LEASE']);
  });

  it.each([
    ['no annotation', foreign('stranger', {})],
    ['no spec', { ...foreign('stranger', {}), spec: undefined }],
    ['a spec of another kind', foreign('stranger', {}, { holderIdentity: 5, leaseDurationSeconds: 'long' })],
  ])('ignores a Lease with the label but %s', (_, stranger) => {
    const replicas = new Group();
    replicas.server.apply(stranger);
    const a = replicas.start('a');
    expect(a.state).toMatchObject({ members: ['a'], owned: { portion: 1 } });
    expect(errorNames(a)).toEqual(['RXI_UNREADABLE_LEASE']);
  });

  it('detects that its identity is used twice: the second replica reports it and owns nothing', () => {
    const replicas = new Group();
    const first = replicas.start('a');
    const second = replicas.start('a');
    replicas.advance(30_000);
    expect(errorNames(second)).toContain('RXI_IDENTITY_IN_USE');
    expect(second.states.every(({ owned }) => owned.portion === 0)).toBe(true);
    expect(first.state).toMatchObject({ isSettled: true, owned: { portion: 1 } });
    expect(errorNames(first)).toEqual([]);
  });

  it('gives up its keys at once after another holder takes its Lease', () => {
    const replicas = new Group();
    const a = replicas.start('a');
    const lease = replicas.leaseOf('a')!;
    replicas.server.apply({
      ...lease,
      metadata: { ...lease.metadata, annotations: { 'rx-informers.github.io/shard-claim': '?' } },
    });
    replicas.advance(10);
    expect(errorNames(a)).toContain('RXI_IDENTITY_IN_USE');
    expect(a.state.owned.portion).toBe(0);
    replicas.advance(40_000);
    expect(a.state.owned.portion).toBe(1);
  });

  it('gives up its keys after another process took its Lease, even if that process has released it again', () => {
    const replicas = new Group();
    const a = replicas.start('a');
    expect(a.state.owned.portion).toBe(1);
    const lease = replicas.leaseOf('a')!;
    replicas.server.apply({
      ...lease,
      metadata: { ...lease.metadata, annotations: { 'rx-informers.github.io/shard-claim': '?' } },
      spec: { ...lease.spec, holderIdentity: '' },
    });
    replicas.advance(10);
    expect(errorNames(a)).toContain('RXI_IDENTITY_IN_USE');
    expect(a.state.owned.portion).toBe(0);
    replicas.advance(10_000);
    expect(a.state).toMatchObject({ owned: { portion: 1 }, status: { error: undefined } });
  });

  it('lists again if a watch stops delivering events', () => {
    const replicas = new Group();
    const [a, b] = replicas.startAll(2);
    const before = a!.state.owned.portion;
    replicas.server.faults.always('watch', serverFaults.stall({ afterBytes: 0 }));
    a!.link.cut();
    a!.link.lag = 10_000_000;
    replicas.advance(40_000);
    expect(a!.state.owned.portion).toBe(before);
    expect(a!.state.members).toEqual(['a', 'b']);
    expect(errorNames(a!)).toContain('RXI_STALE_WATCH');
    replicas.server.faults.clear();
    a!.link.lag = 0;
    b!.leave();
    replicas.advance(60_000);
    expect(a!.state).toMatchObject({ members: ['a'], owned: { portion: 1 } });
  });

  it('reports errors of the server, and never stops trying', () => {
    const replicas = new Group();
    replicas.server.faults.next('write', serverFaults.respond(403), { times: 100 });
    const a = replicas.start('a');
    replicas.advance(100_000);
    const { errors } = a.states.find((state) => state.errors.length > 0)!;
    expect(errors[0]).toEqual(errorWith('RXI_LEASE_REQUEST'));
    expect(errors[0]).toMatchObject({ operation: 'create', cause: expect.any(StatusError) });
    expect(a.state.owned.portion).toBe(0);
    replicas.server.faults.clear();
    replicas.advance(3_000);
    expect(a.state.owned.portion).toBe(1);
  });

  it('reports errors of the watch', () => {
    const replicas = new Group();
    replicas.server.faults.next('any', serverFaults.respond(403), { times: 3 });
    const a = replicas.start('a');
    replicas.advance(1);
    expect(errorNames(a)).toContain('RXI_STATUS');
    replicas.advance(60_000);
    expect(a.state.owned.portion).toBe(1);
  });
});

describe('membership$: subscribers', () => {
  const join = (replicas: Group) =>
    membership$(replicas.server.client, {
      group,
      identity: 'a',
      scheduler: replicas.clock,
      random: () => 0.5,
    });

  it('is one membership for all subscribers, and emits the current state to each of them first', () => {
    const replicas = new Group();
    const state$ = join(replicas);
    const subscriptions = new Subscription();
    subscriptions.add(state$.subscribe());
    replicas.advance(5_000);
    const late: MembershipState[] = [];
    subscriptions.add(state$.subscribe((state) => late.push(state)));
    expect(late).toHaveLength(1);
    expect(late[0]).toMatchObject({ gained: { portion: 1 }, lost: { portion: 0 } });
    expect(replicas.leases).toHaveLength(1);
    subscriptions.unsubscribe();
  });

  it('leaves with the last subscriber, sends nothing after that, and can be joined again', () => {
    const replicas = new Group();
    const state$ = join(replicas);
    state$.subscribe().unsubscribe();
    expect(replicas.leases).toEqual([]);
    let requests = 0;
    replicas.server.requests$.subscribe(() => (requests += 1));
    replicas.advance(120_000);
    expect(requests).toBe(0);
    let last: MembershipState | undefined;
    const again = state$.subscribe((state) => (last = state));
    expect(last).toMatchObject({ owned: { portion: 1 } });
    again.unsubscribe();
  });

  it('L6: releases its Lease even if the first attempt conflicts', () => {
    const replicas = new Group();
    const a = replicas.start('a');
    replicas.server.faults.next('write', serverFaults.respond(409));
    a.leave();
    replicas.advance(2_100);
    expect(replicas.leases).toEqual([]);
  });

  it.each([
    ['leaseDuration', { leaseDuration: 10_000 }],
    ['renewDeadline', { renewDeadline: 2_400 }],
    ['retryPeriod', { retryPeriod: 0 }],
    ['releaseTimeout', { releaseTimeout: -1 }],
    ['identity', { identity: 'Not_a_name' }],
    ['identity', { identity: '' }],
    ['group.name', { group: { namespace, name: 'a/b' } }],
    ['group.name', { group: { namespace, name: 'a..b' } }],
    ['group.namespace', { group: { namespace: '', name: 'a' } }],
    ['leaseDuration', { leaseDuration: Number.NaN }],
  ])('L1: throws RXI_INVALID_OPTION for an invalid %s', (_, options) => {
    const { client } = new Group().server;
    expect(() => membership$(client, { group, identity: 'a', ...options })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
