import { serverFaults } from 'rx-informers/testing';
import { websites, type Website } from '../../website-operator/website.js';
import { virtualCluster } from './virtual-cluster.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

describe('the website operator over time', () => {
  it('sends only lease renewals and watches while nothing changes', () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    cluster.startDeployments();
    for (let number = 0; number < 20; number += 1) cluster.create(`site-${number}`);
    // Events without further repeats are written for the last time.
    cluster.clock.advance(10 * minute);
    expect(cluster.differences()).toEqual([]);

    const before = operator.requests.length;
    cluster.clock.advance(hour);
    const requests = operator.requests.slice(before);
    const renewals = requests.filter(({ method, path }) => method === 'PUT' && path.includes('/leases/'));
    const watches = requests.filter(({ query }) => query?.['watch'] === true || query?.['watch'] === 'true');
    expect(requests).toHaveLength(renewals.length + watches.length);
    expect(renewals).toHaveLength(1_800);
    // Three watches, each of 5 to 10 minutes.
    expect(watches.length).toBeGreaterThanOrEqual(15);
    expect(watches.length).toBeLessThanOrEqual(36);
  });

  it('creates a website with a handful of writes, and is then quiet: it does not repeat its own writes', () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    cluster.startDeployments();
    cluster.clock.advance(second);
    const writes = () => operator.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('/leases'));
    cluster.create('shop');
    cluster.clock.advance(5 * second);
    expect(cluster.differences()).toEqual([]);
    const first = writes();
    expect(first.length).toBeLessThanOrEqual(16);

    cluster.clock.advance(minute);
    expect(writes()).toEqual(first);
  });

  it('retries with growing waits while the server refuses, and succeeds when it stops refusing', () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    cluster.create('shop');
    cluster.clock.advance(second);
    cluster.server.faults.always(
      ({ method, path }) => method === 'PATCH' && path.includes('/deployments/'),
      serverFaults.respond(503),
    );
    const before = operator.requests.length;
    cluster.change('shop', { image: 'nginx:1.29' });
    cluster.clock.advance(10 * second);

    const attempts = operator.requests.slice(before).filter(({ path }) => path.includes('/deployments/'));
    const waits = attempts.slice(1).map(({ at }, index) => Math.round(at - (attempts[index]?.at ?? 0)));
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560]);

    cluster.server.faults.clear();
    cluster.clock.advance(minute);
    expect(cluster.differences()).toEqual([]);
  });

  it('does not retry what a spec makes impossible', () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    const failures = () => operator.events.filter((event) => event.type === 'failed');
    cluster.create('shop', { image: 'no image' });
    cluster.clock.advance(second);
    const first = failures();
    expect(new Set(first.map(({ outcome, attempt }) => `${outcome} ${attempt}`))).toEqual(new Set(['terminal 1']));
    cluster.clock.advance(hour);
    expect(failures()).toEqual(first);
    expect(cluster.differences()).toEqual([]);
  });

  it('keeps a deleted website until the directory no longer links to it', () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    cluster.create('shop');
    cluster.clock.advance(second);
    cluster.server.faults.always(({ path }) => path.includes('/configmaps'), serverFaults.refuse());
    const shop = () => cluster.server.objects.get<Website>(websites, 'shop', 'default');
    cluster.remove('shop');
    cluster.clock.advance(minute);
    expect(shop()?.metadata.finalizers).toEqual(['websites.example.com/directory']);

    cluster.server.faults.clear();
    cluster.clock.advance(2 * minute);
    expect(shop()).toBeUndefined();
    expect(cluster.differences()).toEqual([]);
    expect(operator.isLeading).toBe(true);
  });

  it('survives an hour without a server, and corrects everything that changed meanwhile', () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    cluster.create('shop');
    cluster.create('gone');
    cluster.clock.advance(second);
    operator.cut();
    cluster.create('late');
    cluster.remove('gone');
    cluster.clock.advance(hour);
    operator.restore();
    cluster.clock.advance(2 * minute);
    expect(cluster.differences()).toEqual([]);
  });
});

describe('the website operator when it is stopped', () => {
  const busy = () => {
    const cluster = virtualCluster();
    const operator = cluster.replica('a');
    cluster.clock.advance(second);
    cluster.server.faults.always(
      ({ method, path }) => method === 'PATCH' && path.includes('/deployments/'),
      serverFaults.delay(400),
    );
    cluster.create('shop');
    cluster.clock.advance(100);
    return { cluster, operator };
  };
  const nothingIsLeft = ({ cluster, operator }: ReturnType<typeof busy>): void => {
    expect(operator.openRequests).toBe(0);
    cluster.server.stop();
    cluster.clock.advance(2 * hour);
    expect(cluster.clock.timers).toBe(0);
  };

  it('finishes its work, releases the lease, and leaves nothing', () => {
    const { cluster, operator } = busy();
    operator.stop();
    expect(operator.isStopped).toBe(false);
    expect(cluster.lease()?.spec?.holderIdentity).toBe('a');
    cluster.clock.advance(second);
    expect(cluster.differences()).toEqual([]);
    expect(operator.isStopped).toBe(true);
    expect(operator.events.at(-1)).toMatchObject({ type: 'stopped', aborted: 0, dropped: 0 });
    expect(cluster.lease()?.spec?.holderIdentity).toBe('');
    nothingIsLeft({ cluster, operator });
  });

  it('aborts its work at the second signal, and still releases the lease', () => {
    const { cluster, operator } = busy();
    operator.stop();
    operator.stop();
    cluster.clock.advance(10);
    expect(operator.isStopped).toBe(true);
    expect(operator.events.at(-1)).toMatchObject({ type: 'stopped', aborted: 1 });
    expect(cluster.lease()?.spec?.holderIdentity).toBe('');
    nothingIsLeft({ cluster, operator });
  });

  it('leaves nothing if it is unsubscribed from in the middle', () => {
    const { cluster, operator } = busy();
    operator.unsubscribe();
    expect(operator.openRequests).toBe(0);
    expect(cluster.lease()?.spec?.holderIdentity).toBe('');
    nothingIsLeft({ cluster, operator });
  });

  it('leaves nothing if the server does not respond', () => {
    const { cluster, operator } = busy();
    operator.cut();
    operator.stop();
    cluster.clock.advance(minute);
    expect(operator.isStopped).toBe(true);
    nothingIsLeft({ cluster, operator });
  });
});
