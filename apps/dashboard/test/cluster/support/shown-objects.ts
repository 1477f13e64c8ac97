import {
  customResourceDefinitions,
  daemonSets,
  deployments,
  events,
  jobs,
  nodes,
  persistentVolumeClaims,
  pods,
  replicaSets,
  resource,
  secrets,
  services,
  statefulSets,
  type Resource,
} from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { requestJson } from 'rx-informers/requests';
import { persistentVolumes } from 'rx-informers/resources';
import { firstValueFrom, retry } from 'rxjs';
import type { Cluster, Manifest } from '../../../../../test/cluster/support/cluster.js';
import { aDefinition } from '../../../../../test/fixtures/definition.js';

const old = (group: string, version: string, plural: string, kind: string): Resource<unknown> =>
  resource({ group, version, plural, kind, namespaced: true });

const cronJobs = old('batch', 'v1beta1', 'cronjobs', 'CronJob');
const autoscalers = old('autoscaling', 'v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler');
const ingresses = old('networking.k8s.io', 'v1', 'ingresses', 'Ingress');
const budgets = old('policy', 'v1beta1', 'poddisruptionbudgets', 'PodDisruptionBudget');
const leases = old('coordination.k8s.io', 'v1', 'leases', 'Lease');
const bindings = old('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding');
const quotas = old('', 'v1', 'resourcequotas', 'ResourceQuota');
export const certificates = old('example.com', 'v1', 'certificates', 'Certificate');

/** Returns the time so many seconds ago, without milliseconds, as Kubernetes writes it. */
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+/, '');

const container = { name: 'main', image: 'example.com/main:1' };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
const ending = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const selector = { matchLabels: { app: 'web' } };

/** An object, and the status that a controller would have written. */
type Entry = readonly [resource: Resource<unknown>, name: string, content: object, status?: object];

const builtIn = (): readonly Entry[] => [
  [pods, 'running', podSpec('n1'), podStatus({ running: { startedAt: ago(100) } }, 0)],
  [pods, 'restarted', podSpec('n1'), podStatus({ running: { startedAt: ago(160) } }, 3)],
  [pods, 'crashing', podSpec('n1'), podStatus({ waiting: { reason: 'CrashLoopBackOff' } }, 12)],
  [pods, 'pending', podSpec()],
  [nodes, 'n1', {}, { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: ago(5) }], nodeInfo }],
  [deployments, 'web', { spec: { replicas: 3, selector, template } }, { replicas: 3, readyReplicas: 2 }],
  [replicaSets, 'web-1', { spec: { replicas: 3, selector, template } }, { replicas: 3, readyReplicas: 2 }],
  [statefulSets, 'db', { spec: { replicas: 2, selector, template, serviceName: 'db' } }, { replicas: 2 }],
  [daemonSets, 'agent', { spec: { selector, template } }, daemonStatus],
  [jobs, 'queue', { spec: { parallelism: 2, template: ending } }, { startTime: ago(70), active: 2 }],
  [
    jobs,
    'done',
    { spec: { completions: 2, template: ending } },
    { startTime: ago(400), completionTime: ago(395), succeeded: 2, conditions: [complete()] },
  ],
  [jobs, 'failed', { spec: { completions: 1, template: ending } }, { startTime: ago(4_000), failed: 3 }],
  [cronJobs, 'nightly', cron, { lastScheduleTime: ago(30_000) }],
  [cronJobs, 'often', cron, { lastScheduleTime: ago(47) }],
  [cronJobs, 'never', cron],
  [services, 'web', { spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } }],
  [services, 'waiting', { spec: { type: 'LoadBalancer', ports: [{ port: 443 }] } }],
  [services, 'elsewhere', { spec: { type: 'ExternalName', externalName: 'example.com' } }],
  [services, 'headless', { spec: { clusterIP: 'None', selector: { app: 'web' } } }],
  [autoscalers, 'web', autoscaler, { currentReplicas: 3, currentCPUUtilizationPercentage: 44, desiredReplicas: 3 }],
  [autoscalers, 'unknown', autoscaler],
  [ingresses, 'web', ingress],
  [budgets, 'web', { spec: { minAvailable: 1, selector } }],
  [leases, 'leader', { spec: { holderIdentity: 'a', renewTime: `${ago(3).slice(0, 19)}.000000Z` } }],
  [bindings, 'view', { roleRef: role, subjects: [{ kind: 'User', name: 'ann' }] }],
  [quotas, 'small', { spec: { hard: { pods: '10' } } }],
  [persistentVolumes, 'disk', { spec: disk }],
  [persistentVolumeClaims, 'data', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: storage } } }],
  [secrets, 'db', { type: 'Opaque', stringData: { password: 'x' } }],
  [events, 'once', eventAbout({ firstTimestamp: ago(59), lastTimestamp: ago(59), count: 1 })],
  [events, 'again', eventAbout({ firstTimestamp: ago(4_000), lastTimestamp: ago(9), count: 7 })],
];

