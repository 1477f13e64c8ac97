import { virtualCluster, type Replica, type VirtualCluster } from './virtual-cluster.js';

const second = 1_000;
const leaseDuration = 15 * second;
const renewDeadline = 10 * second;
const retryPeriod = 2 * second;
/** L2: the longest wait between two attempts of a candidate. */
const maxWait = 2.2 * retryPeriod;

describe('replicas of the website operator', () => {
  /**
   * Advances time in small steps, and fails if two replicas lead at once. Returns when another
   * replica than before leads.
   */
  const runFor = (cluster: VirtualCluster, milliseconds: number): number | undefined => {
    const [before] = cluster.leaders();
    let takeover: number | undefined;
    for (const end = cluster.clock.now() + milliseconds; cluster.clock.now() < end;) {
      cluster.clock.advance(10);
      const leaders = cluster.leaders();
      expect(leaders.length).toBeLessThanOrEqual(1);
      if (leaders.length === 1 && leaders[0] !== before) takeover ??= cluster.clock.now();
    }
    return takeover;
  };
  const running = (...identities: readonly string[]) => {
    const cluster = virtualCluster();
    const replicas = identities.map(cluster.replica);
    cluster.startDeployments();
    runFor(cluster, 60 * second);
    cluster.create('before');
    runFor(cluster, 10 * second);
    expect(cluster.differences()).toEqual([]);
    const leader = replicas.find(({ isLeading }) => isLeading) as Replica;
    return { cluster, leader, others: replicas.filter((replica) => replica !== leader) };
  };

  it.each([[0], [500], [1_000], [1_999]])(
    'L3: take over from a killed leader %d ms later, not before its lease has expired, and lose nothing',
    (offset) => {
      const { cluster, leader, others } = running('a', 'b');
      runFor(cluster, offset);
      const killedAt = cluster.clock.now();
      leader.kill();
      cluster.create('meanwhile');

      const takeover = (runFor(cluster, 30 * second) ?? Infinity) - killedAt;
      expect(takeover).toBeGreaterThan(leaseDuration - retryPeriod);
      // A standby sees the last renewal up to one wait late, and tries up to one wait after the
      // lease has run out.
      expect(takeover).toBeLessThan(leaseDuration + 2 * maxWait);
      expect(others.map(({ isLeading }) => isLeading)).toEqual([true]);
      expect(cluster.differences()).toEqual([]);
    },
  );

  it('of three replicas exactly one takes over, and when that one is killed the last one does', () => {
    const { cluster, leader, others } = running('a', 'b', 'c');
    leader.kill();
    expect(runFor(cluster, 30 * second)).toBeDefined();
    const next = others.find(({ isLeading }) => isLeading) as Replica;
    cluster.create('meanwhile');
    next.kill();

    expect(runFor(cluster, 30 * second)).toBeDefined();
    expect(others.filter(({ isLeading }) => isLeading)).toHaveLength(1);
    expect(cluster.differences()).toEqual([]);
  });

  it('a disconnected leader stops working before another one starts, and comes back as a standby that writes nothing', () => {
    const { cluster, leader } = running('a', 'b');
    const cutAt = cluster.clock.now();
    leader.cut();
    cluster.create('meanwhile');
    runFor(cluster, renewDeadline + 10);
    expect(leader.isLeading).toBe(false);
    const takeover = runFor(cluster, 30 * second) ?? Infinity;
    expect(takeover - cutAt).toBeGreaterThan(renewDeadline);

    const requestsBefore = leader.requests.length;
    leader.restore();
    cluster.create('after');
    runFor(cluster, 120 * second);
    expect(cluster.differences()).toEqual([]);
    expect(leader.requests.slice(requestsBefore).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('a standby takes over with synced caches: it lists nothing, and sends the first write at once', () => {
    const { cluster, leader, others } = running('a', 'b');
    const [other] = others as [Replica];
    leader.kill();
    cluster.create('meanwhile');
    const requestsBefore = other.requests.length;
    runFor(cluster, 30 * second);

    const requests = other.requests.slice(requestsBefore);
    const taken = requests.find(({ method }) => method === 'PUT');
    const firstWrite = requests.find(({ method, path }) => method !== 'GET' && !path.includes('/leases/'));
    expect(firstWrite?.at).toBe(taken?.at);
    const isOfCollection = ({ path }: { readonly path: string }) => /\/(websites|deployments|services)$/.test(path);
    expect(requests.filter(isOfCollection)).toEqual([]);
  });

  it('L6: a stopped leader hands over within one attempt of the others', () => {
    const { cluster, leader } = running('a', 'b');
    const stoppedAt = cluster.clock.now();
    leader.stop();
    const takeover = runFor(cluster, 10 * second) ?? Infinity;
    expect(leader.isStopped).toBe(true);
    expect(takeover - stoppedAt).toBeLessThan(maxWait);
  });

  it('a stopped standby exits at once, and does not change the lease', () => {
    const { cluster, leader, others } = running('a', 'b');
    const [other] = others as [Replica];
    other.stop();
    expect(other.isStopped).toBe(true);
    runFor(cluster, 60 * second);
    expect(cluster.lease()?.spec?.holderIdentity).toBe(leader.identity);
    expect(leader.isLeading).toBe(true);
  });
});
