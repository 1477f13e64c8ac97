import type { Scenario } from '../scenario.js';
import type { Session } from '../session.js';
import { isEstablished, waitUntil } from './objects.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(group: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList', shortNames: ['gd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

async function install(
  session: Session,
): Promise<{ readonly group: string; readonly gadgets: string; readonly name: string }> {
  const group = `${session.unique}.example.com`;
  const name = `${definitions}/gadgets.${group}`;
  const gadgets = `/apis/${group}/v1/namespaces/${session.namespace}/gadgets`;
  const { status } = await session.silently('POST', definitions, { body: definition(group) });
  if (status !== 201) throw new Error('the definition could not be created');
  await waitUntil(session, name, isEstablished);
  await waitUntil(session, gadgets, (reply) => reply.status === 200);
  await waitUntil(session, `/apis/${group}/v1`, (reply) => reply.status === 200);
  return { group, gadgets, name };
}

const gadget = (session: Session, name: string, size = 1, metadata: object = {}): object => ({
  apiVersion: `${session.unique}.example.com/v1`,
  kind: 'Gadget',
  metadata: { name, ...metadata },
  spec: { size },
});

export const customResourceScenarios: readonly Scenario[] = [
  {
    name: 'custom-resource-definitions',
    run: async (session) => {
      const group = `${session.unique}.example.com`;
      const name = `${definitions}/gadgets.${group}`;
      await session.send('not served yet', 'GET', `/apis/${group}/v1/gadgets`);
      await session.send('created', 'POST', definitions, { body: definition(group) });
      await waitUntil(session, name, isEstablished);
      await waitUntil(session, `/apis/${group}/v1/gadgets`, (reply) => reply.status === 200);
      await waitUntil(session, `/apis/${group}/v1`, (reply) => reply.status === 200);
      await waitUntil(session, `/apis/${group}`, (reply) => reply.status === 200);
      await session.send('established', 'GET', name);
      await session.send('its group', 'GET', `/apis/${group}`);
      await session.send('its resources', 'GET', `/apis/${group}/v1`);
      await session.send('another version', 'GET', `/apis/${group}/v2`);
      await session.send('nothing there', 'GET', `/apis/${group}/v1/gadgets`);
      await session.send('created again', 'POST', definitions, { body: definition(group) });
      await session.send('a name that does not fit', 'POST', definitions, {
        body: { ...definition(group), metadata: { name: 'other.example.com' } },
      });
      await session.send('deleted', 'DELETE', name);
      await waitUntil(session, name, (reply) => reply.status === 404);
      await waitUntil(session, `/apis/${group}/v1/gadgets`, (reply) => reply.status === 404);
      await session.send('no longer served', 'GET', `/apis/${group}/v1/gadgets`);
      await session.send('no longer there', 'GET', name);
    },
  },
  {
    name: 'custom-resources',
    run: async (session) => {
      const { gadgets, name } = await install(session);
      const one = `${gadgets}/one`;
      const patch = (step: string, path: string, body: unknown, type = 'merge-patch+json', query = {}) =>
        session.send(step, 'PATCH', path, { body, query, headers: { 'content-type': `application/${type}` } });
      const post = (step: string, body: unknown) => session.send(step, 'POST', gadgets, { body });
      await session.send('an empty list', 'GET', gadgets);
      const created = await post('created', { ...gadget(session, 'one'), status: { size: 9 } });
      await post('created again', gadget(session, 'one'));
      await post('without kind', { metadata: { name: 'two' } });
      await post('of another kind', { ...gadget(session, 'two'), kind: 'Widget' });
      await post('of another version', { ...gadget(session, 'two'), apiVersion: 'v1' });
      await post('a bad name', gadget(session, 'Not_A_Name'));
      await patch('a change of the spec', one, { spec: { size: 2 } });
      await patch('a change of labels', one, { metadata: { labels: { app: 'web' } } });
      await patch('the status', `${one}/status`, { status: { size: 2 }, metadata: { labels: { app: 'no' } } });
      await patch('strategic', one, {}, 'strategic-merge-patch+json');
      await patch('a test that fails', one, [{ op: 'test', path: '/spec/size', value: 9 }], 'json-patch+json');
      await patch('applied', one, gadget(session, 'one', 3), 'apply-patch+yaml', { fieldManager: 'ann' });
      await patch('applied by force', one, gadget(session, 'one', 3), 'apply-patch+yaml', {
        fieldManager: 'ann',
        force: 'true',
      });
      await session.send('replaced without a version', 'PUT', one, { body: gadget(session, 'one', 4) });
      await session.send('replaced with an old version', 'PUT', one, {
        body: gadget(session, 'one', 4, { resourceVersion: created.resourceVersion }),
      });
      await session.send('its scale', 'GET', `${one}/scale`);
      await session.send('a list', 'GET', gadgets);
      await session.send('a table', 'GET', gadgets, {
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      });
      await session.send('metadata', 'GET', gadgets, {
        headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
      });
      await session.send('an unknown field', 'GET', gadgets, { query: { fieldSelector: 'spec.size=1' } });
      const watch = await session.watch('watched', gadgets, { query: { resourceVersion: created.resourceVersion } });
      await session.send('deleted', 'DELETE', one);
      await session.send('a missing one', 'GET', one);
      await watch.take(5);
      watch.close();
      await session.silently('DELETE', name);
    },
  },
];
