import type { Scenario } from '../scenario.js';
import { configMap, configMapsOf, deployment, deploymentsOf, pod, podsOf, seed } from './objects.js';

export const writeScenarios: readonly Scenario[] = [
  {
    name: 'create',
    run: async (session) => {
      const path = configMapsOf(session);
      const create = (step: string, body: unknown, query = {}) => session.send(step, 'POST', path, { body, query });
      await create('an object', configMap('a', { app: 'web' }));
      await create('once more', configMap('a'));
      await create('a generated name', { metadata: { generateName: 'generated-' } });
      await create('without kind and apiVersion', { metadata: { name: 'plain' } });
      await create('with fields of the server', {
        metadata: {
          name: 'own',
          uid: '00000000-0000-4000-8000-000000000000',
          generation: 7,
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          selfLink: '/x',
          annotations: { a: 'b' },
          finalizers: [],
        },
      });
      await create('with a manager', configMap('managed'), { fieldManager: 'someone' });
      await create('dry run', configMap('dry'), { dryRun: 'All' });
      await session.send('was not created', 'GET', `${path}/dry`);
      await create('dry run of one that exists', configMap('a'), { dryRun: 'All' });
    },
  },
  {
    name: 'create-refused',
    run: async (session) => {
      const path = configMapsOf(session);
      const create = (step: string, body: unknown, query = {}) => session.send(step, 'POST', path, { body, query });
      await create('no name', { metadata: {} });
      await create('a bad name', configMap('Not_A_Name'));
      await create('a name too long', configMap('n'.repeat(254)));
      await create('a bad label value', configMap('a', { app: 'not good!' }));
      await create('a bad label key', configMap('a', { 'not good!': 'x' }));
      await create('a version', { metadata: { name: 'a', resourceVersion: '1' } });
      await create('another namespace', { metadata: { name: 'a', namespace: 'other' } });
      await create('another kind', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } });
      await create('another apiVersion', { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } });
      await create('an unknown dry run', configMap('a'), { dryRun: 'Some' });
      await session.send('a namespace that is not there', 'POST', '/api/v1/namespaces/not-there/configmaps', {
        body: configMap('a'),
      });
      await session.send('to an object', 'POST', `${path}/a`, { body: configMap('a') });
    },
  },
  {
    name: 'update',
    run: async (session) => {
      const path = configMapsOf(session);
      const created = await session.send('created', 'POST', path, { body: configMap('a', { app: 'web' }) });
      const put = (step: string, metadata: object, query = {}) =>
        session.send(step, 'PUT', `${path}/a`, {
          body: { ...configMap('a'), metadata: { name: 'a', ...metadata } },
          query,
        });
      await put('without a version', {});
      await put('with the version before', { resourceVersion: created.resourceVersion });
      const current = await session.silently('GET', `${path}/a`);
      await put('with the present version', { resourceVersion: current.resourceVersion, labels: { app: 'db' } });
      await put('with version 0', { resourceVersion: '0', labels: { app: 'zero' } });
      await put('with another uid', { uid: '00000000-0000-4000-8000-000000000000' });
      await put('with its own uid', { uid: created.uid, annotations: { a: 'b' } });
      await put('with a version that is none', { resourceVersion: 'abc' });
      await put('another name', { name: 'b' });
      await put('another namespace', { namespace: 'other' });
      await put('a bad label', { labels: { app: '!' } });
      await put('dry run', { labels: { app: 'dry' } }, { dryRun: 'All' });
      await put('another manager', { labels: { app: 'web' } }, { fieldManager: 'zoe' });
      await session.send('as it is now', 'GET', `${path}/a`);
      await session.send('one that is not there', 'PUT', `${path}/none`, { body: configMap('none') });
    },
  },
  {
    name: 'status-and-generation',
    run: async (session) => {
      const path = deploymentsOf(session);
      const a = `${path}/a`;
      const headers = { 'content-type': 'application/merge-patch+json' };
      const patch = (step: string, where: string, body: object) =>
        session.send(step, 'PATCH', where, { headers, body });
      const body = { ...deployment('a'), status: { replicas: 9 } };
      await session.send('created, its status left out', 'POST', path, { body });
      await patch('a change of the spec', a, { spec: { replicas: 2 } });
      await patch('a change of labels', a, { metadata: { labels: { app: 'web' } } });
      await patch('a status past the subresource', a, { status: { replicas: 3 } });
      await patch('the status', `${a}/status`, { status: { replicas: 4 } });
      await patch('a spec through the status', `${a}/status`, { spec: { replicas: 5 } });
      await session.send('read through the status', 'GET', `${a}/status`);
      await session.send('a status that there is not', 'GET', `${configMapsOf(session)}/a/status`);
      await session.send('a subresource that there is not', 'GET', `${a}/nothing`);
      await session.send('a pod', 'POST', podsOf(session), { body: pod('p') });
      await patch('labels through the status of a pod', `${podsOf(session)}/p/status`, {
        metadata: { labels: { new: 'label' } },
        status: { phase: 'Running' },
      });
      await session.send('delete of a status', 'DELETE', `${a}/status`);
    },
  },
  {
    name: 'bodies',
    run: async (session) => {
      await seed(session, configMap('a'));
      const path = configMapsOf(session);
      const post = (step: string, body: string, type = 'application/json') =>
        session.send(step, 'POST', path, { body, headers: { 'content-type': type } });
      await post('empty', '');
      await post('not JSON', '{nonsense}');
      await post('cut off', '{"metadata": {"name": "a"');
      await post('null', 'null');
      await post('a list', '[]');
      await post('a string', '"text"');
      await post('a wrong type inside', '{"metadata": {"name": 1}}');
      await post('labels that are a list', '{"metadata": {"name": "l", "labels": []}}');
      await post('YAML', 'metadata:\n  name: from-yaml\ndata:\n  a: b\n', 'application/yaml');
      await post('bad YAML', 'metadata: {name: a', 'application/yaml');
      await post('a media type that is none', '{}', 'text/plain');
      await post('a media type that nobody knows', '{}', 'application/x-nothing');
      await post('with a charset', JSON.stringify(configMap('charset')), 'application/json; charset=utf-8');
    },
  },
];
