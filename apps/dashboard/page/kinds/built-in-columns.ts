import type { Resource } from 'rx-informers';
import { nodeStatus, podStatus } from 'rx-informers/resources';
import { deletionOf, terminating } from '../text/deletion.js';
import type { CellValue, KindColumn } from './columns.js';
import type { AnyObject } from './discovery.js';

/** The possible fields of a built-in object. Each field is checked where it is read. */
type Loose = Readonly<Record<string, unknown>>;

/**
 * Returns the columns that `kubectl get` shows for a kind, or `undefined` if this file does not
 * know the kind.
 */
export function builtInColumns({ group, plural }: Resource<unknown>): readonly KindColumn[] | undefined {
  return columns[group === '' ? plural : `${plural}.${group}`];
}

const columns: Readonly<Record<string, readonly KindColumn[]>> = {
  pods: [
    text('Ready', (object) => {
      const { ready, total } = podStatus(object as never).ready;
      return `${ready}/${total}`;
    }),
    text('Status', (object) => podStatus(object as never).reason),
    number('Restarts', (object) => podStatus(object as never).restarts),
    text('Node', (object) => at(object, 'spec', 'nodeName')),
  ],
  nodes: [
    text('Status', (object) => nodeStatus(object as never).reason),
    text('Version', (object) => at(object, 'status', 'nodeInfo', 'kubeletVersion')),
    text('OS', (object) => at(object, 'status', 'nodeInfo', 'osImage')),
  ],
  namespaces: [phase()],
  services: [
    text('Type', (object) => at(object, 'spec', 'type')),
    text('Cluster IP', (object) => at(object, 'spec', 'clusterIP')),
    text('External', (object) => names(list(object, 'status', 'loadBalancer', 'ingress'), 'ip', 'hostname')),
    text('Ports', (object) => names(list(object, 'spec', 'ports'), 'port')),
  ],
  configmaps: [number('Data', (object) => keyCount(at(object, 'data')) + keyCount(at(object, 'binaryData')))],
  secrets: [],
  serviceaccounts: [],
  persistentvolumeclaims: [
    phase(),
    text('Volume', (object) => at(object, 'spec', 'volumeName')),
    text('Capacity', (object) => at(object, 'status', 'capacity', 'storage')),
    text('Class', (object) => at(object, 'spec', 'storageClassName')),
  ],
  persistentvolumes: [
    phase(),
    text('Capacity', (object) => at(object, 'spec', 'capacity', 'storage')),
    text('Claim', (object) => {
      const name = textAt(object, 'spec', 'claimRef', 'name');
      return name === undefined ? undefined : `${textAt(object, 'spec', 'claimRef', 'namespace') ?? ''}/${name}`;
    }),
    text('Class', (object) => at(object, 'spec', 'storageClassName')),
  ],
  events: [
    text('Type', (object) => at(object, 'type')),
    text('Reason', (object) => at(object, 'reason')),
    text(
      'Object',
      (object) => `${textAt(object, 'involvedObject', 'kind') ?? ''}/${textAt(object, 'involvedObject', 'name') ?? ''}`,
    ),
    number('Count', (object) => at(object, 'series', 'count') ?? at(object, 'count')),
    text('Message', (object) => at(object, 'message')),
  ],
  'deployments.apps': [
    text('Ready', (object) => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
    number('Up to date', (object) => numberAt(object, 'status', 'updatedReplicas')),
    number('Available', (object) => numberAt(object, 'status', 'availableReplicas')),
    images(),
  ],
  'replicasets.apps': [
    number('Desired', (object) => numberAt(object, 'spec', 'replicas')),
    number('Current', (object) => numberAt(object, 'status', 'replicas')),
    number('Ready', (object) => numberAt(object, 'status', 'readyReplicas')),
    text('Owner', owner),
  ],
  'statefulsets.apps': [
    text('Ready', (object) => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`),
    images(),
  ],
  'daemonsets.apps': [
    number('Desired', (object) => numberAt(object, 'status', 'desiredNumberScheduled')),
    number('Ready', (object) => numberAt(object, 'status', 'numberReady')),
    number('Up to date', (object) => numberAt(object, 'status', 'updatedNumberScheduled')),
    images(),
  ],
  'jobs.batch': [
    text('Completions', (object) => `${numberAt(object, 'status', 'succeeded')}/${completions(object)}`),
    number('Failed', (object) => numberAt(object, 'status', 'failed')),
    text('Owner', owner),
  ],
  'cronjobs.batch': [
    text('Schedule', (object) => at(object, 'spec', 'schedule')),
    text('Suspended', (object) => at(object, 'spec', 'suspend')),
    number('Active', (object) => list(object, 'status', 'active').length),
    age('Last run', (object) => at(object, 'status', 'lastScheduleTime')),
  ],
  'horizontalpodautoscalers.autoscaling': [
    text(
      'Target',
      (object) =>
        `${textAt(object, 'spec', 'scaleTargetRef', 'kind') ?? ''}/${textAt(object, 'spec', 'scaleTargetRef', 'name') ?? ''}`,
    ),
    number('Min', (object) => at(object, 'spec', 'minReplicas')),
    number('Max', (object) => at(object, 'spec', 'maxReplicas')),
    number('Replicas', (object) => at(object, 'status', 'currentReplicas')),
  ],
  'ingresses.networking.k8s.io': [
    text('Class', (object) => at(object, 'spec', 'ingressClassName')),
    text('Hosts', (object) => names(list(object, 'spec', 'rules'), 'host')),
    text('Address', (object) => names(list(object, 'status', 'loadBalancer', 'ingress'), 'ip', 'hostname')),
  ],
  'endpointslices.discovery.k8s.io': [
    number('Endpoints', (object) => list(object, 'endpoints').length),
    text('Ports', (object) => names(list(object, 'ports'), 'port')),
  ],
  'poddisruptionbudgets.policy': [
    text('Min available', (object) => at(object, 'spec', 'minAvailable')),
    text('Max unavailable', (object) => at(object, 'spec', 'maxUnavailable')),
    number('Allowed', (object) => at(object, 'status', 'disruptionsAllowed')),
  ],
  'storageclasses.storage.k8s.io': [
    text('Provisioner', (object) => at(object, 'provisioner')),
    text('Reclaim', (object) => at(object, 'reclaimPolicy')),
  ],
  'leases.coordination.k8s.io': [
    text('Holder', (object) => at(object, 'spec', 'holderIdentity')),
    age('Renewed', (object) => at(object, 'spec', 'renewTime')),
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    text('Kind', (object) => at(object, 'spec', 'names', 'kind')),
    text('Group', (object) => at(object, 'spec', 'group')),
    text('Scope', (object) => at(object, 'spec', 'scope')),
    text('Versions', (object) => names(list(object, 'spec', 'versions'), 'name')),
  ],
  'rolebindings.rbac.authorization.k8s.io': [
    text('Role', (object) => at(object, 'roleRef', 'name')),
    text('Subjects', (object) => names(list(object, 'subjects'), 'name')),
  ],
  'clusterrolebindings.rbac.authorization.k8s.io': [
    text('Role', (object) => at(object, 'roleRef', 'name')),
    text('Subjects', (object) => names(list(object, 'subjects'), 'name')),
  ],
};

type Read = (object: AnyObject) => unknown;

function text(title: string, read: Read): KindColumn {
  return column(title, 'text', read);
}

function number(title: string, read: Read): KindColumn {
  return column(title, 'number', read);
}

function age(title: string, read: Read): KindColumn {
  return column(title, 'age', read);
}

function column(title: string, type: KindColumn['type'], read: Read): KindColumn {
  return { name: title.replace(/[^a-z]/gi, '').toLowerCase(), title, type, value: (object) => scalar(read(object)) };
}

/** Returns the phase of an object, or what kubectl prints while the object is being deleted. */
function phase(): KindColumn {
  return text('Status', (object) => (deletionOf(object) === undefined ? at(object, 'status', 'phase') : terminating));
}

function images(): KindColumn {
  return text('Images', (object) => names(list(object, 'spec', 'template', 'spec', 'containers'), 'image'));
}

/**
 * Returns the completions that a Job needs. Without a number, its pods share a work queue, and one
 * that succeeds ends the Job.
 */
function completions(object: AnyObject): number | string {
  if (at(object, 'spec', 'completions') !== undefined) return numberAt(object, 'spec', 'completions');
  const parallelism = numberAt(object, 'spec', 'parallelism');
  return parallelism > 1 ? `1 of ${parallelism}` : 1;
}

function owner(object: AnyObject): CellValue {
  const [first] = object.metadata.ownerReferences ?? [];
  return first === undefined ? undefined : `${first.kind}/${first.name}`;
}

function scalar(value: unknown): CellValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function at(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? (value as Loose)[name] : undefined),
    object,
  );
}

function list(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(object, ...path);
  return Array.isArray(found) ? found : [];
}

function numberAt(object: unknown, ...path: readonly string[]): number {
  const found = at(object, ...path);
  return typeof found === 'number' ? found : 0;
}

function textAt(object: unknown, ...path: readonly string[]): string | undefined {
  const found = at(object, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** Joins one field of each item: the first of `fields` that the item has. */
function names(items: readonly unknown[], ...fields: readonly string[]): string {
  return items
    .map((item) => fields.map((field) => at(item, field)).find((value) => value !== undefined))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(', ');
}

function keyCount(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
