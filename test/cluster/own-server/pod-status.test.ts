import { pods, type Pod } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { podStatus } from 'rx-informers/resources';
import { podStates, type PodColumns, type PodState } from '../../fixtures/pod-states.js';
import { connect, forEach, type Cluster } from '../support/cluster.js';
import { kubectlTable } from '../support/kubectl.js';
import { startRig, type Rig } from '../support/rig.js';

/** The time of all pods: how old a restart is must not depend on how long the server takes. */
const now = Date.now();

/**
 * The `rig` has the storage and the machinery of 1.36, but not the tables of its kube-apiserver: it
 * prints names and ages only.
 */
describe.each(['kube120', 'rig'] as const)('podStatus for the pods of a real API server (%s)', (kind) => {
  let rig: Rig;
  let printed: ReadonlyMap<string, PodColumns | undefined>;
  let returned: ReadonlyMap<string, PodColumns>;
  const states = podStates(now);

  beforeAll(async () => {
    rig = await startRig({ kind });
    const cluster = connect(rig.kubeConfigFile);
    const namespace = await cluster.createNamespace();
    await forEach(states, (state) => bring(cluster, namespace, state));
    const table = await kubectlTable(cluster, 'pods', namespace);
    printed = new Map([...table].map(([name, cells]) => [name, columnsOf(cells)]));
    const stored = await resourceClient(cluster.client, pods).list({ namespace });
    returned = new Map(stored.map((pod) => [pod.metadata.name, summaryOf(pod)]));
  });
  afterAll(() => rig.stop());

  const name = ({ name }: PodState): string => name;

  if (kind === 'kube120') {
    it.each(states.map((state) => [name(state), state] as const))(
      'the table of states contains what kubectl prints: %s',
      (_, state) => {
        expect(printed.get(state.name)).toEqual({ ...withoutAge(state.prints), ...state.printsIn120 });
      },
    );

    it.each(
      states.filter(({ printsIn120 }) => printsIn120 === undefined).map((state) => [name(state), state] as const),
    )('returns what kubectl prints, except for the age of restarts: %s', (_, state) => {
      expect(withoutAge(returned.get(state.name))).toEqual(printed.get(state.name));
    });
  }

  if (kind === 'rig') {
    it.each(states.map((state) => [name(state), state] as const))(
      'returns what the table of states contains: %s',
      (_, state) => {
        expect(returned.get(state.name)).toEqual(state.prints);
        // A server that supports the table decides.
        expect(printed.get(state.name) ?? state.prints).toEqual(state.prints);
      },
    );
  }
});

/**
 * Creates the pod of a state, writes its status, and deletes it where the state says so; a
 * finalizer keeps it then.
 */
async function bring(cluster: Cluster, namespace: string, { name, spec, status, deleted }: PodState): Promise<void> {
  const key = `${namespace}/${name}`;
  const finalizers = deleted === undefined ? [] : ['rx-informers.example.com/kept'];
  const client = resourceClient(cluster.client, pods);
  await cluster.create(pods, { metadata: { name, namespace, finalizers }, spec: { ...spec, schedulerName: 'none' } });
  await client.patch(key, { status }, { subresource: 'status' });
  if (deleted !== undefined) await client.delete(key);
}

function columnsOf({ STATUS, READY, RESTARTS }: Readonly<Record<string, string | undefined>>): PodColumns | undefined {
  if (STATUS === undefined || READY === undefined || RESTARTS === undefined) return undefined;
  return { status: STATUS, ready: READY, restarts: RESTARTS };
}

function summaryOf(pod: Pod): PodColumns {
  const { reason, ready, restartsText } = podStatus(pod, { now });
  return { status: reason, ready: `${ready.ready}/${ready.total}`, restarts: restartsText };
}

function withoutAge(columns: PodColumns | undefined): PodColumns | undefined {
  return columns && { ...columns, restarts: columns.restarts.replace(/ \(.*\)/, '') };
}
