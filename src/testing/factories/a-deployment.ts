import type { Deployment, ReplicaSet } from '../../kubernetes/resources/apps.js';
import type { FactoryOptions } from './factory-options.js';
import { objectMeta } from './object-meta.js';

export interface DeploymentOptions extends FactoryOptions {
  /** Default 1. */
  readonly replicas?: number | undefined;
  /** Default `{ app: name }`. */
  readonly selector?: Readonly<Record<string, string>> | undefined;
  /** Default `app:1`. */
  readonly image?: string | undefined;
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

function podTemplateSpec({ name, replicas = 1, image = 'app:1', selector = { app: name } }: DeploymentOptions) {
  return {
    replicas,
    selector: { matchLabels: selector },
    template: { metadata: { labels: selector }, spec: { containers: [{ name: 'main', image }] } },
  };
}
