import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';

// Runs in a project that has only rx-informers and rxjs.
for (const name of ['selfsigned', 'yaml', 'ws']) assert(!existsSync(`node_modules/${name}`), `${name} is installed`);

const { fromEvents, informer, resource } = await import('rx-informers');
const widgets = resource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true });
const widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'default', resourceVersion: '1' },
};
const listed = { type: 'LISTED', items: [widget], resourceVersion: '1' };
const cache = informer(fromEvents([[listed]]));
cache.connect();
await cache.whenSynced();
assert.equal(cache.list().length, 1);

const { controller, workqueue } = await import('rx-informers/controller');
assert.equal(typeof controller, 'function');
assert.equal(typeof workqueue, 'function');

const { createApiServer } = await import('rx-informers/testing');
const server = await createApiServer({ resources: [widgets] });
server.apply(JSON.stringify(widget));
assert.equal(server.objects.list(widgets).length, 1);
assert.throws(() => server.apply('kind: Widget'), {
  code: 'RXI_MISSING_PACKAGE',
  message: /npm install --save-dev yaml/,
});
await assert.rejects(createApiServer({ tls: true }), {
  code: 'RXI_MISSING_PACKAGE',
  message: /npm install --save-dev selfsigned/,
});
const response = await fetch(`${server.url}/apis/example.com/v1/namespaces/default/widgets/a`, {
  method: 'PATCH',
  headers: { 'content-type': 'application/json-patch+json' },
  body: '[{"op":"add","path":"/spec","value":{}}]',
});
assert.equal(response.status, 200);
await server.close();

writeFileSync('crd.yaml', 'kind: CustomResourceDefinition');
const types = spawnSync('npx', ['rx-informers', 'types', 'crd.yaml', '-o', 'types'], { encoding: 'utf8' });
assert.equal(types.status, 1);
assert.match(types.stderr, /npm install --save-dev yaml/);
