import { NEVER, timer } from 'rxjs';
import { Group, group, someKeys } from './support/group.js';

const portionOf = (owners: readonly (string | undefined)[], identity: string | undefined): number =>
  owners.filter((owner) => owner === identity).length / owners.length;

const moves = (before: readonly (string | undefined)[], after: readonly (string | undefined)[]): number =>
  before.filter((owner, index) => owner !== after[index]).length / before.length;

describe('membership$: members join and leave', () => {
  it('owns nothing at first, and all keys once it has joined alone', () => {
    const replicas = new Group();
    const { states } = replicas.start('a');
    expect(states[0]).toMatchObject({ members: [], isSettled: false, owned: { portion: 0 }, errors: [] });
    expect(states.at(-1)).toMatchObject({ members: ['a'], isSettled: true, owned: { portion: 1 } });
    expect(states.at(-1)!.gained.portion).toBe(1);
    expect(replicas.clock.now()).toBe(0);
  });

  it('has a Lease with the label of its group', () => {
    const replicas = new Group();
    replicas.start('a', { leaseDuration: 14_001 });
    expect(replicas.leaseOf('a')).toMatchObject({
      metadata: { namespace: group.namespace, labels: { 'rx-informers.github.io/shard-group': 'labeller' } },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '1970-01-01T00:00:00.000000Z' },
    });
  });

  it('divides the keys about equally, each with one owner', () => {
    const replicas = new Group();
    const all = replicas.startAll(4);
    for (const { identity, state } of all) {
      expect(state).toMatchObject({ members: ['a', 'b', 'c', 'd'], isSettled: true });
      expect(Math.abs(portionOf(replicas.owners, identity) - 0.25)).toBeLessThan(0.05);
    }
    expect(portionOf(replicas.owners, undefined)).toBe(0);
  });

  it('moves about 1/n of the keys to a new member, and none between the others', () => {
    const replicas = new Group();
    replicas.startAll(4);
    const before = replicas.owners;
    replicas.start('e');
    replicas.advance(100);
    const after = replicas.owners;
    expect(Math.abs(moves(before, after) - 1 / 5)).toBeLessThan(0.04);
    expect(after.filter((owner, index) => owner !== before[index]).every((owner) => owner === 'e')).toBe(true);
  });

  it('moves only the keys of a member that leaves, at once, and its Lease is deleted', () => {
    const replicas = new Group();
    const [, b] = replicas.startAll(4);
    const before = replicas.owners;
    b!.leave();
    replicas.advance(100);
    const after = replicas.owners;
    expect(moves(before, after)).toBe(portionOf(before, 'b'));
    expect(portionOf(after, undefined)).toBe(0);
    expect(replicas.leaseOf('b')).toBeUndefined();
  });

  it('reports the slots that it gains and loses', () => {
    const replicas = new Group();
    const a = replicas.start('a');
    const b = replicas.start('b');
    replicas.advance(100);
    const lost = a.states.find(({ lost: { portion } }) => portion > 0)!;
    const gained = b.states.find(({ gained: { portion } }) => portion > 0)!;
    expect(someKeys.filter((key) => lost.lost.has(key))).toEqual(someKeys.filter((key) => gained.gained.has(key)));
    expect(lost.owned.portion + gained.owned.portion).toBe(1);
  });

  it('hands keys over when the work on them has ended, and not before', () => {
    const replicas = new Group();
    const scheduler = replicas.clock;
    replicas.start('a', {
      follow: (state) => {
        if (state.lost.portion > 0) state.waitUntil(timer(3_000, scheduler));
      },
    });
    const b = replicas.start('b');
    replicas.advance(2_990);
    expect(b.state.owned.portion).toBe(0);
    expect(portionOf(replicas.owners, undefined)).toBeGreaterThan(0.4);
    replicas.advance(20);
    expect(b.state.owned.portion).toBeGreaterThan(0.4);
  });

  it('hands keys over after releaseTimeout even if work on them is still in progress, and reports it', () => {
    const replicas = new Group();
    const a = replicas.start('a', { releaseTimeout: 5_000, follow: (state) => void state.waitUntil(NEVER) });
    const b = replicas.start('b');
    replicas.advance(4_990);
    expect(b.state.owned.portion).toBe(0);
    replicas.advance(20);
    expect(b.state.owned.portion).toBeGreaterThan(0.4);
    expect(a.states.flatMap(({ errors }) => errors)).toEqual([
      expect.objectContaining({ code: 'RXI_RELEASE_TIMEOUT', timeout: 5_000 }),
    ]);
  });

  it('does not wait for a member that claims keys too late', () => {
    const replicas = new Group();
    const a = replicas.start('a');
    expect(a.state.waitUntil(NEVER)).toBe(false);
  });
});

