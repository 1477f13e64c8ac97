import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Pod } from 'rx-informers';
import { podStatus, workloadStatus, type Workload } from 'rx-informers/resources';
import { forEach, type Cluster } from '../../support/cluster.js';
import { hasKubectl, kubectlTable } from '../../support/kubectl.js';
import { keyOf } from './answers.js';
import { compare, type Difference } from './differences.js';
import type { State } from './state.js';

type Cells = Readonly<Record<string, string | undefined>>;

const here = await hasKubectl();

export interface PrintedComparison {
  readonly differences: readonly Difference[];
  /** The number of lines that were compared. */
  readonly lines: number;
}

/** Compares the status of the pods and workloads of a namespace with what kubectl prints. */
export async function printedDifferences(
  cluster: Cluster,
  namespace: string,
  state: State,
): Promise<PrintedComparison> {
  if (!here) return { differences: [], lines: 0 };
  const tables = await tableDifferences(cluster, namespace, state);
  const rollouts = [...state.deployments, ...state.statefulSets, ...state.daemonSets] as readonly Workload[];
  const printed = await forEach(rollouts, (each) => rolloutDifferences(cluster, each), 4);
  return {
    differences: [...tables, ...printed.flat()],
    lines: state.pods.length + state.replicaSets.length + state.jobs.length + rollouts.length,
  };
}

async function tableDifferences(cluster: Cluster, namespace: string, state: State): Promise<readonly Difference[]> {
  const rows = async (
    plural: string,
    objects: readonly (Pod | Workload)[],
    row: (cells: Cells) => string,
    statement: (object: never) => string,
  ): Promise<readonly Difference[]> => {
    if (objects.length === 0) return [];
    const table = await kubectlTable(cluster, plural, namespace);
    const printed = [...table].map(([name, cells]) => `${name}: ${row(cells)}`);
    const stated = objects.map((object) => `${object.metadata.name}: ${statement(object as never)}`);
    return compare('kubectl', `${plural} of ${namespace}`, stated, printed);
  };
  return [
    ...(await rows('pods', state.pods, podRow, podStatement)),
    ...(await rows(
      'replicasets',
      state.replicaSets,
      ({ CURRENT, DESIRED }) => `${CURRENT} current / ${DESIRED} desired`,
      (replicaSet: Workload) => workloadStatus(replicaSet).message,
    )),
    // The table of 1.20 has no column for the status of a Job.
    ...(await rows(
      'jobs',
      state.jobs,
      ({ COMPLETIONS }) => COMPLETIONS ?? '',
      (job: Workload) => workloadStatus(job).message.replace(/^\w+ /, ''),
    )),
  ];
}

function podRow({ STATUS, READY, RESTARTS = '' }: Cells): string {
  return `${STATUS} ${READY} ${RESTARTS.replace(/ \(.*\)/, '')}`;
}

function podStatement(pod: Pod): string {
  const { reason, ready, restarts } = podStatus(pod);
  return `${reason} ${ready.ready}/${ready.total} ${restarts}`;
}

/** Compares with `kubectl rollout status`, which prints an error in the words of its message. */
async function rolloutDifferences(cluster: Cluster, workload: Workload): Promise<readonly Difference[]> {
  const { name, namespace = '' } = workload.metadata;
  const of = `${workload.kind.toLowerCase()}/${name}`;
  const { stdout } = await promisify(execFile)('kubectl', [
    ...['--kubeconfig', cluster.kubeConfigFile, '--namespace', namespace],
    ...['rollout', 'status', '--watch=false', of],
  ]).catch((error: unknown) => ({ stdout: (error as { readonly stderr: string }).stderr.replace(/^error: /, '') }));
  return compare('kubectl', `${of} of ${keyOf(workload)}`, [workloadStatus(workload).message], [stdout.trimEnd()]);
}
