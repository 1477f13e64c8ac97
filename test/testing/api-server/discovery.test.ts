import type { Resource } from 'rx-informers';
import * as resources from 'rx-informers/resources';
import { anyObject, createInMemoryApiServer, createApiServer, type ApiServer } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { builtInKinds } from '../../../src/testing/api-server/resources/catalog.js';
import { get, useApiServer, type Json } from './http.js';
import { decodeFields, type Fields } from './protobuf.js';

const stable = (Object.values(resources) as readonly Resource<unknown>[]).filter(({ version }) =>
  /^v\d+$/.test(version),
);

describe('the kinds that the embedded API server serves', () => {
  it.each(stable.map((resource) => [`${resource.group}/${resource.version} ${resource.plural}`, resource] as const))(
    'include every stable descriptor: %s',
    (_name, resource) => {
      const served = builtInKinds.find(
        ({ group, version, plural }) =>
          group === resource.group && version === resource.version && plural === resource.plural,
      );
      expect(served).toMatchObject({ kind: resource.kind, namespaced: resource.namespaced });
    },
  );

  it('can be extended by any descriptor', () => {
    const widgets: Resource<unknown> = {
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    };
    const server = createInMemoryApiServer({ resources: [widgets, resources.pods] });
    const [widget] = server.apply(anyObject(widgets, { name: 'w' }));
    expect(widget?.metadata.resourceVersion).toBe(server.resourceVersion);
    expect(server.objects.list(widgets)).toHaveLength(1);
  });

  it('return the same error as the real server for an unknown path', () => {
    expect(() => createInMemoryApiServer().apply({ apiVersion: 'x/v1', kind: 'Y', metadata: { name: 'z' } })).toThrow(
      'no matches for kind "Y" in version "x/v1"',
    );
    expect(() => createInMemoryApiServer().apply('just text')).toThrow(
      'an argument of server.apply must be an object with apiVersion, kind and metadata.name',
    );
  });
});

describe('discovery of the embedded API server', () => {
  const server = useApiServer();

  it('returns the versions of the core group, the groups and their resources', async () => {
    expect((await get(server(), '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = (await get(server(), '/apis')).body;
    expect(groups).toMatchObject({ kind: 'APIGroupList' });
    expect(JSON.stringify(groups)).toContain('"groupVersion":"apps/v1"');
    expect((await get(server(), '/apis/apps')).body).toMatchObject({
      kind: 'APIGroup',
      name: 'apps',
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    const apps = (await get(server(), '/apis/apps/v1')).body;
    expect(apps).toMatchObject({ kind: 'APIResourceList', groupVersion: 'apps/v1' });
    expect(apps['resources']).toEqual(
      expect.arrayContaining([
        {
          name: 'deployments',
          singularName: 'deployment',
          namespaced: true,
          kind: 'Deployment',
          verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
          shortNames: ['deploy'],
          categories: ['all'],
        },
        {
          name: 'deployments/status',
          singularName: '',
          namespaced: true,
          kind: 'Deployment',
          verbs: ['get', 'patch', 'update'],
        },
        expect.objectContaining({ name: 'deployments/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' }),
      ]),
    );
  });

  it('returns its version and that it is healthy', async () => {
    expect((await get(server(), '/version')).body).toMatchObject({ major: '1' });
    expect((await get(server(), '/readyz')).body).toBe('ok');
  });

  it('responds to unknown paths like the real server', async () => {
    const group = await get(server(), '/apis/foo/v1/bars');
    expect([group.status, group.headers.get('content-type'), group.body]).toEqual([
      404,
      'text/plain; charset=utf-8',
      '404 page not found\n',
    ]);
    const resource = await get(server(), '/api/v1/bars');
    expect([resource.status, resource.body['message']]).toEqual([
      404,
      'the server could not find the requested resource',
    ]);
  });

  it('contains the namespaces that every cluster has', () => {
    expect(
      server()
        .objects.list({ group: '', plural: 'namespaces' })
        .map(({ metadata }) => metadata.name),
    ).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  });
});

const withoutTypes = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'];

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'Something to show.',
            properties: {
              spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer', nullable: true } } },
              open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} } },
            },
          },
        },
      },
    ],
  },
};

