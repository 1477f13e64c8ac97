/** A permanent or recurring problem of an app's pods. */
export type Trouble =
  | 'crash-loop'
  | 'out-of-memory'
  | 'image-pull'
  | 'init-error'
  | 'unschedulable'
  | 'not-ready'
  | 'no-config'
  | 'stuck-terminating'
  | 'evicted';

/** One app of the demo: a Helm release with a workload, and optionally a Service. */
export interface App {
  readonly namespace: string;
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';
  /** The app's share of all pods. For a troubled app, the number of its pods. */
  readonly weight: number;
  readonly partOf: string;
  readonly component: string;
  readonly version: string;
  readonly cpu: string;
  readonly memory: string;
  readonly port?: number;
  readonly init?: string;
  readonly sidecar?: string;
  readonly trouble?: Trouble;
  /** The number of its pods with the trouble; default: all. */
  readonly troubled?: number;
}

const small = { cpu: '100m', memory: '128Mi' };
const medium = { cpu: '250m', memory: '512Mi' };
const large = { cpu: '1', memory: '2Gi' };

/** Apps without trouble, the most important first. A small cluster has only the first ones. */
export const healthyApps: readonly App[] = [
  {
    namespace: 'shop',
    name: 'storefront',
    kind: 'Deployment',
    weight: 14,
    partOf: 'shop',
    component: 'frontend',
    version: '4.18.2',
    ...medium,
    port: 8080,
    sidecar: 'envoy',
  },
  {
    namespace: 'shop',
    name: 'checkout',
    kind: 'Deployment',
    weight: 8,
    partOf: 'shop',
    component: 'backend',
    version: '2.9.0',
    ...medium,
    port: 8080,
    init: 'migrate',
  },
  {
    namespace: 'payments',
    name: 'gateway',
    kind: 'Deployment',
    weight: 6,
    partOf: 'payments',
    component: 'backend',
    version: '7.3.1',
    ...medium,
    port: 8443,
    sidecar: 'envoy',
  },
  {
    namespace: 'data',
    name: 'postgres',
    kind: 'StatefulSet',
    weight: 3,
    partOf: 'data',
    component: 'database',
    version: '16.4',
    ...large,
    port: 5432,
  },
  {
    namespace: 'shop',
    name: 'cart',
    kind: 'Deployment',
    weight: 6,
    partOf: 'shop',
    component: 'backend',
    version: '1.22.5',
    ...small,
    port: 8080,
  },
  {
    namespace: 'shop',
    name: 'catalog',
    kind: 'Deployment',
    weight: 7,
    partOf: 'shop',
    component: 'backend',
    version: '3.1.4',
    ...medium,
    port: 8080,
  },
  {
    namespace: 'shop',
    name: 'search',
    kind: 'Deployment',
    weight: 5,
    partOf: 'shop',
    component: 'backend',
    version: '5.0.3',
    ...large,
    port: 9200,
  },
  {
    namespace: 'ingress',
    name: 'ingress-nginx-controller',
    kind: 'Deployment',
    weight: 3,
    partOf: 'ingress-nginx',
    component: 'controller',
    version: '1.11.2',
    ...medium,
    port: 443,
  },
  {
    namespace: 'data',
    name: 'redis',
    kind: 'StatefulSet',
    weight: 3,
    partOf: 'data',
    component: 'cache',
    version: '7.2.5',
    ...medium,
    port: 6379,
  },
  {
    namespace: 'blog',
    name: 'blog-web',
    kind: 'Deployment',
    weight: 4,
    partOf: 'blog',
    component: 'frontend',
    version: '0.14.0',
    ...small,
    port: 3000,
  },
  {
    namespace: 'payments',
    name: 'ledger',
    kind: 'Deployment',
    weight: 5,
    partOf: 'payments',
    component: 'backend',
    version: '2.4.7',
    ...medium,
    port: 8080,
    init: 'migrate',
  },
  {
    namespace: 'monitoring',
    name: 'prometheus',
    kind: 'StatefulSet',
    weight: 2,
    partOf: 'kube-prometheus',
    component: 'prometheus',
    version: '2.54.1',
    ...large,
    port: 9090,
  },
  {
    namespace: 'monitoring',
    name: 'grafana',
    kind: 'Deployment',
    weight: 2,
    partOf: 'kube-prometheus',
    component: 'grafana',
    version: '11.1.4',
    ...small,
    port: 3000,
  },
  {
    namespace: 'kube-system',
    name: 'coredns',
    kind: 'Deployment',
    weight: 2,
    partOf: 'kube-dns',
    component: 'dns',
    version: '1.11.3',
    ...small,
    port: 53,
  },
  {
    namespace: 'data',
    name: 'kafka',
    kind: 'StatefulSet',
    weight: 3,
    partOf: 'data',
    component: 'broker',
    version: '3.8.0',
    ...large,
    port: 9092,
  },
  {
    namespace: 'mail',
    name: 'mailer',
    kind: 'Deployment',
    weight: 4,
    partOf: 'mail',
    component: 'worker',
    version: '1.6.1',
    ...small,
  },
  {
    namespace: 'media',
    name: 'thumbnails',
    kind: 'Deployment',
    weight: 8,
    partOf: 'media',
    component: 'worker',
    version: '2.0.9',
    ...medium,
  },
  {
    namespace: 'media',
    name: 'images',
    kind: 'Deployment',
    weight: 6,
    partOf: 'media',
    component: 'backend',
    version: '2.0.9',
    ...medium,
    port: 8080,
  },
];

