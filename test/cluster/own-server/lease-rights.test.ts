import { configMaps, informer, listWatch, roleBindings, roles } from 'rx-informers';
import {
  controller,
  eventRecorder,
  newlyOwnedKeys,
  leader$,
  membership$,
  whileOwned,
  type LogFields,
  type Logger,
} from 'rx-informers/controller';
import { eventsV1Events } from 'rx-informers/resources';
import { BehaviorSubject, filter, firstValueFrom, Subject, type Observable } from 'rxjs';
import { configMap, connect, forEach, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { kubectlGet } from '../support/kubectl.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

// The complete API server, which checks rights.
let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

interface Line extends LogFields {
  readonly message: string;
}

function logged(): { readonly lines$: Observable<Line>; readonly logger: Logger } {
  const lines$ = new Subject<Line>();
  const write = (fields: LogFields, message: string): void => {
    lines$.next({ ...fields, message });
  };
  return { lines$, logger: { debug: write, info: write, warn: write, error: write } };
}

describe('a replica without rights to leases', () => {
  it('membership$: reports within seconds which rights are missing, does not report success, and owns its keys once the rights are granted', async () => {
    const namespace = await cluster.createNamespace();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));
    const { lines$, logger } = logged();
    const { client } = connect(rig.kubeConfigFile, 'nobody');
    const settings = informer(listWatch(cluster.client, configMaps, { namespace }));
    const mine$ = membership$(client, { group: { namespace, name: 'settings' }, identity: 'nobody-0', logger });
    const counts = { skipped: 0, succeeded: 0 };
    const events$ = new BehaviorSubject('none yet');
    const refused = firstValueFrom(lines$);
    untilTestEnds(
      controller({
        for: settings,
        watches: [{ source: newlyOwnedKeys(settings, mine$), map: ({ key }) => key }],
        reconcile: (request) => whileOwned(mine$, request, () => undefined),
      }).subscribe(({ type }) => {
        if (type === 'skipped' || type === 'succeeded') counts[type] += 1;
        events$.next(type);
      }),
    );

    expect(await refused).toMatchObject({
      message: `cannot watch the group; retrying; grant get, list, watch, create, update and delete of leases.coordination.k8s.io in namespace ${namespace}`,
      group: `${namespace}/settings`,
      identity: 'nobody-0',
      error: { statusCode: 403 },
    });
    await eventually(events$, () => counts.skipped === names.length);
    expect(counts.succeeded).toBe(0);
    expect(await firstValueFrom(mine$)).toMatchObject({
      owned: { portion: 0 },
      status: { state: 'joining', reason: expect.stringContaining('forbidden'), error: { statusCode: 403 } },
    });

    const joined = firstValueFrom(lines$.pipe(filter(({ message }) => message === 'joined the group')));
    await grant(namespace, ['get', 'list', 'watch', 'create', 'update', 'delete']);
    await eventually(events$, () => counts.succeeded === names.length);
    expect(await joined).toMatchObject({ members: ['nobody-0'] });
    expect(counts).toEqual({ skipped: names.length, succeeded: names.length });
    expect(await firstValueFrom(mine$)).toMatchObject({ owned: { portion: 1 }, status: { state: 'settled' } });
  });

  it('leader$: reports within seconds which rights are missing, leads once they are granted, and records an event', async () => {
    const namespace = await cluster.createNamespace();
    const { lines$, logger } = logged();
    const { client } = connect(rig.kubeConfigFile, 'nobody');
    const recorder = eventRecorder(cluster.client, { reportingController: 'example.com/tests' });
    const lease = { namespace, name: 'operator' };
    const leadership$ = leader$(client, { lease, identity: 'nobody-0', logger, recorder, retryPeriod: 1_000 });
    const refused = firstValueFrom(lines$);
    const running = leadership$.subscribe();
    untilTestEnds(running);

    expect(await refused).toMatchObject({
      message: `cannot compete for the lease; retrying; grant get, create and update of leases.coordination.k8s.io in namespace ${namespace}`,
      error: { statusCode: 403 },
    });
    await grant(namespace, ['get', 'create', 'update']);
    await eventually(leadership$, ({ type }) => type === 'leading');
    running.unsubscribe();
    expect(await firstValueFrom(leadership$.released$)).toEqual({ type: 'released' });
    await recorder.close();
    const events = await kubectlGet(cluster, eventsV1Events, namespace);
    expect(events.map(({ reason, note }) => [reason, note]).sort()).toEqual([
      ['LeaderElection', 'nobody-0 became leader'],
      ['LeaderElection', 'nobody-0 stopped leading'],
    ]);
    expect(events[0]?.regarding).toMatchObject({ kind: 'Lease', ...lease });
  });
});

/** Lets `nobody` use leases in a namespace. */
async function grant(namespace: string, verbs: readonly string[]): Promise<void> {
  const metadata = { name: 'leases', namespace };
  await cluster.create(roles, {
    metadata,
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }],
  });
  await cluster.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leases' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'nobody' }],
  });
}