describe('membership$: members that die', () => {
  it('L3: takes the keys of a dead member when its lease has expired, and not before, even if clocks differ', () => {
    const replicas = new Group();
    const hours = 3_600_000;
    const a = replicas.start('a', { skew: { offset: 5 * hours, rate: 1 } });
    const b = replicas.start('b', { skew: { offset: 90 * hours, rate: 1 } });
    replicas.advance(10_000);
    a.die();
    replicas.advance(12_500);
    expect(b.state.owned.portion).toBeLessThan(0.6);
    replicas.advance(15_000 + 2 * 2_400 - 12_500);
    expect(b.state).toMatchObject({ members: ['b'], owned: { portion: 1 } });
  });

  it('deletes the Lease of a dead member later', () => {
    const replicas = new Group();
    const [a] = replicas.startAll(3);
    a!.die();
    replicas.advance(25_000);
    expect(replicas.leaseOf('a')).toBeDefined();
    replicas.advance(15_000);
    expect(replicas.leaseOf('a')).toBeUndefined();
  });

  it('gives up its keys at renewDeadline if it cannot renew, before others take them', () => {
    const replicas = new Group();
    const [a, b] = replicas.startAll(2);
    a!.link.network = 'silent';
    let gaveUpAt: number | undefined;
    let takenAt: number | undefined;
    for (let time = 0; time < 25_000; time += 100) {
      replicas.advance(100);
      if (a!.state.owned.portion === 0) gaveUpAt ??= time;
      if (b!.state.owned.portion === 1) takenAt ??= time;
    }
    expect(gaveUpAt).toBeGreaterThan(7_500);
    expect(gaveUpAt).toBeLessThanOrEqual(10_000);
    expect(takenAt).toBeGreaterThan(gaveUpAt! + 2_500);
    expect(a!.states.flatMap(({ errors }) => errors.map(({ name }) => name))).toContain('RXI_RENEW_DEADLINE');
  });

  it('takes its share again after reconnecting', () => {
    const replicas = new Group();
    const [a] = replicas.startAll(2);
    a!.link.network = 'silent';
    replicas.advance(60_000);
    a!.link.network = 'up';
    a!.link.cut();
    replicas.advance(20_000);
    expect(a!.state).toMatchObject({ members: ['a', 'b'], isSettled: true });
    expect(portionOf(replicas.owners, undefined)).toBe(0);
  });

  it('waits for the lease of a predecessor with the same identity, without an error', () => {
    const replicas = new Group();
    replicas.start('a').die();
    const successor = replicas.start('a');
    replicas.advance(14_900);
    expect(successor.state.owned.portion).toBe(0);
    replicas.advance(6_000);
    expect(successor.state).toMatchObject({ isSettled: true, owned: { portion: 1 } });
    expect(successor.states.flatMap(({ errors }) => errors)).toEqual([]);
  });
});

describe('membership$: clocks that are set', () => {
  it.each([
    ['the replica that is cut off', 'forward', 0, 5],
    ['the replica that is cut off', 'back', 0, -5],
    ['another replica', 'forward', 1, 5],
    ['another replica', 'back', 1, -5],
  ])('L3: no two replicas own a key when the clock of %s is set %s by hours', (_, __, whose, hours) => {
    const replicas = new Group();
    const all = replicas.startAll(2);
    all[0]!.link.network = 'silent';
    replicas.advance(4_000);
    all[whose]!.setClock(hours * 3_600_000);
    for (let time = 0; time < 20_000; time += 500) {
      replicas.advance(500);
      // `owners` fails where a key has two.
      expect(replicas.owners).toHaveLength(someKeys.length);
    }
    expect(all[1]!.state.owned.portion).toBe(1);
  });

  it('▲ a replica whose clock is set back still gives up its keys at its deadline', () => {
    const replicas = new Group();
    const [a] = replicas.startAll(2);
    a!.link.network = 'silent';
    a!.setClock(-5 * 3_600_000);
    replicas.advance(10_000);
    expect(a!.state.owned.portion).toBe(0);
  });

  it('L3: the keys of a dead replica have an owner within a lease duration and two periods, even if clocks were set back', () => {
    const replicas = new Group();
    const [a, b, c] = replicas.startAll(3);
    for (const replica of [a!, b!, c!]) replica.setClock(-5 * 3_600_000);
    a!.die();
    replicas.advance(15_000 + 2 * 2_400);
    expect(portionOf(replicas.owners, undefined)).toBe(0);
    expect([b!, c!].map(({ state }) => state.isSettled)).toEqual([true, true]);
  });
});
