import type { Scenario } from '../scenario.js';
import { configMap, configMapsOf, pod, podsOf, seed } from './objects.js';

const as = (kind: string, version = 'v1'): string => `application/json;as=${kind};g=meta.k8s.io;v=${version}`;

export const representationScenarios: readonly Scenario[] = [
  {
    name: 'metadata-only',
    run: async (session) => {
      await seed(session, configMap('a', { app: 'web' }), configMap('b'));
      const list = configMapsOf(session);
      const get = (step: string, path: string, accept: string) =>
        session.send(step, 'GET', path, { headers: { accept } });
      await get('a list', list, as('PartialObjectMetadataList'));
      await get('a list, beta', list, as('PartialObjectMetadataList', 'v1beta1'));
      await get('an object', `${list}/a`, as('PartialObjectMetadata'));
      await get('a list as an object', list, as('PartialObjectMetadata'));
      await get('an object as a list', `${list}/a`, as('PartialObjectMetadataList'));
      await get('another version', list, as('PartialObjectMetadataList', 'v2'));
      await get('another kind', list, as('Something'));
      await get('a missing object', `${list}/none`, as('PartialObjectMetadata'));
      await get('the first that is known', list, `${as('Something')}, ${as('PartialObjectMetadataList')}`);
      await get('a list in full', list, 'application/json');
    },
  },
  {
    name: 'tables',
    run: async (session) => {
      await seed(session, configMap('a'), configMap('b'));
      const list = configMapsOf(session);
      const get = (step: string, path: string, query: Readonly<Record<string, string>> = {}) =>
        session.send(step, 'GET', path, { query, headers: { accept: as('Table') } });
      await get('a list', list);
      await get('a page', list, { limit: '1' });
      await get('with objects', `${list}/a`, { includeObject: 'Object' });
      await get('with nothing but cells', list, { includeObject: 'None' });
      await get('with metadata', list, { includeObject: 'Metadata' });
      await get('with what there is not', list, { includeObject: 'Everything' });
      await get('nothing', list, { labelSelector: 'no=no' });
      await get('a missing object', `${list}/none`);
      await session.send('created', 'POST', list, { body: configMap('c'), headers: { accept: as('Table') } });
    },
  },
  {
    name: 'accept',
    run: async (session) => {
      await seed(session, configMap('a'));
      const path = `${configMapsOf(session)}/a`;
      for (const accept of [
        '*/*',
        'application/*',
        'application/json',
        'text/html, application/json',
        'application/xml',
        'image/png',
        'APPLICATION/JSON',
        'application/json;q=0.5',
      ])
        await session.send(accept, 'GET', path, { headers: { accept } });
    },
  },
  {
    name: 'built-in-kinds',
    run: async (session) => {
      await session.send('a pod', 'POST', podsOf(session), { body: pod('a') });
      await session.send('pods', 'GET', podsOf(session));
      await session.send('a pod that says little', 'POST', podsOf(session), {
        body: { metadata: { name: 'b' }, spec: { containers: [{ name: 'main', image: 'image:1' }] } },
      });
      await session.send('its namespace', 'GET', `/api/v1/namespaces/${session.namespace}`);
      await session.send('no events', 'GET', `/api/v1/namespaces/${session.namespace}/events`);
      await session.send('no leases', 'GET', `/apis/coordination.k8s.io/v1/namespaces/${session.namespace}/leases`);
    },
  },
];
