import type { JsonObject } from '../../../src/testing/api-server/exchange/json.js';
import { mergeApplied } from '../../../src/testing/api-server/field-ownership/owned-fields.js';
import type { ServedResource } from '../../../src/testing/api-server/resources/catalog.js';
import { patchFunction } from '../../../src/testing/api-server/write/patch.js';
import { strategicMergePatch } from '../../../src/testing/api-server/write/strategic-merge-patch.js';
import { patch, post, get, send, useApiServer, configMap, configMaps, type Answer, type Json } from './http.js';

describe('a field named __proto__', () => {
  const server = useApiServer();

  it.each([
    ['a merge patch', 'application/merge-patch+json', '{"data":{"__proto__":"y"}}'],
    ['a strategic merge patch', 'application/strategic-merge-patch+json', '{"data":{"__proto__":"y"}}'],
    ['a JSON patch', 'application/json-patch+json', '[{"op":"add","path":"/data/__proto__","value":"y"}]'],
    [
      'server-side apply',
      'application/apply-patch+yaml',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"__proto__":"y"}}',
    ],
  ])('is stored as a field by %s', async (_, type, body) => {
    await post(server(), configMaps, '{"metadata":{"name":"a"},"data":{"other":"x"}}');
    const path = `${configMaps}/a?fieldManager=me`;
    const { body: patched } = await send(server(), 'PATCH', path, { body, headers: { 'content-type': type } });
    expect(Object.entries(patched['data']!).sort()).toEqual([
      ['__proto__', 'y'],
      ['other', 'x'],
    ]);
  });

  it.each<readonly [string, (current: JsonObject, patch: JsonObject) => unknown]>([
    ['a merge patch', (current, input) => patchFunction('application/merge-patch+json', anything)(current, input)],
    ['a strategic merge patch', strategicMergePatch],
    ['server-side apply', (current, input) => mergeApplied(current, input)],
  ])('with an object changes no prototype, and takes nothing from one, in %s', (_, apply) => {
    const input = JSON.parse('{"a":{"__proto__":{"admin":true}}}') as JsonObject;
    for (const current of [{}, { a: {} }, JSON.parse('{"a":{"__proto__":{"b":1}}}') as JsonObject]) {
      const result = apply(current, input) as { readonly a: JsonObject };
      expect(Object.getPrototypeOf(result.a)).toBe(Object.prototype);
      expect('admin' in result.a).toBe(false);
      expect(JSON.stringify(result)).toContain('"__proto__":{');
      expect(JSON.stringify(result)).toContain('"admin":true');
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

const anything = { custom: true } as ServedResource;

const pod = (...containers: readonly JsonObject[]): JsonObject => ({ spec: { containers } });

describe('strategic merge patch', () => {
  it.each<readonly [string, JsonObject, JsonObject, JsonObject]>([
    [
      'merges items of a known list by their key',
      pod({ name: 'a', image: '1' }, { name: 'b' }),
      pod({ name: 'a', image: '2' }),
      pod({ name: 'a', image: '2' }, { name: 'b' }),
    ],
    [
      'puts new items first, as the real server does',
      pod({ name: 'c', image: 'i' }),
      pod({ name: 'd', image: 'x' }),
      pod({ name: 'd', image: 'x' }, { name: 'c', image: 'i' }),
    ],
    [
      'deletes an item by directive',
      pod({ name: 'a' }, { name: 'b' }),
      pod({ name: 'a', $patch: 'delete' }),
      pod({ name: 'b' }),
    ],
    [
      'replaces a list by directive',
      pod({ name: 'a' }, { name: 'b' }),
      pod({ $patch: 'replace' }, { name: 'c' }),
      pod({ name: 'c' }),
    ],
    [
      'replaces unknown lists',
      { spec: { tolerations: [{ key: 'a' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
    ],
    ['removes null values', { data: { a: '1', b: '2' } }, { data: { a: null } }, { data: { b: '2' } }],
    [
      'merges sets',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['b', 'a'] } },
      { metadata: { finalizers: ['b', 'a'] } },
    ],
    [
      'removes values from sets',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'replaces an object by directive',
      { spec: { a: 1, b: 2 } },
      { spec: { $patch: 'replace', c: 3 } },
      { spec: { c: 3 } },
    ],
    [
      'deletes an object by directive',
      { spec: { a: { x: 1 }, b: 2 } },
      { spec: { a: { $patch: 'delete' } } },
      { spec: { b: 2 } },
    ],
    [
      'retains only the named keys',
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: {} } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate' } } },
    ],
    [
      'orders by $setElementOrder',
      pod({ name: 'a' }, { name: 'b' }),
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
          containers: [{ name: 'c' }],
        },
      },
      pod({ name: 'b' }, { name: 'c' }, { name: 'a' }),
    ],
    [
      'merges the ports of a service by port, those of a container by containerPort',
      {
        spec: {
          ports: [{ port: 80, name: 'x' }],
          containers: [{ name: 'a', ports: [{ containerPort: 1, hostPort: 2 }] }],
        },
      },
      {
        spec: {
          ports: [{ port: 80, targetPort: 8 }],
          containers: [{ name: 'a', ports: [{ containerPort: 1, protocol: 'UDP' }] }],
        },
      },
      {
        spec: {
          ports: [{ port: 80, name: 'x', targetPort: 8 }],
          containers: [{ name: 'a', ports: [{ containerPort: 1, hostPort: 2, protocol: 'UDP' }] }],
        },
      },
    ],
  ])('is applied as in Kubernetes: %s', (_what, target, change, expected) => {
    expect(strategicMergePatch(target, change)).toEqual(expected);
  });

  it('does not modify its arguments', () => {
    const target = Object.freeze(pod(Object.freeze({ name: 'a' })));
    strategicMergePatch(target, pod({ name: 'a', image: 'x' }));
    expect(target).toEqual(pod({ name: 'a' }));
  });

  it('refuses an item without its key, and an unknown directive', () => {
    expect(() => strategicMergePatch(pod({ name: 'a' }), pod({ image: 'x' }))).toThrow(
      'does not contain declared merge key: name',
    );
    expect(() => strategicMergePatch({ spec: {} }, { spec: { $patch: 'frob' } })).toThrow(
      'unknown patch type: frob in map: map[$patch:frob]',
    );
  });

  it('is served for built-in kinds', async () => {
    const server = useServer();
    const path = '/api/v1/namespaces/default/pods';
    await post(server, path, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const { body } = await patch(
      server,
      `${path}/p`,
      { spec: { containers: [{ name: 'd', image: 'x' }] } },
      'application/strategic-merge-patch+json',
    );
    expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { containers: [{ name: 'd' }, { name: 'c' }] } });
  });
  const useServer = useApiServer();
});

describe('the scale subresource', () => {
  const server = useApiServer();
  const path = '/apis/apps/v1/namespaces/default/deployments';
  beforeEach(() =>
    post(server(), path, { metadata: { name: 'd' }, spec: { replicas: 2, selector: { matchLabels: { app: 'd' } } } }),
  );

  it('shows the replicas and the selector', async () => {
    expect((await get(server(), `${path}/d/scale`)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=d' },
    });
  });

  it('changes the spec of its object', async () => {
    expect((await patch(server(), `${path}/d/scale`, { spec: { replicas: 5 } })).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 5 },
    });
    expect(
      (await send(server(), 'PUT', `${path}/d/scale`, { body: { metadata: { name: 'd' }, spec: { replicas: 7 } } }))
        .status,
    ).toBe(200);
    expect((await get(server(), `${path}/d`)).body).toMatchObject({
      metadata: { generation: 3 },
      spec: { replicas: 7 },
    });
  });

  it('does not exist for kinds that do not scale', async () => {
    expect((await get(server(), '/api/v1/namespaces/default/pods/p/scale')).body['message']).toBe(
      'the server could not find the requested resource',
    );
  });
});

