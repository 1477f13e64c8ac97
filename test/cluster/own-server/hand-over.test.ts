import { configMaps, informer, secrets, type ConfigMap, type KubeClient } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import {
  controller,
  newlyOwnedKeys,
  leader$,
  membership$,
  setControllerReference,
  whileLeading,
  whileOwned,
  type ReconcileEvent,
  type ReconcileRequest,
} from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { delayWhen, map, scan, shareReplay, Subject, Subscription, timer } from 'rxjs';
import { connect, forEach, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';

type Mode = 'leader' | 'membership';

const names = Array.from({ length: 10 }, (_, index) => `parent-${index}`);
const lateness = 5_000;
/** Longer than the test may take. */
const never = 600_000;

/** A client whose watches can become late. It records its requests. */
class LateClient implements KubeClient {
  lag = 0;
  readonly requests: KubeRequest[] = [];

  constructor(private readonly client: KubeClient) {}

  readonly exchange: KubeClient['exchange'] = (request) => {
    this.requests.push(request);
    const parts$ = this.client.exchange(request);
    if (request.query?.['watch'] !== true) return parts$;
    // The bytes of a client are valid only until the callback returns.
    const kept$ = parts$.pipe(
      map((part) => (part.type === 'bytes' ? { ...part, bytes: Uint8Array.from(part.bytes) } : part)),
    );
    return kept$.pipe(delayWhen(() => timer(this.lag)));
  };
}

/** One replica of a controller, which creates the Secrets that its cache lacks. */
class Replica {
  readonly client: LateClient;
  readonly stop$ = new Subject<void>();
  readonly #lifetime = new Subscription();
  readonly children;
  /** The keys whose runs have succeeded since the last call of `forget`. */
  readonly done$;
  #done = new Set<string>();

  constructor(cluster: Cluster, namespace: string, identity: string, mode: Mode, isGuarded: boolean) {
    const { client } = cluster;
    this.client = new LateClient(client);
    const parents = informer(client, configMaps, { namespace, labelSelector: 'scale' });
    const children = (this.children = informer(this.client, secrets, {
      namespace,
      indexers: { owner: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid) },
    }));
    for (const cache of [parents, children]) this.#lifetime.add(cache.connect());
    const direct = resourceClient(client, secrets, { fieldManager: identity });
    const work = async ({ object, client: recording }: ReconcileRequest<ConfigMap>) => {
      if (object === undefined) return;
      const { name, uid } = object.metadata;
      const missing = Number(object.data?.['replicas']) - children.byIndex('owner', uid).length;
      const written = recording === undefined ? direct : direct.via(recording);
      const child = { metadata: { generateName: `${name}-`, namespace } };
      for (let count = 0; count < missing; count++) await written.create(setControllerReference(object, child));
    };
    const { stop$ } = this;
    const common = { for: parents, owns: [children], client: isGuarded ? client : undefined, stop$ } as const;
    const election = { identity, retryPeriod: 500 };
    const place = { namespace, name: `scaler-${mode}` };
    const running$ = () => {
      if (mode === 'leader')
        return leader$(client, { ...election, lease: place }).pipe(
          whileLeading(controller({ ...common, reconcile: work }), { stop$ }),
        );
      const mine$ = membership$(client, { ...election, group: place });
      const watches = [{ source: newlyOwnedKeys(parents, mine$), map: ({ key }: { readonly key: string }) => key }];
      return controller({
        ...common,
        watches,
        reconcile: (request) => whileOwned(mine$, request, () => work(request)),
      });
    };
    this.done$ = running$().pipe(
      scan((_, event: ReconcileEvent) => {
        if (event.type === 'succeeded') this.#done.add(event.key);
        return this.#done;
      }, this.#done as ReadonlySet<string>),
      shareReplay({ bufferSize: 1, refCount: true }),
    );
    this.#lifetime.add(this.done$.subscribe());
  }

  forget(): void {
    this.#done = new Set();
  }

  close(): void {
    this.#lifetime.unsubscribe();
  }
}

describe.each<Mode>(['leader', 'membership'])('%s: a new owner whose watch is five seconds late', (mode) => {
  let rig: Rig;
  let cluster: Cluster;
  const replicas: Replica[] = [];
  const lifetime = new Subscription();
  beforeAll(async () => {
    rig = await startRig();
    cluster = connect(rig.kubeConfigFile);
  });
  afterAll(async () => {
    for (const replica of replicas) replica.close();
    lifetime.unsubscribe();
    await rig.stop();
  });

  /** Hands all keys of one replica over to the other. Counts surplus children, and lists. */
  const handOver = async (isGuarded: boolean) => {
    const namespace = await cluster.createNamespace();
    const parents = resourceClient(cluster.client, configMaps);
    const scaleTo = (replicas: number) =>
      forEach(names, async (name) => parents.patch(`${namespace}/${name}`, { data: { replicas: String(replicas) } }));
    const truth = informer(cluster.client, secrets, { namespace });
    lifetime.add(truth.connect());
    const childrenReach = (count: number) => eventually(truth.list$(), (children) => children.length >= count);
    const start = (identity: string): Replica => {
      const replica = new Replica(cluster, namespace, identity, mode, isGuarded);
      replicas.push(replica);
      return replica;
    };

    const data = { replicas: '3' };
    const labels = { scale: 'yes' };
    await forEach(names, async (name) => parents.create({ metadata: { namespace, name, labels }, data }));
    const former = start('former');
    await eventually(former.done$, (done) => done.size === names.length);
    const next = start('next');
    await next.children.whenSynced();
    if (mode === 'membership') await eventually(next.done$, (done) => done.size > 0);
    next.client.lag = isGuarded ? lateness : never;
    former.forget();
    await scaleTo(6);
    await childrenReach(6 * names.length);
    await eventually(former.done$, (done) => done.size > 0);
    const handed = [...(await eventually(former.done$, () => true))];
    next.forget();
    const before = next.client.requests.length;
    former.stop$.next();
    await eventually(next.done$, (done) => handed.every((key) => done.has(key)));
    for (const replica of replicas.splice(0)) replica.close();
    const lists = next.client.requests.slice(before).filter(({ query }) => query?.['watch'] !== true);
    return { handed: handed.length, surplus: truth.list().length - 6 * names.length, lists: lists.length };
  };

  it('creates no child twice, and lists once; without the option client, it creates surplus children', async () => {
    const { handed, ...result } = await handOver(true);
    expect(result).toEqual({ surplus: 0, lists: 1 });
    expect(handed).toBeGreaterThan(0);
    expect((await handOver(false)).surplus).toBeGreaterThan(0);
  });
});
