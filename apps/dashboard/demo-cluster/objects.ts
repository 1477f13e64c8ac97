import type { App } from './apps.js';

/** A JSON object, as it is written to the server. */
export type Json = Readonly<Record<string, unknown>>;

/** The state of a pod's container, as the kubelet sees it. */
export interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly is: 'running' | 'waiting' | 'ended';
  /** The reason why it waits, or how it ended. */
  readonly reason?: string;
  readonly message?: string;
  readonly exitCode?: number;
  readonly ready: boolean;
  readonly restarts: number;
  /** The start of the state in milliseconds since the epoch. */
  readonly since: number;
  /** The previous run. */
  readonly last?: { readonly reason: string; readonly exitCode: number; readonly at: number };
}

/** The owner of a pod. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Labels of its pods in addition to those of the app. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A pod of the demo. Immutable: scripts replace it. */
export interface DemoPod {
  readonly app: App;
  readonly owner: Owner;
  readonly name: string;
  readonly image: string;
  readonly createdAt: number;
  readonly node?: string | undefined;
  readonly ip?: string;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly reason?: string;
  readonly message?: string;
  /** The reason why the scheduler finds no node. */
  readonly unschedulable?: string;
  readonly init: readonly ContainerState[];
  readonly containers: readonly ContainerState[];
  /** The end of its grace period. */
  readonly deletedAt?: number;
  readonly finalizer?: string;
  /** The time of its last readiness probe. */
  readonly probedAt?: number;
  /** Whether its node reports; default: true. */
  readonly nodeAnswers?: boolean;
}

export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Returns the labels that Helm's charts recommend. */
export function labelsOf({ name, partOf, component, version }: App): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': partOf,
    'app.kubernetes.io/part-of': partOf,
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/version': version,
    'app.kubernetes.io/managed-by': 'Helm',
  };
}

export function selectorOf({ name, partOf }: App): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': partOf };
}

export function imageOf({ partOf, name, version }: App): string {
  return `registry.example.com/${partOf}/${name}:${version}`;
}

/** Returns whether the pod is ready: all containers are ready, and its node reports. */
export function isReady({ containers, phase, nodeAnswers = true }: DemoPod): boolean {
  return phase === 'Running' && nodeAnswers && containers.every(({ ready }) => ready);
}

/** Returns the pod as the API server stores it. */
export function podObject(pod: DemoPod, now: number): Json {
  const { app, owner, name, createdAt, node, deletedAt, finalizer } = pod;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: app.namespace,
      labels: { ...labelsOf(app), ...owner.labels },
      creationTimestamp: timeText(createdAt),
      ...(deletedAt === undefined ? {} : { deletionTimestamp: timeText(deletedAt) }),
      ...(finalizer === undefined ? {} : { finalizers: [finalizer] }),
      ownerReferences: [reference(owner)],
      managedFields: podManagers(createdAt, now),
    },
    spec: {
      ...(node === undefined ? {} : { nodeName: node }),
      serviceAccountName: app.name,
      restartPolicy: app.kind === 'Job' ? 'Never' : 'Always',
      terminationGracePeriodSeconds: 30,
      ...(app.init === undefined
        ? {}
        : { initContainers: [{ name: app.init, image: pod.image, command: ['/app', app.init] }] }),
      containers: [
        {
          name: app.name,
          image: pod.image,
          ...(app.port === undefined ? {} : { ports: [{ containerPort: app.port, protocol: 'TCP' }] }),
          resources: { requests: { cpu: app.cpu, memory: app.memory }, limits: { memory: app.memory } },
        },
        ...(app.sidecar === undefined
          ? []
          : [{ name: app.sidecar, image: `registry.example.com/mesh/${app.sidecar}:1.31.0` }]),
      ],
    },
    status: podStatusObject(pod),
  };
}

