import { invalidOptionError } from '../../kubernetes/errors.js';
import { apiVersionOf, type Resource } from '../../kubernetes/resource.js';
import type {
  Pod,
  KubernetesNode,
  Namespace,
  ConfigMap,
  Deployment,
  ReplicaSet,
} from '../../kubernetes/resources/everyday.js';
import { type FactoryOptions, objectMeta, type FactoryMeta } from './object-meta.js';

/** Options of {@link aPod}. */
export interface PodOptions extends FactoryOptions {
  /** The node that runs the pod. Default: none, so the pod is not scheduled yet. */
  readonly node?: string | undefined;
  /** The phase of the pod. Default: `Running` if the pod has a node, otherwise `Pending`. */
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown' | undefined;
  /** The image of the container. Default `app:1`. */
  readonly image?: string | undefined;
  /** The condition `Ready` of the pod; default: true if the pod is running. */
  readonly ready?: boolean | undefined;
  readonly restarts?: number | undefined;
  /** The resource requests of the container, such as `{ cpu: '250m' }`; default: none. */
  readonly requests?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns a pod with the given fields. All other fields are the same in every run.
 *
 * @param options the name, and the fields that matter to the test
 * @returns the pod
 * @example
 * const pod = aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1', labels: { app: 'web' } });
 */
export function aPod(options: PodOptions): Pod {
  const { node, image = 'app:1', phase = node === undefined ? 'Pending' : 'Running', restarts = 0 } = options;
  const { ready = phase === 'Running' } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: objectMeta('Pod', options, 'default'),
    spec: { ...(node === undefined ? {} : { nodeName: node }), containers: [container(image, options.requests)] },
    status: {
      phase,
      ...(phase === 'Pending'
        ? {}
        : {
            conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
            containerStatuses: [
              { name: 'main', image, imageID: '', ready, restartCount: restarts, state: containerStates[phase] },
            ],
          }),
    },
  };
}

/** As the kubelet reports them, so that `podStatus` and kubectl show the phase. */
const containerStates = {
  Running: { running: {} },
  Succeeded: { terminated: { exitCode: 0, reason: 'Completed' } },
  Failed: { terminated: { exitCode: 1, reason: 'Error' } },
  Unknown: {},
} as const;

/** Options of {@link aNode}. */
export interface NodeOptions extends Omit<FactoryOptions, 'namespace'> {
  /** True if the node is ready. Default true. */
  readonly ready?: boolean | undefined;
  /** True if the node is unschedulable. Default false. */
  readonly unschedulable?: boolean | undefined;
  /** The label `topology.kubernetes.io/zone`; default none. */
  readonly zone?: string | undefined;
  /** Such as `{ cpu: '4' }`; they become `capacity` and `allocatable`. Default: none. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns a node.
 *
 * @param options the name, and the fields that matter to the test
 * @returns the node
 * @example
 * const node = aNode({ name: 'worker-1', zone: 'zone-a', capacity: { cpu: '4', memory: '16Gi' } });
 */
export function aNode(options: NodeOptions): KubernetesNode {
  const { ready = true, unschedulable = false, zone, capacity } = options;
  const labels = zone === undefined ? options.labels : { 'topology.kubernetes.io/zone': zone, ...options.labels };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: objectMeta('Node', { ...options, labels }),
    spec: unschedulable ? { unschedulable } : {},
    status: {
      ...(capacity ? { capacity, allocatable: capacity } : {}),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

/**
 * Returns an active namespace.
 *
 * @param options the name, and the fields that matter to the test
 * @returns the namespace
 * @example
 * const namespace = aNamespace({ name: 'shop' });
 */
export function aNamespace(options: Omit<FactoryOptions, 'namespace'>): Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: objectMeta('Namespace', options),
    status: { phase: 'Active' },
  };
}

/** Options of {@link aConfigMap}. */
export interface ConfigMapOptions extends FactoryOptions {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns a ConfigMap.
 *
 * @param options the name, and the fields that matter to the test
 * @returns the ConfigMap
 * @example
 * const settings = aConfigMap({ name: 'settings', data: { mode: 'dark' } });
 */
export function aConfigMap(options: ConfigMapOptions): ConfigMap {
  const { data } = options;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: objectMeta('ConfigMap', options, 'default'),
    ...(data ? { data } : {}),
  };
}

/** Options of {@link aDeployment} and {@link aReplicaSet}. */
export interface DeploymentOptions extends FactoryOptions {
  /** The number of replicas. Default 1. */
  readonly replicas?: number | undefined;
  /** The labels that the selector requires. Default `{ app: name }`. */
  readonly selector?: Readonly<Record<string, string>> | undefined;
  /** The image of the container. Default `app:1`. */
  readonly image?: string | undefined;
  /** The resource requests of each pod's container, such as `{ cpu: '250m' }`; default: none. */
  readonly requests?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns a Deployment. Its pods have the labels of `selector`, by default `app: <name>`.
 *
 * @param options the name, and the fields that matter to the test
 * @returns the Deployment
 * @example
 * const deployment = aDeployment({ name: 'web', replicas: 3 });
 */
export function aDeployment(options: DeploymentOptions): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: objectMeta('Deployment', options, 'default'),
    spec: podTemplateSpec(options),
    status: {},
  };
}

/**
 * Returns a ReplicaSet. Its pods have the labels of `selector`, by default `app: <name>`.
 *
 * @param options the name, and the fields that matter to the test
 * @returns the ReplicaSet
 * @example
 * const replicaSet = aReplicaSet({
 *   name: 'web-5d89',
 *   selector: { app: 'web' },
 *   owner: aDeployment({ name: 'web' }),
 * });
 */
export function aReplicaSet(options: DeploymentOptions): ReplicaSet {
  const { replicas = 1 } = options;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: objectMeta('ReplicaSet', options, 'default'),
    spec: podTemplateSpec(options),
    status: { replicas },
  };
}

function podTemplateSpec(options: DeploymentOptions) {
  const { name, replicas = 1, image = 'app:1', selector = { app: name } } = options;
  return {
    replicas,
    selector: { matchLabels: selector },
    template: { metadata: { labels: selector }, spec: { containers: [container(image, options.requests)] } },
  };
}

function container(image: string, requests: PodOptions['requests']) {
  return { name: 'main', image, ...(requests ? { resources: { requests } } : {}) };
}

/** Options of {@link anyObject}. */
export interface AnyObjectOptions extends FactoryOptions {
  /** The fields of the object besides apiVersion, kind and metadata. */
  readonly content?: object | undefined;
}

/** An object of any resource. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: FactoryMeta;
}

/**
 * Returns an object of any resource, custom resources included.
 *
 * @param resource the resource, for example of your own kind
 * @param options the name, and the fields that matter to the test
 * @returns the object, with the apiVersion and kind of the resource
 * @throws `TypeError` if the descriptor of the resource has no kind
 * @example
 * const widgets = resource({
 *   group: 'example.com',
 *   version: 'v1',
 *   plural: 'widgets',
 *   kind: 'Widget',
 *   namespaced: true,
 * });
 * const widget = anyObject(widgets, { name: 'a', content: { spec: { size: 3 } } });
 */
export function anyObject<T>(resource: Resource<T>, options: AnyObjectOptions): T & AnyObject {
  const { kind } = resource;
  if (kind === undefined)
    throw invalidOptionError(
      `the kind of ${resource.plural}`,
      kind,
      'in its descriptor, because each object states its kind',
    );
  const object: AnyObject = {
    ...options.content,
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: objectMeta(kind, options, resource.namespaced ? 'default' : ''),
  };
  return object as T & AnyObject;
}
