import { timeText, type Json } from './objects.js';

/** A CustomResourceDefinition, with columns for `kubectl get`. */
export const definition: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.data.example.com' },
  spec: {
    group: 'data.example.com',
    scope: 'Namespaced',
    names: {
      plural: 'databases',
      singular: 'database',
      kind: 'Database',
      listKind: 'DatabaseList',
      shortNames: ['db'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Engine', type: 'string', jsonPath: '.spec.engine' },
          { name: 'Version', type: 'string', jsonPath: '.spec.version' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'Status', type: 'string', jsonPath: '.status.phase' },
          { name: 'Backup', type: 'date', jsonPath: '.status.lastBackup', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { engine: { type: 'string' }, version: { type: 'string' }, replicas: { type: 'integer' } },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, lastBackup: { type: 'string', format: 'date-time' } },
              },
            },
          },
        },
      },
    ],
  },
};

const day = 86_400_000;

const databases = [
  ['shop', 'orders', 'postgres', '16.4', 3, 'Ready'],
  ['shop', 'sessions', 'redis', '7.2', 3, 'Ready'],
  ['payments', 'ledger', 'postgres', '16.4', 3, 'Ready'],
  ['blog', 'articles', 'postgres', '15.8', 1, 'BackingUp'],
  ['data', 'warehouse', 'clickhouse', '24.8', 2, 'Degraded'],
  ['mail', 'queue', 'redis', '7.0', 1, 'Ready'],
] as const;

export function customObjects(now: number): readonly Json[] {
  return databases.map(([namespace, name, engine, version, replicas, phase], index) => ({
    apiVersion: 'data.example.com/v1',
    kind: 'Database',
    metadata: { name, namespace, creationTimestamp: timeText(now - (index + 3) * 11 * day) },
    spec: { engine, version, replicas },
    status: { phase, lastBackup: timeText(now - (index + 1) * 3_000_000) },
  }));
}

/** Returns a Secret, an Ingress, an autoscaler and a CronJob, so that these kinds are not empty. */
export function settings(now: number): readonly Json[] {
  const metadata = (name: string, namespace: string): Json => ({
    name,
    namespace,
    creationTimestamp: timeText(now - 40 * day),
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('postgres-credentials', 'data'),
      type: 'Opaque',
      data: { password: 'bm90IGEgc2VjcmV0' },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: metadata('storefront', 'shop'),
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            host: 'shop.example.com',
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 'storefront', port: { number: 8080 } } } },
              ],
            },
          },
        ],
      },
    },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: metadata('storefront', 'shop'),
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'storefront' },
        minReplicas: 4,
        maxReplicas: 120,
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: metadata('postgres-backup', 'data'),
      spec: { schedule: '*/2 * * * *', jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
    },
  ];
}