describe('server-side apply', () => {
  const server = useApiServer();
  const apply = (manager: string, data: object, options = '', path = `${configMaps}/ap`): Promise<Answer> =>
    patch(
      server(),
      `${path}?fieldManager=${manager}${options}`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ap' }, data },
      'application/apply-patch+yaml',
    );
  const owners = (body: Json): readonly Json[] => body['metadata']?.['managedFields'] as unknown as readonly Json[];

  it('creates the object, and records the owners of its fields', async () => {
    const { status, body } = await apply('m1', { k: 'v' });
    expect(status).toBe(201);
    expect(owners(body)).toEqual([
      {
        manager: 'm1',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.any(String) as unknown,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:k': {} } },
      },
    ]);
  });

  it('allows several managers with their own fields', async () => {
    await apply('m1', { k: 'v' });
    const { status, body } = await apply('m2', { l: 'w' });
    expect(status).toBe(200);
    expect(body['data']).toEqual({ k: 'v', l: 'w' });
    expect(owners(body).map((entry) => [entry['manager'], entry['fieldsV1']])).toEqual([
      ['m1', { 'f:data': { 'f:k': {} } }],
      ['m2', { 'f:data': { 'f:l': {} } }],
    ]);
  });

  it('refuses to change another manager’s field, unless forced', async () => {
    await apply('m1', { k: 'v' });
    const conflict = await apply('m2', { k: 'other' });
    expect(conflict.status).toBe(409);
    expect(conflict.body).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "m1": .data.k',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.k' }] },
    });
    const forced = await apply('m2', { k: 'other' }, '&force=true');
    expect(forced.body['data']).toEqual({ k: 'other' });
    expect(owners(forced.body).map((entry) => entry['manager'])).toEqual(['m2']);
  });

  it('shares a field on which managers agree', async () => {
    await apply('m1', { k: 'v' });
    const { status, body } = await apply('m2', { k: 'v' });
    expect(status).toBe(200);
    expect(owners(body)).toHaveLength(2);
  });

  it('removes fields that its manager no longer states and no other manager owns', async () => {
    await apply('m1', { a: '1', b: '2', c: '3' });
    await apply('m2', { b: '2' });
    const { body } = await apply('m1', { c: '3' });
    expect(body['data']).toEqual({ b: '2', c: '3' });
  });

  it('creates no version if it changes nothing', async () => {
    const first = await apply('m1', { k: 'v' });
    const second = await apply('m1', { k: 'v' });
    expect(second.body['metadata']?.['resourceVersion']).toBe(first.body['metadata']?.['resourceVersion']);
  });

  it('conflicts with managers that update, and names the operation', async () => {
    await apply('m1', { l: 'w' });
    await send(server(), 'PATCH', `${configMaps}/ap`, {
      body: { data: { l: 'z', n: 'q' } },
      headers: { 'content-type': 'application/merge-patch+json', 'user-agent': 'kubectl/v1.30 (linux)' },
    });
    const conflict = await apply('m1', { l: 'w' });
    expect(conflict.body['message']).toBe('Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.l');
    expect(owners((await get(server(), `${configMaps}/ap`)).body)).toMatchObject([
      { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:data': { 'f:l': {}, 'f:n': {} } } },
    ]);
  });

  it('keeps fields of others and untouched fields', async () => {
    await apply('m1', { k: 'v', l: 'w' });
    const { body } = await patch(server(), `${configMaps}/ap`, { data: { l: 'changed' } });
    expect(owners(body).map((entry) => [entry['operation'], entry['fieldsV1']])).toEqual([
      ['Apply', { 'f:data': { 'f:k': {} } }],
      ['Update', { 'f:data': { 'f:l': {} } }],
    ]);
  });

  it('owns lists item by item if items have a key', async () => {
    const path = '/api/v1/namespaces/default/pods/ap';
    const pod = (manager: string, containers: readonly object[], options = ''): Promise<Answer> =>
      patch(
        server(),
        `${path}?fieldManager=${manager}${options}`,
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'ap' }, spec: { containers } },
        'application/apply-patch+yaml',
      );
    await pod('m1', [{ name: 'c', image: 'i', args: ['a', 'b'], ports: [{ containerPort: 80 }] }]);
    const second = await pod('m2', [
      { name: 'd', image: 'i' },
      { name: 'c', imagePullPolicy: 'Always' },
    ]);
    expect(second.body['spec']?.['containers']).toEqual([
      { name: 'd', image: 'i' },
      { name: 'c', image: 'i', args: ['a', 'b'], ports: [{ containerPort: 80 }], imagePullPolicy: 'Always' },
    ]);
    expect(owners(second.body)[1]).toMatchObject({
      manager: 'm2',
      fieldsV1: {
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': { '.': {}, 'f:imagePullPolicy': {}, 'f:name': {} },
            'k:{"name":"d"}': { '.': {}, 'f:image': {}, 'f:name': {} },
          },
        },
      },
    });
    const conflict = await pod('m2', [{ name: 'c', args: ['x'], image: 'j' }]);
    expect(conflict.body['message']).toBe(
      'Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.containers[name="c"].args\n- .spec.containers[name="c"].image',
    );
    const third = await pod('m2', [{ name: 'c', imagePullPolicy: 'Always' }]);
    expect(third.body['spec']?.['containers']).toMatchObject([{ name: 'c', imagePullPolicy: 'Always' }]);
    expect((await pod('m2', [{ name: 'c' }])).body['spec']?.['containers']).toEqual([
      { name: 'c', image: 'i', args: ['a', 'b'], ports: [{ containerPort: 80 }] },
    ]);
  });

  it('accepts only YAML or JSON with a kind, a manager and no managedFields', async () => {
    const raw = (query: string, body: string): Promise<Answer> =>
      patch(server(), `${configMaps}/ap${query}`, body, 'application/apply-patch+yaml');
    expect((await raw('', '{}')).body).toMatchObject({
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    });
    expect((await raw('?fieldManager=m', '{}')).body).toMatchObject({
      code: 400,
      message: 'invalid object type: /, Kind=',
    });
    expect((await raw('?fieldManager=m', '{')).body).toMatchObject({ code: 400, reason: 'BadRequest' });
    const owned = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ap, managedFields: []}\n';
    expect((await raw('?fieldManager=m', owned)).body).toMatchObject({
      code: 400,
      message: 'metadata.managedFields must be nil',
    });
    expect(
      (await raw('?fieldManager=m', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ap}\ndata: {from: yaml}\n'))
        .status,
    ).toBe(201);
  });

  it('records ordinary writes too, by the client’s name', async () => {
    const created = await post(server(), configMaps, configMap('a', { app: 'x' }));
    expect(owners(created.body)).toMatchObject([
      { operation: 'Update', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } } },
    ]);
    const status = await patch(server(), '/api/v1/namespaces/default/status', { metadata: { labels: { a: 'b' } } });
    expect(owners(status.body)).toMatchObject([{ subresource: 'status' }]);
  });
});
