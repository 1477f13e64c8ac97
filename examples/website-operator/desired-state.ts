import type { Deployment, Service } from 'rx-informers';
import { setControllerReference } from 'rx-informers/controller';
import type { AppliedObject } from 'rx-informers/requests';
import type { Website } from './website.js';

/** The objects that must exist for a website. */
export interface DesiredState {
  readonly deployment: AppliedObject<Deployment>;
  readonly service: AppliedObject<Service>;
}

/**
 * Returns the objects that must exist for a website. Pure, so it can be read and tested alone.
 *
 * Each port sets its number and its protocol, because older API servers identify applied ports by
 * both.
 */
export function desiredState(website: Website): DesiredState {
  const { name, namespace } = website.metadata;
  const { image, replicas = 1, port = 80 } = website.spec;
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'website-operator' };
  const metadata = { name, namespace, labels };
  return {
    deployment: setControllerReference(website, {
      metadata,
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: 'web', image, ports: [{ name: 'http', protocol: 'TCP', containerPort: port }] }],
          },
        },
      },
    }),
    service: setControllerReference(website, {
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' }] },
    }),
  };
}

export function urlOf({ metadata: { name, namespace } }: Website): string {
  return `http://${name}.${namespace}.svc`;
}
