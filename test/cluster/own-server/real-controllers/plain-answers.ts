import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { KubernetesEvent, KubernetesNode, Pod, Service } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { endpoints, podStatus, secrets, type Endpoints, type Secret } from 'rx-informers/resources';
import type { Cluster } from '../../support/cluster.js';
import { hasKubectl } from '../../support/kubectl.js';
import { deployedRelease } from './helm.js';
import { versionOf, type Answers, type Lists, type Question, type Rows } from './questions.js';

/** Computes the answer to each question from lists of objects, without derived collections. */
export const plainAnswers: Readonly<Record<Question, (lists: Lists) => Rows>> = {
  'pods per node': ({ nodes, pods }) =>
    rowsOf(nodes, (node) => {
      const { name } = node.metadata;
      const active = pods.filter((pod) => pod.spec?.nodeName === name && !hasEnded(pod));
      return {
        node: name,
        pods: active.length,
        requested: sumOf(active.map(requestOf)) / 1000,
        allocatable: cpuOf(node) / 1000,
      };
    }),

  'Services that select nothing': ({ services, pods }) =>
    rowsOf(services, (service) => {
      const isIdle = hasSelector(service) && podsOf(service, pods).length === 0;
      return isIdle ? versionOf(service) : undefined;
    }),

  'Deployments that are not available': ({ deployments, replicaSets, pods }) =>
    rowsOf(deployments, ({ metadata, spec, status }) => {
      const [wanted, available] = [spec?.replicas ?? 1, status?.availableReplicas ?? 0];
      if (available >= wanted) return undefined;
      const reasons: Record<string, number> = {};
      for (const replicaSet of ownedBy(metadata.uid, replicaSets))
        for (const pod of ownedBy(replicaSet.metadata.uid, pods)) {
          const { ready, reason } = podStatus(pod);
          if (ready.ready < ready.total) reasons[reason] = (reasons[reason] ?? 0) + 1;
        }
      return { wanted, available, reasons };
    }),

  'claims that no pod mounts': ({ claims, pods }) =>
    rowsOf(claims, (claim) => {
      const isMounted = inNamespaceOf(claim, pods).some(({ spec }) =>
        spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === claim.metadata.name),
      );
      return isMounted ? undefined : versionOf(claim);
    }),

  'images in use': ({ pods }) => {
    const counts: Record<string, number> = {};
    for (const { spec } of pods) {
      const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
      for (const image of new Set(containers.map((each) => each.image ?? ''))) counts[image] = (counts[image] ?? 0) + 1;
    }
    return counts;
  },

  'ConfigMaps that nothing refers to': ({ configMaps, pods }) =>
    rowsOf(configMaps, (configMap) => {
      const { name } = configMap.metadata;
      const isUsed = inNamespaceOf(configMap, pods).some(({ spec }) => refersTo(spec, name));
      return isUsed || name === 'kube-root-ca.crt' ? undefined : versionOf(configMap);
    }),

  'budgets that are violated': ({ budgets, pods }) =>
    rowsOf(budgets, (budget) => {
      const labels = budget.spec?.selector?.matchLabels ?? {};
      const covered = inNamespaceOf(budget, pods).filter((pod) => hasLabels(pod, labels));
      const unhealthy = covered.filter((pod) => !isReady(pod)).map(({ metadata }) => metadata.name);
      const [healthy, demanded] = [covered.length - unhealthy.length, budget.status?.desiredHealthy ?? 0];
      return healthy < demanded ? { healthy, demanded, unhealthy: unhealthy.sort() } : undefined;
    }),

  'backends of an Ingress': ({ ingresses, services, pods }) => {
    const rows: Record<string, unknown> = {};
    for (const { metadata, spec } of ingresses) {
      const paths = spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
      for (const backend of [spec?.defaultBackend, ...paths.map((path) => path.backend)]) {
        if (backend?.service === undefined) continue;
        const key = `${metadata.namespace}/${backend.service.name}`;
        const service = services.find((each) => keyOf(each) === key);
        const ready = service === undefined ? 0 : podsOf(service, pods).filter(isReady).length;
        rows[`${keyOf({ metadata })}/${backend.service.name}`] = { service: key, exists: service !== undefined, ready };
      }
    }
    return rows;
  },

  'last event of each object': ({ events }) => {
    const last = new Map<string, KubernetesEvent>();
    for (const event of events) {
      const { uid } = event.involvedObject;
      if (uid === undefined) continue;
      const previous = last.get(uid);
      if (previous === undefined || isLater(event, previous)) last.set(uid, event);
    }
    return Object.fromEntries([...last].map(([uid, event]) => [uid, versionOf(event)]));
  },

  'nodes beside their zone': ({ nodes }) =>
    rowsOf(nodes, (node) => {
      const zone = zoneOf(node);
      const beside = zone === undefined ? [] : nodes.filter((each) => zoneOf(each) === zone);
      const total = sumOf(beside.map(cpuOf)) / 1000;
      const hasZone = beside.length > 0;
      return {
        zone,
        nodes: hasZone ? beside.length : undefined,
        cpu: cpuOf(node) / 1000,
        ofZone: hasZone ? total : undefined,
      };
    }),

  'Helm releases': ({ deployments, services, replicaSets, pods }) => {
    const objects: readonly PlainObject[] = [...deployments, ...services, ...replicaSets, ...pods];
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    const rows: Record<string, string> = {};
    for (const object of objects) {
      const { annotations, ownerReferences = [], uid } = object.metadata;
      const release = annotations?.['meta.helm.sh/release-name'];
      const owner = ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
      if (owner !== undefined) {
        rows[uid] = `${keyOf(object)}: ${uids.has(owner.uid) ? `owner ${owner.uid}` : 'pending'}`;
      } else if (release === undefined) {
        rows[uid] = `${keyOf(object)}: none`;
      } else {
        const key = `${annotations?.['meta.helm.sh/release-namespace']}/${release}`;
        rows[uid] = `${keyOf(object)}: owner helm:${key}`;
        rows[`helm:${key}`] = `${key}: none`;
      }
    }
    return rows;
  },
};

