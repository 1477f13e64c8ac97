import type { Manifest } from '../../support/cluster.js';

/** A pod template. Its annotations steer the program that runs the pods. */
export interface TemplateOptions {
  readonly app: string;
  readonly tier: string;
  readonly image?: number;
  readonly port?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The port of the containers that a rollout can change. */
export const containerPorts = [8080, 8081] as const;

export function templateOf({ app, tier, image = 1, port = 8080, annotations = {} }: TemplateOptions) {
  return {
    metadata: { labels: { app, tier }, annotations },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: 'main',
          image: `example.com/main:${image}`,
          ports: [{ name: 'http', containerPort: port }],
          resources: { requests: { cpu: '10m', memory: '16Mi' } },
        },
      ],
    },
  };
}

export function workload(
  namespace: string,
  name: string,
  template: ReturnType<typeof templateOf>,
  spec: object = {},
): Manifest {
  const { app } = template.metadata.labels;
  return { metadata: { namespace, name }, spec: { selector: { matchLabels: { app } }, template, ...spec } };
}

export function jobOf(
  namespace: string,
  name: string,
  template: ReturnType<typeof templateOf>,
  spec: object,
): Manifest {
  const ending = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  return { metadata: { namespace, name }, spec: { template: ending, ...spec } };
}

export function barePod(namespace: string, name: string, { metadata, spec }: ReturnType<typeof templateOf>): Manifest {
  return { metadata: { namespace, name, ...metadata }, spec };
}

/** The forms of the ports of a Service: numbers, names, several, and a name that no pod has. */
export const servicePorts = [
  [{ name: 'web', port: 80, targetPort: 8080 }],
  [{ name: 'web', port: 80, targetPort: 'http' }],
  [{ name: 'web', port: 81 }],
  [
    { name: 'web', port: 80, targetPort: 'http' },
    { name: 'admin', port: 9000, targetPort: 9000 },
  ],
  [
    { name: 'web', port: 80, targetPort: 'http' },
    { name: 'other', port: 82, targetPort: 'missing' },
  ],
  [{ name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' }],
] as const;

/** The kinds of Service that have other Endpoints. */
export const serviceForms = [
  {},
  { clusterIP: 'None' },
  { clusterIP: 'None', ports: undefined },
  { publishNotReadyAddresses: true },
] as const;