function podStatusObject(pod: DemoPod): Json {
  const { phase, reason, message, unschedulable, node, ip, init, containers, createdAt } = pod;
  const condition = (type: string, holds: boolean, why?: Json): Json => ({
    type,
    status: holds ? 'True' : 'False',
    lastTransitionTime: timeText(lastTransition(pod, type)),
    ...(pod.probedAt === undefined || type !== 'ContainersReady' ? {} : { lastProbeTime: timeText(pod.probedAt) }),
    ...why,
  });
  const initialized = init.every(({ is, exitCode }) => is === 'ended' && exitCode === 0);
  const ready = isReady(pod);
  return {
    phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    qosClass: 'Burstable',
    conditions: [
      condition(
        'PodScheduled',
        node !== undefined,
        unschedulable === undefined ? {} : { reason: 'Unschedulable', message: unschedulable },
      ),
      ...(node === undefined
        ? []
        : [
            condition('Initialized', initialized),
            condition(
              'ContainersReady',
              containers.every((container) => container.ready),
            ),
            condition(
              'Ready',
              ready,
              ready ? {} : { reason: phase === 'Succeeded' ? 'PodCompleted' : 'ContainersNotReady' },
            ),
          ]),
    ],
    ...(node === undefined ? {} : { startTime: timeText(createdAt) }),
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    ...(init.length === 0 || node === undefined ? {} : { initContainerStatuses: init.map(containerStatus) }),
    ...(containers.length === 0 || node === undefined ? {} : { containerStatuses: containers.map(containerStatus) }),
  };
}

function lastTransition({ containers, createdAt }: DemoPod, type: string): number {
  if (type !== 'Ready' && type !== 'ContainersReady') return createdAt;
  return Math.max(createdAt, ...containers.map(({ since }) => since));
}

function containerStatus(container: ContainerState): Json {
  const { name, image, is, ready, restarts, last } = container;
  return {
    name,
    image,
    imageID: `${image.split(':')[0] ?? image}@sha256:4f9c1d`,
    ready,
    started: is === 'running',
    restartCount: restarts,
    state: stateOf(container),
    ...(last === undefined
      ? {}
      : {
          lastState: {
            terminated: {
              reason: last.reason,
              exitCode: last.exitCode,
              startedAt: timeText(last.at - 40_000),
              finishedAt: timeText(last.at),
            },
          },
        }),
  };
}

function stateOf({ is, reason, message, exitCode = 0, since }: ContainerState): Json {
  const why = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
  switch (is) {
    case 'running':
      return { running: { startedAt: timeText(since) } };
    case 'waiting':
      return { waiting: why };
    case 'ended':
      return { terminated: { exitCode, ...why, startedAt: timeText(since - 40_000), finishedAt: timeText(since) } };
  }
  return is satisfies never;
}

export function reference({ apiVersion, kind, name, uid }: Omit<Owner, 'labels'>): Json {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

const specFields = {
  'f:metadata': { 'f:labels': {}, 'f:ownerReferences': {} },
  'f:spec': {
    'f:containers': {},
    'f:restartPolicy': {},
    'f:terminationGracePeriodSeconds': {},
    'f:serviceAccountName': {},
  },
};
const podStatusFields = {
  'f:status': {
    'f:conditions': {},
    'f:containerStatuses': {},
    'f:initContainerStatuses': {},
    'f:phase': {},
    'f:podIP': {},
    'f:podIPs': {},
    'f:startTime': {},
  },
};

/**
 * Returns the managed fields of a pod: its controller created it, and the kubelet reports its
 * status.
 */
function podManagers(createdAt: number, now: number): readonly Json[] {
  return [
    manager('kube-controller-manager', 'v1', createdAt, specFields),
    { ...manager('kubelet', 'v1', now, podStatusFields), subresource: 'status' },
  ];
}

/** Returns the managed fields of a workload: Helm wrote it, and its controller wrote the status. */
export function workloadManagers(
  apiVersion: string,
  writtenAt: number,
  statusAt: number,
  writer = 'helm',
): readonly Json[] {
  return [
    manager(writer, apiVersion, writtenAt, {
      'f:metadata': { 'f:labels': {} },
      'f:spec': { 'f:replicas': {}, 'f:template': {} },
    }),
    {
      ...manager('kube-controller-manager', apiVersion, statusAt, {
        'f:status': { 'f:replicas': {}, 'f:readyReplicas': {} },
      }),
      subresource: 'status',
    },
  ];
}

function manager(name: string, apiVersion: string, at: number, fieldsV1: Json): Json {
  return { manager: name, operation: 'Update', apiVersion, time: timeText(at), fieldsType: 'FieldsV1', fieldsV1 };
}

export function keyOf({ app, name }: DemoPod): string {
  return `${app.namespace}/${name}`;
}
