import type { Pod, Node, Namespace, ConfigMap, Deployment, ReplicaSet } from '../../kubernetes/resources/everyday.js';
import { type FactoryOptions, objectMeta, type FactoryMeta } from './meta.js';
import { apiVersionOf, type Resource } from '../../kubernetes/resource.js';

export interface PodOptions extends FactoryOptions {
  /** The node that runs it; default none: it is still to be scheduled. */
  readonly node?: string | undefined;
  /** Default `Running` on a node, `Pending` without. */
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown' | undefined;
  /** Default `app:1`. */
  readonly image?: string | undefined;
  /** Whether the pod says that it can serve; default: if it is running. */
  readonly ready?: boolean | undefined;
  readonly restarts?: number | undefined;
  /** What its container requests, such as `{ cpu: '250m' }`; default nothing. */
  readonly requests?: Readonly<Record<string, string>> | undefined;
}

/**
 * A pod that states only what matters to a test; everything else is the same in every run.
 *
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
            containerStatuses: [{ name: 'main', image, imageID: '', ready, restartCount: restarts }],
          }),
    },
  };
}

export interface NodeOptions extends Omit<FactoryOptions, 'namespace'> {
  /** Default true. */
  readonly ready?: boolean | undefined;
  /** Default false. */
  readonly unschedulable?: boolean | undefined;
  /** The label `topology.kubernetes.io/zone`; default none. */
  readonly zone?: string | undefined;
  /** What the node has, all of it for pods: `capacity` and `allocatable`, such as `{ cpu: '4' }`. Default: it does not say. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
}

/**
 * A node.
 *
 * @example
 * const node = aNode({ name: 'worker-1', zone: 'zone-a', capacity: { cpu: '4', memory: '16Gi' } });
 */
export function aNode(options: NodeOptions): Node {
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
 * An active namespace.
 *
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

export interface ConfigMapOptions extends FactoryOptions {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/**
 * A ConfigMap.
 *
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

export interface DeploymentOptions extends FactoryOptions {
  /** Default 1. */
  readonly replicas?: number | undefined;
  /** Default `{ app: name }`. */
  readonly selector?: Readonly<Record<string, string>> | undefined;
  /** Default `app:1`. */
  readonly image?: string | undefined;
  /** What the container of each pod requests, such as `{ cpu: '250m' }`; default nothing. */
  readonly requests?: Readonly<Record<string, string>> | undefined;
}

/**
 * A Deployment of pods labelled `app: <name>`.
 *
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
 * A ReplicaSet of pods labelled `app: <name>`, as a Deployment makes them.
 *
 * @example
 * const replicaSet = aReplicaSet({ name: 'web-5d89', selector: { app: 'web' }, owner: aDeployment({ name: 'web' }) });
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

export interface AnyObjectOptions extends FactoryOptions {
  /** What the object holds beside kind and metadata. */
  readonly content?: object | undefined;
}

/** An object of any resource. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: FactoryMeta;
}

/**
 * An object of any resource, custom ones included.
 *
 * @example
 * const widgets = resource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true });
 * const widget = anyObject(widgets, { name: 'a', content: { spec: { size: 3 } } });
 */
export function anyObject<T>(resource: Resource<T>, options: AnyObjectOptions): T & AnyObject {
  const { kind } = resource;
  if (kind === undefined)
    throw new TypeError(`the descriptor of ${resource.plural} names no kind: give it one, objects carry it`);
  const object: AnyObject = {
    ...options.content,
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: objectMeta(kind, options, resource.namespaced ? 'default' : ''),
  };
  return object as T & AnyObject;
}
