import { configMaps, deployments, services } from 'rx-informers';
import { leader$ } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import type { Appliable, SimulatedProgram } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { parse } from 'yaml';
import { differences } from '../../../examples/test/website-operator/differences.js';
import { startDeployments, websiteDefinition } from '../../../examples/website-operator/cluster.js';
import { websiteOperator } from '../../../examples/website-operator/operator.js';
import { websites, type WebsiteSpec } from '../../../examples/website-operator/website.js';

/** Parsed once, because each of thousands of runs applies it. */
const definition = parse(websiteDefinition) as Appliable;

const website = (name: string, spec: Partial<WebsiteSpec> = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name, namespace: 'default' },
  spec: { image: 'nginx', ...spec },
});

/** The website operator with two replicas. A user creates, changes and deletes websites. */
export const websiteProgram: SimulatedProgram = {
  replicas: 2,
  setup: (server) => {
    server.apply(definition);
    return startDeployments(server.client);
  },
  start: ({ client, identity, lease }) => {
    const stop$ = new Subject<void>();
    const leader = leader$(client, { lease: { namespace: 'default', name: 'website-operator' }, identity, ...lease });
    const running = websiteOperator({ client, identity, leader, stop$ }).subscribe();
    return () => running.unsubscribe();
  },
  user: [
    ({ apply }) => apply(website('shop', { replicas: 2 })),
    ({ apply }) => apply(website('blog')),
    ({ client }) => resourceClient(client, websites).patch('default/shop', { spec: { image: 'nginx:2' } }),
    ({ client }) => resourceClient(client, websites).delete('default/blog'),
  ],
  goal: ({ get, list }) =>
    differences(
      {
        websites: list(websites),
        deployments: list(deployments),
        services: list(services),
        directory: get(configMaps, 'website-directory', 'default')?.data ?? {},
      },
      { isComplete: true, collectsGarbage: true },
    ).length === 0,
};
