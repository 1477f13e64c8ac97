import { get, names, patch, post, send, summary, useApiServer, watch } from './http.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
      { name: 'v2', served: true, storage: false },
      { name: 'v3', served: false, storage: false },
    ],
  },
};
const widget = (name: string, spec: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});

describe('a CustomResourceDefinition', () => {
  const server = useApiServer();
  beforeEach(async () => {
    expect((await post(server(), definitions, widgetDefinition)).status).toBe(201);
  });

  it('is established at once, and its kind is served and discovered in every served version', async () => {
    const { body } = await get(server(), `${definitions}/widgets.example.com`);
    expect(JSON.stringify(body['status']?.['conditions'])).toContain('"type":"Established","status":"True"');
    expect((await get(server(), '/apis/example.com/v1')).body['resources']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'widgets', kind: 'Widget', shortNames: ['wd'] })]),
    );
    expect((await get(server(), '/apis/example.com/v2')).status).toBe(200);
    expect((await get(server(), '/apis/example.com/v3')).status).toBe(404);
  });

  it('serves lists whose items carry their kind', async () => {
    expect((await post(server(), widgets, widget('w'))).body).toMatchObject({ metadata: { generation: 1 } });
    const { body } = await get(server(), widgets);
    expect(body).toMatchObject({
      kind: 'WidgetList',
      apiVersion: 'example.com/v1',
      items: [{ kind: 'Widget', apiVersion: 'example.com/v1' }],
    });
  });

  it('shows one object in all versions', async () => {
    await post(server(), widgets, widget('w', { size: 1 }));
    expect((await get(server(), widgets.replace('v1', 'v2'))).body).toMatchObject({
      items: [{ apiVersion: 'example.com/v2', spec: { size: 1 } }],
    });
  });

  it('keeps status to its subresource', async () => {
    await post(server(), widgets, { ...widget('w'), status: { ready: true } });
    expect((await get(server(), `${widgets}/w`)).body['status']).toBeUndefined();
    expect((await patch(server(), `${widgets}/w/status`, { status: { ready: true } })).body['status']).toEqual({
      ready: true,
    });
  });

  it('refuses objects of another or no kind', async () => {
    expect((await post(server(), widgets, { metadata: { name: 'x' } })).status).toBe(400);
    expect((await post(server(), widgets, { ...widget('x'), kind: 'Gadget' })).body).toMatchObject({
      code: 422,
      message: 'Gadget.example.com "x" is invalid: kind: Invalid value: "Gadget": must be Widget',
    });
    expect((await patch(server(), `${widgets}/x`, {}, 'application/strategic-merge-patch+json')).status).toBe(415);
  });

  it('ends its watches and its kind when it is deleted', async () => {
    await post(server(), widgets, widget('w'));
    const stream = await watch(server(), `${widgets}?watch=true`);
    await stream.next(1);
    expect((await send(server(), 'DELETE', `${definitions}/widgets.example.com`)).status).toBe(200);
    expect(summary(await stream.rest())).toEqual(['DELETED w']);
    const gone = await get(server(), widgets);
    expect([gone.status, gone.body]).toEqual([404, '404 page not found\n']);
  });

  it('can be created again, and then knows nothing of its former life', async () => {
    await post(server(), widgets, widget('w'));
    const before = server().resourceVersion;
    await send(server(), 'DELETE', `${definitions}/widgets.example.com`);
    await post(server(), definitions, widgetDefinition);
    expect(names((await get(server(), widgets)).body)).toEqual([]);
    const stream = await watch(server(), `${widgets}?watch=true&resourceVersion=${before}`);
    expect(await stream.rest()).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });

  it('must be named after what it defines', async () => {
    const wrong = await post(server(), definitions, { ...widgetDefinition, metadata: { name: 'foo' } });
    expect(wrong.status).toBe(422);
    expect(String(wrong.body['message'])).toContain('must be spec.names.plural+"."+spec.group');
  });
});