describe('the OpenAPI documents of the embedded API server', () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await createApiServer();
    server.apply(definition);
  });
  afterAll(() => server.close());

  const documents = async (): Promise<ReadonlyMap<string, Json>> => {
    const index = (await get(server, '/openapi/v3')).body;
    const entries = Object.entries(index['paths'] as unknown as Readonly<Record<string, Json>>);
    const read = entries.map(async ([name, { serverRelativeURL }]) => {
      const { status, body } = await get(server, String(serverRelativeURL));
      expect(status).toBe(200);
      return [name, body] as const;
    });
    return new Map(await Promise.all(read));
  };

  it('describe every served resource, with its kind and the validation of its writes', async () => {
    const all = await documents();
    expect([...all.keys()]).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/example.com/v1']));
    for (const { group, version, plural, kind, namespaced } of builtInKinds) {
      const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const paths = all.get(root)?.['paths'];
      const patch = paths?.[`/${root}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}/{name}`]?.['patch'];
      expect(patch).toMatchObject({ 'x-kubernetes-group-version-kind': { group, version, kind } });
      expect(JSON.stringify(patch?.['parameters'])).toContain('fieldValidation');
      const ofKind = Object.values(all.get(root)?.['components']?.['schemas'] ?? {}).filter((schema) =>
        JSON.stringify(schema['x-kubernetes-group-version-kind'] ?? '').includes(`"kind":"${kind}"`),
      );
      expect(ofKind).toHaveLength(1);
      // The installed client-node has no types for two kinds.
      const fields = withoutTypes.includes(kind)
        ? { 'x-kubernetes-preserve-unknown-fields': true }
        : { properties: { metadata: {}, kind: { type: 'string' } } };
      expect(ofKind[0]).toMatchObject({ type: 'object', ...fields });
    }
  });

  it('contain every schema that they refer to', async () => {
    const v2 = (await get(server, '/openapi/v2')).body;
    const v3 = [...(await documents()).values()];
    for (const document of [v2, ...v3]) {
      const schemas = document['definitions'] ?? document['components']?.['schemas'] ?? {};
      const prefix = document === v2 ? '#/definitions/' : '#/components/schemas/';
      const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
      const missing = references.filter((reference) => schemas[String(reference).slice(prefix.length)] === undefined);
      expect([...new Set(missing)]).toEqual([]);
    }
  });

  it('describe how kubectl apply merges lists', async () => {
    const schemas = (await get(server, '/openapi/v3/api/v1')).body['components']?.['schemas'];
    expect(schemas?.['io.k8s.v1.Container']).toMatchObject({
      required: ['name'],
      properties: {
        env: { type: 'array', 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' },
        ports: { 'x-kubernetes-patch-merge-key': 'containerPort' },
        args: { type: 'array', items: { type: 'string' } },
      },
    });
    expect(schemas?.['io.k8s.v1.ServicePort']).toBeDefined();
    expect(schemas?.['io.k8s.v1.EndpointSubset']?.['properties']?.['addresses']).not.toHaveProperty([
      'x-kubernetes-patch-merge-key',
    ]);
  });

  it('describe a custom resource as in its definition, and drop it with the definition', async () => {
    const own = await createApiServer();
    own.apply(definition);
    const widget = (await get(own, '/openapi/v3/apis/example.com/v1')).body['components']?.['schemas']?.[
      'com.example.v1.Widget'
    ];
    expect(widget).toMatchObject({
      description: 'Something to show.',
      properties: { spec: { properties: { size: { type: 'integer', nullable: true } } }, metadata: {} },
    });
    own.remove({ group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' }, 'widgets.example.com');
    expect((await get(own, '/openapi/v3/apis/example.com/v1')).status).toBe(404);
    expect(JSON.stringify((await get(own, '/openapi/v2')).body)).not.toContain('Widget');
    await own.close();
  });

  it('contain in version 2 only what that version supports', async () => {
    const widget = (await get(server, '/openapi/v2')).body['definitions']?.['com.example.v1.Widget'];
    expect(widget?.['properties']).toEqual({
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: '#/definitions/io.k8s.v1.ObjectMeta' },
      open: { 'x-kubernetes-preserve-unknown-fields': true },
      spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
    });
  });

  it('are the same in protobuf, which is what kubectl reads', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const response = await fetch(`${server.url}/openapi/v2`, { headers: { accept } });
    expect(response.headers.get('content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    const document = decodeFields(new Uint8Array(await response.arrayBuffer()));
    const json = (await get(server, '/openapi/v2')).body;
    expect(document.text(1)).toBe('2.0');
    const definitions = document.message(9).messages(1);
    expect(Object.fromEntries(definitions.map((entry) => [entry.text(1), schemaOf(entry.message(2))]))).toEqual(
      json['definitions'],
    );
    const paths = document.message(8).messages(2);
    expect(paths.map((entry) => entry.text(1))).toEqual(Object.keys(json['paths'] as object));
    const patch = paths.find((entry) => entry.text(1) === '/api/v1/namespaces/{namespace}/pods/{name}')!;
    const parameters = patch.message(2).message(8).messages(8);
    expect(parameters.map((parameter) => parameter.message(1).message(2).message(3).text(4))).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
  });

  it('are also served in memory', async () => {
    const memory = createInMemoryApiServer();
    const parts = await firstValueFrom(memory.client.exchange({ method: 'GET', path: '/openapi/v3' }));
    expect(parts).toMatchObject({ type: 'head', status: 200 });
    memory.stop();
  });
});

/** A `Schema` message as the JSON that it stands for. */
function schemaOf(message: Fields): object {
  const named = (fields: Fields): object =>
    Object.fromEntries(fields.messages(1).map((entry) => [entry.text(1), schemaOf(entry.message(2))]));
  return {
    ...(message.has(1) ? { $ref: message.text(1) } : {}),
    ...(message.has(2) ? { format: message.text(2) } : {}),
    ...(message.has(4) ? { description: message.text(4) } : {}),
    ...(message.has(19) ? { required: message.texts(19) } : {}),
    ...(message.has(21) ? { additionalProperties: schemaOf(message.message(21).message(1)) } : {}),
    ...(message.has(22) ? { type: message.message(22).text(1) } : {}),
    ...(message.has(23) ? { items: schemaOf(message.message(23).message(1)) } : {}),
    ...(message.has(25) ? { properties: named(message.message(25)) } : {}),
    ...Object.fromEntries(
      message.messages(31).map((entry) => [entry.text(1), JSON.parse(entry.message(2).text(2)) as unknown]),
    ),
  };
}
