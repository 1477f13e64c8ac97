import {
  daemonSets,
  deployments,
  jobs,
  nodes,
  pods,
  replicaSets,
  services,
  statefulSets,
  type Resource,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { defer, repeat, timer } from 'rxjs';
import { furnish } from '../../../../../test/cluster/own-server/real-controllers/actions.js';
import { jobOf, templateOf, workload } from '../../../../../test/cluster/own-server/real-controllers/manifests.js';
import { connect, type Cluster } from '../../../../../test/cluster/support/cluster.js';
import { startRigWithControllers } from '../../../../../test/cluster/support/controllers.js';
import { eventually } from '../../../../../test/cluster/support/eventually.js';
import { hasKubectl, kubectlTable } from '../../../../../test/cluster/support/kubectl.js';
import type { Rig } from '../../../../../test/cluster/support/rig.js';
import { builtInColumns } from '../../../page/kinds/built-in-columns.js';
import type { AnyObject } from '../../../page/kinds/discovery.js';

// Without kubectl, there is nothing to compare with.
const withKubectl = (await hasKubectl()) ? describe : () => undefined;

withKubectl('the columns of the dashboard beside the controllers of Kubernetes', () => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  beforeAll(async () => {
    rig = await startRigWithControllers();
    cluster = connect(rig.kubeConfigFile);
    namespace = await cluster.createNamespace();
    await furnish(cluster, [namespace]);
    const broken = templateOf({ app: 'd2', tier: 'back', annotations: { 'fake/image-error': 'true' } });
    await cluster.create(deployments, workload(namespace, 'd2', broken, { replicas: 2 }));
    const set = workload(namespace, 's0', templateOf({ app: 's0', tier: 'back' }), {
      replicas: 2,
      serviceName: 'back',
    });
    await cluster.create(statefulSets, set);
    await cluster.create(daemonSets, workload(namespace, 'n0', templateOf({ app: 'n0', tier: 'back' })));
    const queue = jobOf(namespace, 'queue', templateOf({ app: 'job', tier: 'back' }), { parallelism: 2 });
    await cluster.create(jobs, queue);
    // Four pods of Deployments, two that cannot start, two of each Job, two and three of the sets.
    const states$ = polled(async () => (await rowsOfKubectl(pods)).map(([, { STATUS }]) => STATUS));
    const expected = { Running: 9, ImagePullBackOff: 2, Completed: 4 };
    await eventually(states$, (states) =>
      Object.entries(expected).every(([state, number]) => states.filter((each) => each === state).length === number),
    );
  }, 120_000);
  afterAll(() => rig.stop());

  it.each<readonly [string, Resource<unknown>, readonly string[]]>([
    ['pods', pods, ['READY', 'STATUS', 'RESTARTS']],
    ['nodes', nodes, ['STATUS']],
    ['services', services, ['TYPE', 'CLUSTER-IP']],
    ['deployments', deployments, ['READY', 'UP-TO-DATE', 'AVAILABLE']],
    ['replicasets', replicaSets, ['DESIRED', 'CURRENT', 'READY']],
    ['statefulsets', statefulSets, ['READY']],
    ['daemonsets', daemonSets, ['DESIRED', 'READY', 'UP-TO-DATE']],
    ['jobs', jobs, ['COMPLETIONS']],
  ])('show for %s what kubectl prints', async (_, resource, names) => {
    const read = async () => ({ shown: await rowsOfDashboard(resource), printed: await rowsOfKubectl(resource) });
    const pick = (rows: readonly Row[]): readonly Row[] =>
      rows.map(([name, cells]) => [name, Object.fromEntries(names.map((each) => [each, cells[each]]))]);
    const areEqual = ({ shown, printed }: Awaited<ReturnType<typeof read>>): boolean =>
      JSON.stringify(pick(shown)) === JSON.stringify(pick(printed));
    const { shown, printed } = await eventually(polled(read), areEqual, 15_000).catch(read);
    expect(pick(shown)).toEqual(pick(printed));
    expect(printed.length).toBeGreaterThan(0);
    for (const [, cells] of printed) expect(Object.keys(cells)).toEqual(expect.arrayContaining([...names]));
  });

  async function rowsOfDashboard(resource: Resource<unknown>): Promise<readonly Row[]> {
    const scope = resource.namespaced ? { namespace } : {};
    const objects = (await resourceClient(cluster.client, resource).list(scope)) as readonly AnyObject[];
    const columns = builtInColumns(resource) ?? [];
    return sorted(
      objects.map((object) => [
        object.metadata.name,
        Object.fromEntries(
          columns.map(({ title, value }) => [title.toUpperCase().replaceAll(' ', '-'), String(value(object) ?? '')]),
        ),
      ]),
    );
  }

  async function rowsOfKubectl({ plural }: Resource<unknown>): Promise<readonly Row[]> {
    return sorted([...(await kubectlTable(cluster, plural, namespace))]);
  }
});

type Row = readonly [name: string, cells: Readonly<Record<string, string | undefined>>];

function sorted(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

function polled<T>(read: () => Promise<T>) {
  return defer(read).pipe(repeat({ delay: () => timer(200) }));
}
