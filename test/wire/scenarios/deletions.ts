import type { Scenario } from '../scenario.js';
import { configMap, configMapsOf, deployment, deploymentsOf, pod, podsOf, seed } from './objects.js';

export const deletionScenarios: readonly Scenario[] = [
  {
    name: 'delete',
    run: async (session) => {
      const path = configMapsOf(session);
      const created = await session.send('created', 'POST', path, { body: configMap('a') });
      const remove = (step: string, body?: unknown, query = {}) =>
        session.send(step, 'DELETE', `${path}/a`, { ...(body === undefined ? {} : { body }), query });
      await remove('another uid', { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } });
      await remove('another version', { preconditions: { resourceVersion: '1' } });
      await remove('an unknown policy', { propagationPolicy: 'Sideways' });
      await remove('two policies', { propagationPolicy: 'Orphan', orphanDependents: true });
      await remove('not JSON', 'nonsense');
      await remove('dry run', undefined, { dryRun: 'All' });
      await remove('dry run in the body', { dryRun: ['All'] });
      await remove('an unknown dry run', { dryRun: ['Some'] });
      await session.send('still there', 'GET', `${path}/a`);
      await remove('with its uid and version', {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { uid: created.uid, resourceVersion: created.resourceVersion },
      });
      await remove('gone');
    },
  },
  {
    name: 'delete-finalizers',
    run: async (session) => {
      const path = configMapsOf(session);
      const a = `${path}/a`;
      const headers = { 'content-type': 'application/merge-patch+json' };
      const finalizers = (step: string, list: readonly string[]) =>
        session.send(step, 'PATCH', a, { headers, body: { metadata: { finalizers: list } } });
      await session.send('created', 'POST', path, {
        body: { metadata: { name: 'a', finalizers: ['example.com/one', 'example.com/two'] } },
      });
      await session.send('deleted', 'DELETE', a);
      await session.send('deleted again', 'DELETE', a);
      await session.send('it is going', 'GET', a);
      await finalizers('one more', ['example.com/one', 'example.com/two', 'example.com/three']);
      await session.send('a change on the way', 'PATCH', a, { headers, body: { data: { last: 'words' } } });
      await finalizers('one less', ['example.com/two']);
      await finalizers('the last', []);
      await session.send('gone', 'GET', a);
    },
  },
  {
    name: 'delete-propagation',
    run: async (session) => {
      const path = deploymentsOf(session);
      for (const propagationPolicy of ['Background', 'Foreground', 'Orphan']) {
        const name = propagationPolicy.toLowerCase();
        await session.silently('POST', path, { body: deployment(name) });
        await session.send(`in the ${name}, from the body`, 'DELETE', `${path}/${name}`, {
          body: { propagationPolicy },
        });
      }
      await session.silently('POST', path, { body: deployment('by-query') });
      await session.send('from the query', 'DELETE', `${path}/by-query`, {
        query: { propagationPolicy: 'Background' },
      });
    },
  },
  {
    name: 'delete-pods',
    run: async (session) => {
      const path = podsOf(session);
      for (const body of [pod('waiting'), pod('running', 'node-1'), pod('forced', 'node-1')])
        await session.silently('POST', path, { body });
      await session.send('one that no node has', 'DELETE', `${path}/waiting`);
      await session.send('one that runs', 'DELETE', `${path}/running`);
      await session.send('it is going', 'GET', `${path}/running`);
      await session.send('without grace', 'DELETE', `${path}/forced`, { query: { gracePeriodSeconds: '0' } });
      await session.send('gone', 'GET', `${path}/forced`);
    },
  },
  {
    name: 'delete-collection',
    run: async (session) => {
      const path = configMapsOf(session);
      await seed(
        session,
        configMap('a', { app: 'web' }),
        configMap('b', { app: 'web' }),
        configMap('c'),
        configMap('d'),
      );
      const remove = (step: string, query = {}) => session.send(step, 'DELETE', path, { query });
      await remove('a malformed selector', { labelSelector: 'a in b' });
      await remove('dry run', { dryRun: 'All' });
      await remove('by label', { labelSelector: 'app=web' });
      await remove('by name', { fieldSelector: 'metadata.name=c' });
      await session.send('what is left', 'GET', path);
      await remove('all');
      await remove('nothing');
      await session.send('in all namespaces', 'DELETE', '/api/v1/configmaps');
    },
  },
];
