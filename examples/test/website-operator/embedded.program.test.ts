import { jest } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { kubeClient } from 'rx-informers/node';
import { createApiServer, type ApiServer } from 'rx-informers/testing';
import { websiteDefinition } from '../../website-operator/cluster.js';
import { completeForm, plainForm } from './forms.js';
import { describeWebsiteOperator } from './scenarios.js';
import { stageAt } from './stage-at.js';
import type { Playhouse } from './stage.js';

// On a busy machine a hundred writes take a while.
jest.setTimeout(60_000);

describe('the website operator with the embedded API server, over HTTP', () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await createApiServer();
    server.apply(websiteDefinition);
  });
  afterAll(() => server.close());

  const connect = () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(server.kubeconfig());
    return kubeClient(kubeConfig);
  };
  let stages = 0;
  const playhouse: Playhouse = {
    collectsGarbage: true,
    storesEvents: true,
    open: async () => {
      stages += 1;
      const namespace = `stage-${stages}`;
      server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const [client, outside] = [connect(), connect()];
      const close = (): void => {
        client.close();
        outside.close();
      };
      return stageAt({ namespace, client, outside, close });
    },
    restart: async () => {
      server.restart();
    },
  };
  describeWebsiteOperator(playhouse, completeForm);
  describeWebsiteOperator(playhouse, plainForm);
});
