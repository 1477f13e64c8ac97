import type { App } from './apps.js';
import {
  imageOf,
  labelsOf,
  reference,
  selectorOf,
  timeText,
  workloadManagers,
  type DemoPod,
  type Json,
  type Owner,
} from './objects.js';

/** A pod that scripts change. */
export interface PodHandle {
  pod: DemoPod;
  /** Whether the pod was removed or is being removed. Its script ends then. */
  isLeaving: boolean;
}

/** The pods of one template: of a ReplicaSet, or of one revision of another workload. */
export interface PodSet {
  readonly owner: Owner;
  readonly image: string;
  readonly revision: number;
  readonly createdAt: number;
  /** The pods by name. */
  readonly pods: Map<string, PodHandle>;
  /** The number of pods that it should have now. */
  desired: number;
  /** Whether pods of this template crash. */
  readonly isBroken: boolean;
}

/** A workload of the demo with its wanted state. */
export interface Workload {
  readonly app: App;
  readonly createdAt: number;
  readonly uid: string;
  replicas: number;
  /** The sets of pods: first the one of the wanted template, then older ones. */
  sets: PodSet[];
  /** The last writer of the template, and the time of that write. */
  writer: string;
  writtenAt: number;
  /** The restart time that the user wrote into the template, as `kubectl rollout restart` does. */
  restartedAt?: string | undefined;
  /** Whether a script is moving the workload to its wanted state. */
  isMoving: boolean;
}

export const apiVersion = 'apps/v1';

function template({ app, restartedAt }: Workload, image: string, extra: Owner['labels'] = {}): Json {
  return {
    metadata: {
      labels: { ...labelsOf(app), ...extra },
      ...(restartedAt === undefined ? {} : { annotations: { 'kubectl.kubernetes.io/restartedAt': restartedAt } }),
    },
    spec: {
      serviceAccountName: app.name,
      ...(app.init === undefined ? {} : { initContainers: [{ name: app.init, image, command: ['/app', app.init] }] }),
      containers: [
        {
          name: app.name,
          image,
          ...(app.port === undefined ? {} : { ports: [{ containerPort: app.port, protocol: 'TCP' }] }),
          resources: { requests: { cpu: app.cpu, memory: app.memory }, limits: { memory: app.memory } },
        },
      ],
    },
  };
}

/** Returns the Deployment, StatefulSet or DaemonSet of a workload. */
export function workloadObject(workload: Workload, counts: Counts, now: number): Json {
  const { app, replicas, sets, createdAt, writtenAt, writer } = workload;
  const [current] = sets;
  const image = current?.image ?? imageOf(app);
  return {
    apiVersion,
    kind: app.kind,
    metadata: {
      name: app.name,
      namespace: app.namespace,
      labels: { ...labelsOf(app), 'helm.sh/chart': `${app.partOf}-${app.version}` },
      annotations: {
        'meta.helm.sh/release-name': app.partOf,
        ...(app.kind === 'Deployment' ? { 'deployment.kubernetes.io/revision': String(current?.revision ?? 1) } : {}),
      },
      creationTimestamp: timeText(createdAt),
      managedFields: workloadManagers(apiVersion, writtenAt, now, writer),
    },
    spec: {
      ...(app.kind === 'DaemonSet' ? {} : { replicas }),
      ...(app.kind === 'StatefulSet' ? { serviceName: app.name } : {}),
      ...(app.kind === 'Deployment'
        ? { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } }
        : {}),
      selector: { matchLabels: selectorOf(app) },
      template: template(workload, image),
    },
    status: workloadStatus(workload, counts),
  };
}

export interface Counts {
  readonly total: number;
  readonly ready: number;
  readonly updated: number;
}