/** Apps that run on every node. */
export const nodeApps: readonly App[] = [
  {
    namespace: 'monitoring',
    name: 'node-exporter',
    kind: 'DaemonSet',
    weight: 1,
    partOf: 'kube-prometheus',
    component: 'exporter',
    version: '1.8.2',
    ...small,
    port: 9100,
  },
  {
    namespace: 'kube-system',
    name: 'kube-proxy',
    kind: 'DaemonSet',
    weight: 1,
    partOf: 'kube-system',
    component: 'proxy',
    version: '1.36.1',
    ...small,
  },
];

/** Apps with trouble, the most instructive first. */
export const troubledApps: readonly App[] = [
  {
    namespace: 'payments',
    name: 'fraud-scorer',
    kind: 'Deployment',
    weight: 3,
    partOf: 'payments',
    component: 'backend',
    version: '1.9.0',
    ...medium,
    port: 8080,
    trouble: 'out-of-memory',
    troubled: 1,
  },
  {
    namespace: 'shop',
    name: 'recommendations',
    kind: 'Deployment',
    weight: 3,
    partOf: 'shop',
    component: 'backend',
    version: '0.8.1',
    ...medium,
    port: 8080,
    trouble: 'not-ready',
    troubled: 1,
  },
  {
    namespace: 'mail',
    name: 'bounce-handler',
    kind: 'Deployment',
    weight: 2,
    partOf: 'mail',
    component: 'worker',
    version: '1.6.1',
    ...small,
    trouble: 'crash-loop',
    troubled: 1,
  },
  {
    namespace: 'blog',
    name: 'preview',
    kind: 'Deployment',
    weight: 1,
    partOf: 'blog',
    component: 'frontend',
    version: '0.15.0-rc1',
    ...small,
    port: 3000,
    trouble: 'image-pull',
  },
  {
    namespace: 'data',
    name: 'warehouse-sync',
    kind: 'Deployment',
    weight: 1,
    partOf: 'data',
    component: 'worker',
    version: '0.3.2',
    ...medium,
    init: 'wait-for-schema',
    trouble: 'init-error',
  },
  {
    namespace: 'ml',
    name: 'trainer',
    kind: 'Deployment',
    weight: 2,
    partOf: 'ml',
    component: 'worker',
    version: '0.21.0',
    ...large,
    trouble: 'unschedulable',
  },
  {
    namespace: 'blog',
    name: 'newsletter',
    kind: 'Deployment',
    weight: 1,
    partOf: 'blog',
    component: 'worker',
    version: '0.4.0',
    ...small,
    trouble: 'no-config',
  },
  {
    namespace: 'media',
    name: 'transcoder',
    kind: 'Deployment',
    weight: 2,
    partOf: 'media',
    component: 'worker',
    version: '2.0.9',
    ...large,
    trouble: 'stuck-terminating',
    troubled: 1,
  },
  {
    namespace: 'monitoring',
    name: 'loki',
    kind: 'Deployment',
    weight: 2,
    partOf: 'loki',
    component: 'logs',
    version: '3.1.1',
    ...large,
    port: 3100,
    trouble: 'evicted',
    troubled: 1,
  },
];

/** Apps that a CronJob starts from time to time. Each run completes or fails. */
export const jobApps: readonly App[] = [
  {
    namespace: 'data',
    name: 'postgres-backup',
    kind: 'Job',
    weight: 1,
    partOf: 'data',
    component: 'backup',
    version: '16.4',
    ...small,
  },
  {
    namespace: 'shop',
    name: 'sitemap',
    kind: 'Job',
    weight: 1,
    partOf: 'shop',
    component: 'batch',
    version: '4.18.2',
    ...small,
  },
  {
    namespace: 'payments',
    name: 'settlement',
    kind: 'Job',
    weight: 1,
    partOf: 'payments',
    component: 'batch',
    version: '2.4.7',
    ...medium,
  },
];

const regions = ['', 'us', 'ap', 'br', 'in', 'jp', 'za', 'au'];

/**
 * Returns the healthy apps for a cluster of `pods` pods. A large cluster has the same apps in
 * several regions, each with its own namespaces, so that no app has hundreds of pods.
 */
export function appsFor(pods: number): readonly App[] {
  const copies = Math.max(1, Math.round(pods / 500));
  return Array.from({ length: copies }, (_, copy) => {
    const suffix = copy === 0 ? '' : `-${regions[copy] ?? `region-${copy}`}`;
    return healthyApps.map((app) => ({ ...app, namespace: app.namespace + suffix }));
  }).flat();
}