const nodeInfo = {
  architecture: 'amd64',
  bootID: '',
  containerRuntimeVersion: 'containerd://1.7',
  kernelVersion: '6.1',
  kubeProxyVersion: 'v1.20.2',
  kubeletVersion: 'v1.20.2',
  machineID: '',
  operatingSystem: 'linux',
  osImage: 'Debian 12',
  systemUUID: '',
};
const daemonStatus = { currentNumberScheduled: 1, desiredNumberScheduled: 2, numberMisscheduled: 0, numberReady: 1 };
const storage = { storage: '1Gi' };
const disk = { capacity: storage, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } };
const cron = { spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: ending } } } };
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const autoscaler = {
  spec: {
    minReplicas: 1,
    maxReplicas: 5,
    targetCPUUtilizationPercentage: 80,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  },
};
const backend = { service: { name: 'web', port: { number: 80 } } };
const ingress = {
  spec: { rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
};

function podSpec(nodeName?: string): object {
  return { spec: { schedulerName: 'none', containers: [container], ...(nodeName && { nodeName }) } };
}

function podStatus(state: object, restartCount: number): object {
  const terminated = { exitCode: 1, reason: 'Error', startedAt: ago(900), finishedAt: ago(165) };
  const lastState = restartCount > 0 ? { terminated } : {};
  const ready = 'running' in state;
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    startTime: ago(1_000),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(155) }],
    containerStatuses: [{ name: 'main', image: container.image, imageID: '', ready, restartCount, state, lastState }],
  };
}

function complete(): object {
  return { type: 'Complete', status: 'True', lastProbeTime: ago(395), lastTransitionTime: ago(395) };
}

function eventAbout(fields: object): object {
  const involvedObject = { kind: 'Pod', name: 'running', namespace: 'shown' };
  return { involvedObject, type: 'Normal', reason: 'Pulled', message: 'Pulled the image', ...fields };
}

/** Columns of all types: of a list, of an object, of a time in the past and in the future. */
const columns = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Tags', type: 'string', jsonPath: '.spec.tags[*]' },
  { name: 'All Tags', type: 'string', jsonPath: '.spec.tags' },
  { name: 'Renewals', type: 'integer', jsonPath: '.status.renewals' },
  { name: 'Share', type: 'number', jsonPath: '.status.share' },
  { name: 'Active', type: 'boolean', jsonPath: '.spec.active' },
  { name: 'Expires', type: 'date', jsonPath: '.status.notAfter' },
  { name: 'Issued', type: 'date', jsonPath: '.status.notBefore' },
  { name: 'Note', type: 'string', jsonPath: '.spec.note' },
  { name: 'Owner', type: 'string', jsonPath: '.metadata.annotations.example\\.com/owner', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

const custom = (): readonly Entry[] => [
  [
    certificates,
    'valid',
    {
      spec: { tags: ['a', 'b'], active: true, note: 'two\nlines' },
      status: {
        renewals: 12,
        share: 0.25,
        notBefore: ago(86_400 * 3 + 7_000),
        notAfter: ago(-86_400 * 30),
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(200) }],
      },
    },
  ],
  [
    certificates,
    'expiring',
    { spec: { tags: [], active: false }, status: { notBefore: ago(50), notAfter: ago(-100) } },
  ],
  [certificates, 'expired', { spec: {}, status: { notBefore: ago(9_000), notAfter: ago(200) } }],
  [certificates, 'empty', {}],
];

/** Creates objects with everything that `kubectl get -o wide` shows. */
export async function createShownObjects(cluster: Cluster, namespace: string, hasBuiltIn: boolean): Promise<void> {
  const whole = aDefinition({ plural: 'certificates', kind: 'Certificate' });
  const versions = whole.spec.versions.map((version) => ({ ...version, additionalPrinterColumns: columns }));
  await cluster.create(customResourceDefinitions, { ...whole, spec: { ...whole.spec, versions } });
  const path = resourcePath(certificates, { namespace });
  await firstValueFrom(requestJson(cluster.client, path).pipe(retry({ delay: 200, count: 100 })));
  for (const [of, name, content, status] of [...(hasBuiltIn ? builtIn() : []), ...custom()]) {
    await createWithStatus(cluster, of, { ...content, metadata: { name, namespace } }, status);
  }
}

async function createWithStatus(
  { create, client }: Cluster,
  of: Resource<unknown>,
  manifest: Manifest,
  status: object | undefined,
): Promise<void> {
  const { name, namespace } = manifest.metadata;
  const isClusterWide = of === nodes || of === persistentVolumes;
  await create(of, isClusterWide ? { ...manifest, metadata: { name } } : manifest);
  if (status === undefined) return;
  const place = isClusterWide ? { name } : { name, namespace };
  await firstValueFrom(
    requestJson(client, {
      method: 'PATCH',
      path: `${resourcePath(of, place)}/status`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ status }),
    }),
  );
}