/** What the controllers of Kubernetes write, and Helm, and what kubectl prints. */
export interface Statements {
  /** What `kubectl describe nodes` prints; undefined without kubectl. */
  readonly describedNodes: string | undefined;
  readonly endpoints: readonly Endpoints[];
  readonly secrets: readonly Secret[];
}

const here = await hasKubectl();

export async function readStatements({ client, kubeConfigFile }: Cluster): Promise<Statements> {
  const describe = ['--kubeconfig', kubeConfigFile, 'describe', 'nodes'];
  return {
    describedNodes: here ? (await promisify(execFile)('kubectl', describe)).stdout : undefined,
    endpoints: await resourceClient(client, endpoints).list(),
    secrets: await resourceClient(client, secrets).list(),
  };
}

/** The parts of answers that others state, too: the part of the answer, and the statement. */
export const statedAnswers: Readonly<
  Record<string, (answers: Answers, lists: Lists, stated: Statements) => readonly [actual: unknown, stated: unknown]>
> = {
  'pods per node: the requests that kubectl describe prints': (answers, _, { describedNodes }) => {
    const rows = Object.values(answers['pods per node'] as Readonly<Record<string, Load>>);
    const actual = rows.map(({ node, requested }) => `${node}: ${Math.round(requested * 1000)}m`);
    // Of each node, its name, and the first line about CPU after the requests of its pods.
    const printed = [...(describedNodes ?? '').matchAll(/^Name: +(.*)$[^]*?^Allocated[^]*?^ +cpu +(\S+)/gm)];
    return [actual, here ? printed.map(([, node, cpu]) => `${node}: ${millis(cpu)}m`) : actual];
  },

  'budgets that are violated: the numbers in their status': (answers, { budgets }) => [
    Object.entries(answers['budgets that are violated'] as Readonly<Record<string, Violation>>)
      .map(([key, { healthy, demanded }]) => `${key}: ${healthy} of ${demanded}`)
      .sort(),
    budgets
      .flatMap(({ metadata, status }) => {
        const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
        return currentHealthy < desiredHealthy
          ? [`${keyOf({ metadata })}: ${currentHealthy} of ${desiredHealthy}`]
          : [];
      })
      .sort(),
  ],

  'backends of an Ingress: the ready addresses in the Endpoints': (answers, { services }, { endpoints }) => {
    const backends = Object.entries(answers['backends of an Ingress'] as Readonly<Record<string, Backend>>);
    return [
      backends.map(([key, { ready }]) => `${key}: ${ready}`),
      backends.map(([key, { service }]) => {
        const subsets = services.some((each) => keyOf(each) === service)
          ? (endpoints.find((each) => keyOf(each) === service)?.subsets ?? [])
          : [];
        return `${key}: ${new Set(subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))).size}`;
      }),
    ];
  },

  'Helm releases: the objects in the manifests of their Secrets': (answers, { deployments, services }, { secrets }) => {
    const uids = new Map<string, string>([
      ...deployments.map((object) => [`Deployment ${keyOf(object)}`, object.metadata.uid] as const),
      ...services.map((object) => [`Service ${keyOf(object)}`, object.metadata.uid] as const),
    ]);
    const owned = Object.entries(answers['Helm releases'] as Readonly<Record<string, string>>);
    return [
      owned
        .filter(([, text]) => text.includes(': owner helm:'))
        .map(([uid, text]) => `${uid} ${text.split(' ').at(-1)}`)
        .sort(),
      secrets
        .flatMap((secret) => deployedRelease(secret) ?? [])
        .flatMap(({ name, namespace, objects }) =>
          objects.map(([kind, object]) => `${uids.get(`${kind} ${namespace}/${object}`)} helm:${namespace}/${name}`),
        )
        .sort(),
    ];
  },
};

