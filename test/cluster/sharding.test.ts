import { informer, leases, type KubeClient, listWatch } from 'rx-informers';
import { membership$, type MembershipState } from 'rx-informers/controller';
import { NEVER, Subject, type Observable } from 'rxjs';
import { connect } from './support/cluster.js';
import { eventually } from './support/eventually.js';
import { untilTestEnds } from './support/until-test-ends.js';

const cluster = connect();
afterAll(() => cluster.cleanUp());

const keys = Array.from({ length: 500 }, (_, index) => `web/website-${index}`);

describe('membership$ with a real API server', () => {
  it('divides all keys among the replicas, none to two, and again when one leaves or dies', async () => {
    const namespace = await cluster.createNamespace();
    const changed$ = new Subject<void>();
    const [a, b, c] = ['a', 'b', 'c'].map((identity) => join(namespace, identity, changed$)) as [
      Replica,
      Replica,
      Replica,
    ];
    const overlaps = new Set<string>();
    changed$.subscribe(() => {
      for (const key of keys) if (ownersOf(key, [a, b, c]).length > 1) overlaps.add(key);
    });
    await shared(changed$, [a, b, c]);

    c.leave();
    await shared(changed$, [a, b]);
    const stored = informer(listWatch(cluster.client, leases, { namespace }));
    await eventually(stored.list$(), (found) => found.length === 2);

    b.die();
    await shared(changed$, [a]);
    expect(overlaps).toEqual(new Set());
  });
});

interface Replica {
  owns(key: string): boolean;
  leave(): void;
  /** The process has ended, and its connections with it: no later write arrives. */
  die(): void;
}

function join(namespace: string, identity: string, changed$: Subject<void>): Replica {
  let isDead = false;
  let latest: MembershipState | undefined;
  const client: KubeClient = { exchange: (request) => (isDead ? NEVER : cluster.client.exchange(request)) };
  const timing = { leaseDuration: 3_000, renewDeadline: 2_000, retryPeriod: 500 };
  const membership = membership$(client, { group: { namespace, name: 'websites' }, identity, ...timing }).subscribe(
    (state) => {
      latest = state;
      changed$.next();
    },
  );
  untilTestEnds(membership);
  const leave = (): void => {
    membership.unsubscribe();
    latest = undefined;
    changed$.next();
  };
  return {
    owns: (key) => latest?.owns(key) ?? false,
    leave,
    die: () => {
      isDead = true;
      leave();
    },
  };
}

function ownersOf(key: string, replicas: readonly Replica[]): readonly Replica[] {
  return replicas.filter(({ owns }) => owns(key));
}

/** Waits until each key has exactly one owner, and each replica some keys. */
async function shared(changed$: Observable<void>, replicas: readonly Replica[]): Promise<void> {
  await eventually(
    changed$,
    () =>
      keys.every((key) => ownersOf(key, replicas).length === 1) &&
      replicas.every(({ owns }) => keys.some((key) => owns(key))),
  );
}
