import type { Scenario } from '../scenario.js';
import { configMap, configMapsOf, seed } from './objects.js';

export const discoveryScenarios: readonly Scenario[] = [
  {
    name: 'discovery',
    run: async (session) => {
      for (const path of ['/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/apis/batch/v1'])
        await session.send(path, 'GET', path);
      await session.send('a group that there is not', 'GET', '/apis/none.example.com');
      await session.send('a version that there is not', 'GET', '/apis/apps/v7');
      for (const path of ['/api', '/apis']) {
        await session.send(`${path}, aggregated`, 'GET', path, { headers: { accept: aggregated } });
      }
      for (const path of ['/healthz', '/livez', '/readyz']) await session.send(path, 'GET', path);
    },
  },
  {
    name: 'errors',
    run: async (session) => {
      await seed(session, configMap('a'));
      const path = configMapsOf(session);
      const ask = (step: string, method: string, where: string) => session.send(step, method, where);
      await ask('an object that is not there', 'GET', `${path}/none`);
      await ask('a resource that is not served', 'GET', '/api/v1/somethings');
      await ask('one in a namespace', 'GET', `/api/v1/namespaces/${session.namespace}/somethings`);
      await ask('a path that leads nowhere', 'GET', '/nowhere');
      await ask('a path below', 'GET', '/api/v2/pods');
      await ask('a list in a namespace that is not there', 'GET', '/api/v1/namespaces/not-there/configmaps');
      await ask('an object in no namespace', 'GET', '/api/v1/configmaps/a');
      await ask('a cluster kind in a namespace', 'GET', `/api/v1/namespaces/${session.namespace}/nodes`);
      await ask('PUT to a collection', 'PUT', path);
      await ask('POST to all namespaces', 'POST', '/api/v1/configmaps');
      await ask('PATCH of a collection', 'PATCH', path);
      await ask('TRACE', 'OPTIONS', path);
      await ask('an unknown method', 'PURGE', `${path}/a`);
      await ask('POST to discovery', 'POST', '/api');
      await ask('too many segments', 'GET', `${path}/a/b/c/d`);
      await ask('a trailing slash', 'GET', `${path}/`);
    },
  },
];

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