/** Returns one line for each row that differs between two answers to a question. */
export function differentRows(actual: Rows, expected: Rows): readonly string[] {
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...keys]
    .filter((key) => !isDeepStrictEqual(actual[key], expected[key]))
    .map((key) => `${key} is ${JSON.stringify(actual[key])} instead of ${JSON.stringify(expected[key])}`);
}

interface Load {
  readonly node: string;
  readonly requested: number;
}

interface Violation {
  readonly healthy: number;
  readonly demanded: number;
}

interface Backend {
  readonly service: string;
  readonly ready: number;
}

interface PlainObject {
  readonly metadata: Pod['metadata'];
}

function keyOf({ metadata: { namespace, name } }: Pick<PlainObject, 'metadata'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Returns the rows by the keys of the objects, without those that are `undefined`. */
function rowsOf<T extends PlainObject>(objects: readonly T[], row: (object: T) => unknown): Rows {
  const rows = objects.map((object) => [keyOf(object), row(object)] as const);
  return Object.fromEntries(rows.filter(([, value]) => value !== undefined));
}

function inNamespaceOf<T extends PlainObject>({ metadata }: PlainObject, objects: readonly T[]): readonly T[] {
  return objects.filter((object) => object.metadata.namespace === metadata.namespace);
}

function ownedBy<T extends PlainObject>(uid: string, objects: readonly T[]): readonly T[] {
  return objects.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
}

function hasLabels({ metadata }: PlainObject, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value);
}

function hasSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

function podsOf(service: Service, pods: readonly Pod[]): readonly Pod[] {
  if (!hasSelector(service)) return [];
  return inNamespaceOf(service, pods).filter((pod) => hasLabels(pod, service.spec?.selector ?? {}));
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isReady({ metadata, status }: Pod): boolean {
  const isRunning = status?.phase === 'Running' && metadata.deletionTimestamp === undefined;
  return isRunning && status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

/** Returns true if a part of a pod, at any depth, names a ConfigMap. */
function refersTo(part: unknown, configMap: string): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).some(([field, value]: [string, unknown]) => {
    const isReference = field === 'configMap' || field === 'configMapRef' || field === 'configMapKeyRef';
    const { name } = (value ?? {}) as { readonly name?: unknown };
    return (isReference && name === configMap) || refersTo(value, configMap);
  });
}

function zoneOf({ metadata }: KubernetesNode): string | undefined {
  return metadata.labels?.['topology.kubernetes.io/zone'];
}

function cpuOf({ status }: KubernetesNode): number {
  return millis(status?.allocatable?.['cpu']);
}

/** Without sidecars, which Kubernetes 1.20 does not have. */
function requestOf({ spec }: Pod): number {
  const init = spec?.initContainers?.map(({ resources }) => millis(resources?.requests?.['cpu'])) ?? [];
  const main = spec?.containers.map(({ resources }) => millis(resources?.requests?.['cpu'])) ?? [];
  return Math.max(sumOf(main), ...init);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Returns a quantity of CPU in thousandths. */
function millis(quantity = '0'): number {
  return quantity.endsWith('m') ? Number(quantity.slice(0, -1)) : Number(quantity) * 1000;
}

function isLater(event: KubernetesEvent, other: KubernetesEvent): boolean {
  const [time, otherTime] = [microsecondsOf(event), microsecondsOf(other)];
  return time === otherTime ? keyOf(event) > keyOf(other) : time > otherTime;
}

/** A time that has whole seconds only was somewhere in its second, and counts as its end. */
function microsecondsOf({ series, lastTimestamp, eventTime, metadata }: KubernetesEvent): number {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
  const [seconds = '', fraction] = time.replace('Z', '').split('.');
  return (Date.parse(`${seconds}Z`) / 1000) * 1e6 + (fraction === undefined ? 999_999.5 : Number(fraction));
}
