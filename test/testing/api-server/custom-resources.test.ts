import fc from 'fast-check';
import { createInMemoryApiServer } from 'rx-informers/testing';
import { fieldProblems } from '../../../src/testing/api-server/schema/check-fields.js';
import { get, names, patch, post, send, summary, useApiServer, watch, configMaps } from './http.js';

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

describe('a CustomResourceDefinition in the embedded API server', () => {
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

  it('is no longer served when its last version is not, and takes its objects with it when it is deleted', async () => {
    await post(server(), widgets, widget('w'));
    const versions = widgetDefinition.spec.versions.map((version) => ({ ...version, served: false }));
    await patch(server(), `${definitions}/widgets.example.com`, { spec: { versions } });
    expect((await get(server(), widgets)).status).toBe(404);
    await send(server(), 'DELETE', `${definitions}/widgets.example.com`);
    expect((await get(server(), `${definitions}/widgets.example.com`)).status).toBe(404);
    await post(server(), definitions, widgetDefinition);
    expect(names((await get(server(), widgets)).body)).toEqual([]);
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

  it('changes status only through its subresource', async () => {
    await post(server(), widgets, { ...widget('w'), status: { ready: true } });
    expect((await get(server(), `${widgets}/w`)).body['status']).toBeUndefined();
    expect((await patch(server(), `${widgets}/w/status`, { status: { ready: true } })).body['status']).toEqual({
      ready: true,
    });
  });

  it('refuses objects without a kind or of another kind', async () => {
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

  it('can be created again, without the objects from before', async () => {
    await post(server(), widgets, widget('w'));
    const before = server().resourceVersion;
    await send(server(), 'DELETE', `${definitions}/widgets.example.com`);
    await post(server(), definitions, widgetDefinition);
    expect(names((await get(server(), widgets)).body)).toEqual([]);
    const stream = await watch(server(), `${widgets}?watch=true&resourceVersion=${before}`);
    expect(await stream.rest()).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });

  it('must be named after its resource and group', async () => {
    const wrong = await post(server(), definitions, { ...widgetDefinition, metadata: { name: 'foo' } });
    expect(wrong.status).toBe(422);
    expect(String(wrong.body['message'])).toContain('must be spec.names.plural+"."+spec.group');
  });
});

const warnings = (headers: Headers): readonly string[] =>
  [...(headers.get('warning') ?? '').matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!) as string,
  );

describe('a write with unknown fields', () => {
  const server = useApiServer();
  const careless = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"1","k":"2"},"dtaa":{}}';

  it('succeeds with a warning for each, and stores the object without them', async () => {
    const created = await post(server(), configMaps, careless);
    expect(created.status).toBe(201);
    expect(warnings(created.headers)).toEqual(['duplicate field "data.k"', 'unknown field "dtaa"']);
    expect((await get(server(), `${configMaps}/a`)).body).toMatchObject({ data: { k: '2' } });
    expect((await get(server(), `${configMaps}/a`)).body).not.toHaveProperty('dtaa');
  });

  it('is refused with strict validation', async () => {
    const refused = await post(server(), `${configMaps}?fieldValidation=Strict`, careless);
    expect([refused.status, refused.body['message']]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k", unknown field "dtaa"',
    ]);
    expect(server().objects.list({ group: '', plural: 'configmaps' })).toEqual([]);
  });

  it('succeeds without a warning with validation ignored', async () => {
    const created = await post(server(), `${configMaps}?fieldValidation=Ignore`, careless);
    expect([created.status, created.headers.get('warning')]).toEqual([201, null]);
  });

  it('is handled the same as an update and as a patch', async () => {
    await post(server(), configMaps, { metadata: { name: 'a' } });
    const updated = await send(server(), 'PUT', `${configMaps}/a`, { body: careless });
    expect(warnings(updated.headers)).toHaveLength(2);
    const patched = await patch(server(), `${configMaps}/a`, { dtaa: { x: 1 } });
    expect(warnings(patched.headers)).toEqual(['unknown field "dtaa"']);
    const refused = await patch(server(), `${configMaps}/a?fieldValidation=Strict`, { dtaa: {} });
    expect([refused.status, refused.body['message']]).toEqual([
      422,
      expect.stringContaining('strict decoding error: unknown field "dtaa"'),
    ]);
  });

  it('has its warnings in a header that every client can read, with any field names', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`unknown-${index}-${'x'.repeat(40)}`, 1]),
    );
    const created = await post(server(), configMaps, { metadata: { name: 'a' }, 'é☃\n\u007f"\\': 1, ...many });
    expect(created.status).toBe(201);
    expect(created.headers.get('warning')!.length).toBeLessThan(5000);
  });

  it('keeps a field named __proto__ of a map, and changes no prototype', async () => {
    const created = await post(server(), configMaps, '{"metadata":{"name":"a"},"data":{"__proto__":"x"},"dtaa":1}');
    expect(Object.entries(created.body['data']!)).toEqual([['__proto__', 'x']]);
  });

  it('is not validated if the test itself stores objects', () => {
    const memory = createInMemoryApiServer();
    memory.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, dtaa: 1 });
    expect(memory.objects.list({ group: '', plural: 'configmaps' })).toMatchObject([{ dtaa: 1 }]);
    memory.stop();
  });
});

describe('duplicate fields of a JSON text', () => {
  it('are found anywhere, as by a parser that keeps every field', () => {
    const key = fc.constantFrom('a', 'b', 'c"d', 'e\\', '{', '');
    const { value } = fc.letrec<{ value: Node }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Node>({ leaf: 1 }, { leaf: '":,{}[]' }, { leaf: null }),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => ({ items })),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((fields) => ({ fields })),
      ),
    }));
    fc.assert(
      fc.property(value, (node) => {
        const found = fieldProblems(textOf(node), new Set()).map(({ path, problem }) => `${problem} ${path}`);
        expect(found).toEqual(duplicatesIn(node, ''));
      }),
      { numRuns: 150 },
    );
  });
});

/** A JSON value in which an object may have a field twice. */
type Node =
  | { readonly leaf: unknown }
  | { readonly items: readonly Node[] }
  | { readonly fields: readonly (readonly [string, Node])[] };

function textOf(node: Node): string {
  if ('leaf' in node) return JSON.stringify(node.leaf);
  if ('items' in node) return `[ ${node.items.map(textOf).join(' , ')}]`;
  return `{${node.fields.map(([key, value]) => ` ${JSON.stringify(key)} :${textOf(value)}`).join(',')}}`;
}

function duplicatesIn(node: Node, path: string): readonly string[] {
  if ('leaf' in node) return [];
  if ('items' in node) return node.items.flatMap((item, index) => duplicatesIn(item, `${path}[${index}]`));
  return node.fields.flatMap(([key, value], index) => {
    const inside = path === '' ? key : `${path}.${key}`;
    const again = node.fields.slice(0, index).some(([other]) => other === key);
    return [...(again ? [`duplicate ${inside}`] : []), ...duplicatesIn(value, inside)];
  });
}