export function workloadStatus({ app, replicas, isMoving, sets }: Workload, counts: Counts): Json {
  const { total, ready, updated } = counts;
  if (app.kind === 'DaemonSet') {
    return {
      desiredNumberScheduled: replicas,
      currentNumberScheduled: total,
      updatedNumberScheduled: updated,
      numberReady: ready,
      numberAvailable: ready,
      numberMisscheduled: 0,
    };
  }
  const isAvailable = ready >= Math.floor(replicas * 0.75);
  return {
    replicas: total,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, replicas - ready),
    ...(app.kind === 'StatefulSet' ? { currentReplicas: updated } : {}),
    conditions: [
      {
        type: 'Available',
        status: isAvailable ? 'True' : 'False',
        reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      },
      {
        type: 'Progressing',
        status: 'True',
        reason: isMoving ? 'ReplicaSetUpdated' : 'NewReplicaSetAvailable',
        message: `ReplicaSet "${sets[0]?.owner.name ?? app.name}" ${isMoving ? 'is progressing' : 'has successfully progressed'}.`,
      },
    ],
  };
}

export function replicaSetObject(workload: Workload, set: PodSet, counts: Counts, now: number): Json {
  const { app, createdAt, uid } = workload;
  return {
    apiVersion,
    kind: 'ReplicaSet',
    metadata: {
      name: set.owner.name,
      namespace: app.namespace,
      labels: { ...labelsOf(app), ...set.owner.labels },
      annotations: {
        'deployment.kubernetes.io/revision': String(set.revision),
        'deployment.kubernetes.io/desired-replicas': String(workload.replicas),
      },
      creationTimestamp: timeText(Math.max(createdAt, set.createdAt)),
      ownerReferences: [reference({ apiVersion, kind: 'Deployment', name: app.name, uid })],
      managedFields: workloadManagers(apiVersion, set.createdAt, now, 'kube-controller-manager'),
    },
    spec: {
      replicas: set.desired,
      selector: { matchLabels: { ...selectorOf(app), ...set.owner.labels } },
      template: template(workload, set.image, set.owner.labels),
    },
    status: {
      replicas: counts.total,
      fullyLabeledReplicas: counts.total,
      readyReplicas: counts.ready,
      availableReplicas: counts.ready,
    },
  };
}

/** Returns the other objects of a workload: its Service, and its settings. */
export function companions(app: App, createdAt: number): readonly Json[] {
  const metadata = (name: string): Json => ({
    name,
    namespace: app.namespace,
    labels: labelsOf(app),
    creationTimestamp: timeText(createdAt),
  });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(app.name) },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(`${app.name}-settings`), data: { 'log.level': 'info' } },
    ...(app.port === undefined
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: metadata(app.name),
            spec: {
              type: app.name === 'ingress-nginx-controller' ? 'LoadBalancer' : 'ClusterIP',
              selector: selectorOf(app),
              ports: [{ name: 'main', port: app.port, targetPort: app.port, protocol: 'TCP' }],
            },
          },
        ]),
  ];
}

/** Returns a Job with its status. */
export function jobObject(
  { name, namespace, ...app }: App,
  job: {
    readonly name: string;
    readonly createdAt: number;
    readonly endedAt?: number;
    readonly hasFailed?: boolean;
    readonly failures: number;
  },
): Json {
  const { createdAt, endedAt, hasFailed = false, failures } = job;
  const owner = { name, namespace, ...app };
  const ended = endedAt === undefined ? undefined : timeText(endedAt);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: job.name, namespace, labels: labelsOf(owner), creationTimestamp: timeText(createdAt) },
    spec: {
      completions: 1,
      parallelism: 1,
      backoffLimit: 1,
      template: {
        metadata: { labels: { ...labelsOf(owner), 'job-name': job.name } },
        spec: { restartPolicy: 'Never', containers: [{ name, image: imageOf(owner) }] },
      },
    },
    status: {
      startTime: timeText(createdAt),
      ...(ended === undefined
        ? { active: 1 }
        : hasFailed
          ? {
              conditions: [
                { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', lastTransitionTime: ended },
              ],
            }
          : {
              completionTime: ended,
              succeeded: 1,
              conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: ended }],
            }),
      ...(failures > 0 ? { failed: failures } : {}),
    },
  };
}
