import type { Scenario } from '../scenario.js';
import type { Session } from '../session.js';
import { isEstablished, podsOf, resources, waitUntil } from './objects.js';

/**
 * A pod with unknown fields, with duplicate fields, and with a duplicate field inside an unknown
 * field.
 */
const carelessPod = `{
  "apiVersion": "v1", "kind": "Pod",
  "metadata": { "name": "careless", "colour": 1, "labels": { "app": "a", "app": "b" } },
  "spec": {
    "hurry": { "a": 1, "a": 2 },
    "containers": [
      { "name": "first", "image": "a", "imgae": "b", "name": "main", "resources": { "limits": { "cpu": "1" } } },
      { "name": "second", "image": "b", "resources": { "limits": { "cpu": "1" } }, "ports": [{ "containerPort": 80, "colour": "red" }] }
    ],
    "hurry": 3
  },
  "more": {}
}`;

const containers = [{ name: 'main', image: 'a', resources }];
const pod = (name: string, fields: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  ...fields,
});

const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        rows: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

/** Installs a resource whose definition lists its fields. */
async function installWidgets(session: Session): Promise<{ readonly group: string; readonly widgets: string }> {
  const group = `${session.unique}.example.com`;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: widgetSchema } }],
    },
  };
  await session.silently('POST', definitions, { body });
  const widgets = `/apis/${group}/v1/namespaces/${session.namespace}/widgets`;
  await waitUntil(session, `${definitions}/widgets.${group}`, isEstablished);
  await waitUntil(session, widgets, (reply) => reply.status === 200);
  return { group, widgets };
}

export const fieldValidationScenarios: readonly Scenario[] = [
  {
    name: 'field-validation',
    run: async (session) => {
      const path = podsOf(session);
      const create = (step: string, body: unknown, fieldValidation?: string, type = 'application/json') =>
        session.send(step, 'POST', path, {
          body,
          headers: { 'content-type': type },
          query: { dryRun: 'All', ...(fieldValidation === undefined ? {} : { fieldValidation }) },
        });
      await create('by default', carelessPod);
      await create('warn', carelessPod, 'Warn');
      await create('strict', carelessPod, 'Strict');
      await create('ignore', carelessPod, 'Ignore');
      await create('a directive that there is not', carelessPod, 'Maybe');
      await create('nothing wrong', pod('plain', { spec: { containers } }), 'Strict');
      await create('letters of another case', pod('case', { spec: { Containers: [] } }), 'Strict');
      const yaml = `metadata: { name: a, name: b }\nspec: ${JSON.stringify({ hurry: 1, containers })}\n`;
      await create('YAML', yaml, 'Strict', 'application/yaml');
      await create('YAML, warned', yaml, 'Warn', 'application/yaml');
      await create('a list that is none', pod('a', { spec: { containers: 'none' } }));
      await create('an object that is none', pod('a', { spec: { affinity: 'none' } }));
      await create('a spec that is none', pod('a', { spec: 'none' }));
      await create('a string that is none', pod('a', { spec: { containers: [{ name: 1 }] } }));
      await create('a boolean that is none', pod('a', { spec: { hostNetwork: 'yes' } }));
      await create('a number that is none', pod('a', { spec: { priority: 'high' } }));
      await create('half a second', pod('a', { spec: { terminationGracePeriodSeconds: 1.5 } }));
      await create('a map of strings that is none', pod('a', { spec: { nodeSelector: { disk: true } } }));
      await create('a wrong type beside an unknown field', pod('a', { spec: { hurry: 1, hostNetwork: 1 } }), 'Strict');
    },
  },
  {
    name: 'field-validation-patches',
    run: async (session) => {
      const path = podsOf(session);
      await session.silently('POST', path, { body: pod('a', { spec: { containers } }) });
      const patch = (step: string, type: string, body: unknown, fieldValidation: string, name = 'a') =>
        session.send(step, 'PATCH', `${path}/${name}`, {
          body,
          headers: { 'content-type': `application/${type}` },
          query: { dryRun: 'All', fieldManager: 'wire', fieldValidation },
        });
      const merge = '{ "spec": { "hurry": 1, "hurry": 2 } }';
      const strategic = '{ "spec": { "hurry": 1, "hurry": 2, "containers": [{ "name": "main", "imgae": "b" }] } }';
      const operations =
        '[{ "op": "add", "path": "/spec/hurry", "value": 1, "valeu": 2 }, { "op": "add", "op": "add", "path": "/spec/hurry", "value": 2 }]';
      for (const directive of ['Warn', 'Strict', 'Ignore']) {
        await patch(`merge, ${directive}`, 'merge-patch+json', merge, directive);
        await patch(`strategic, ${directive}`, 'strategic-merge-patch+json', strategic, directive);
        await patch(`JSON patch, ${directive}`, 'json-patch+json', operations, directive);
      }
      await patch('merge, a wrong type', 'merge-patch+json', { spec: { hostNetwork: 1 } }, 'Warn');
      const apply = (step: string, body: unknown, directive: string) =>
        patch(step, 'apply-patch+yaml', body, directive, 'b');
      for (const [field, value] of Object.entries({
        hurry: 1,
        hostNetwork: 1,
        priority: 'high',
        affinity: 'none',
        tolerations: 'none',
        containers: [{ name: 'main', image: 1 }],
      })) {
        await apply(`apply, ${field}`, pod('b', { spec: { [field]: value } }), 'Ignore');
      }
      const port = { containerPort: 80, colour: 'red' };
      await apply('apply, a port', pod('b', { spec: { containers: [{ name: 'main', ports: [port] }] } }), 'Warn');
      const list = `containers: ${JSON.stringify(containers)}`;
      const twice = `apiVersion: v1\nkind: Pod\nmetadata: { name: b }\nspec:\n  ${list}\n  ${list}\n`;
      await apply('apply, twice, Strict', twice, 'Strict');
      await apply('apply, twice, Warn', twice, 'Warn');
      await apply('apply, twice, Ignore', twice, 'Ignore');
    },
  },
  {
    name: 'field-validation-custom-resources',
    run: async (session) => {
      const { group, widgets } = await installWidgets(session);
      const careless = `{
        "apiVersion": "${group}/v1", "kind": "Widget", "metadata": { "name": "a", "colour": 1 }, "zest": 1,
        "spec": {
          "size": 1, "hurry": 1, "size": 2, "free": { "any": 1, "known": { "a": "b", "c": 1 } },
          "rows": [{ "name": "1", "colour": 2 }], "labels": { "a": "b" }
        },
        "status": {}
      }`;
      for (const fieldValidation of ['Strict', 'Ignore', 'Warn']) {
        const query = { fieldValidation, ...(fieldValidation === 'Warn' ? {} : { dryRun: 'All' }) };
        await session.send(fieldValidation, 'POST', widgets, { body: careless, query });
      }
      await session.send('as it is', 'GET', `${widgets}/a`);
      for (const fieldValidation of ['Strict', 'Warn']) {
        await session.send(`patch, ${fieldValidation}`, 'PATCH', `${widgets}/a`, {
          body: '{ "spec": { "hurry": 1, "size": 5, "size": 6 } }',
          headers: { 'content-type': 'application/merge-patch+json' },
          query: { fieldValidation },
        });
      }
      await session.send('apply', 'PATCH', `${widgets}/b`, {
        body: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'b' }, spec: { hurry: 1 } },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        query: { fieldManager: 'wire' },
      });
    },
  },
];
