import { strategicMergePatch } from '../../../src/testing/api-server/write/strategic-merge-patch.js';
import type { JsonObject } from '../../../src/testing/api-server/json.js';
import { patch, post, get, send, useApiServer } from './http.js';

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
      'replaces lists it does not know',
      { spec: { tolerations: [{ key: 'a' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
    ],
    ['removes what is null', { data: { a: '1', b: '2' } }, { data: { a: null } }, { data: { b: '2' } }],
    [
      'unites sets',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['b', 'a'] } },
      { metadata: { finalizers: ['b', 'a'] } },
    ],
    [
      'takes values out of sets',
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
      'retains only the keys that are named',
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
  ])('a strategic merge patch: %s', (_what, target, change, expected) => {
    expect(strategicMergePatch(target, change)).toEqual(expected);
  });

  it('leaves what it is given untouched', () => {
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

  it('changes the spec of the object behind it', async () => {
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

  it('is not there for kinds that do not scale', async () => {
    expect((await get(server(), '/api/v1/namespaces/default/pods/p/scale')).body['message']).toBe(
      'the server could not find the requested resource',
    );
  });
});
