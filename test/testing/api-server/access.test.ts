import { configMap, configMaps, get, send, useApiServer } from './http.js';

describe('access', () => {
  const server = useApiServer({
    users: {
      admin: { name: 'admin', allow: 'everything' },
      reader: { name: 'reader', allow: [{ verbs: ['get', 'list', 'watch'] }] },
      default: { name: 'defaultuser', allow: [{ namespaces: ['default'] }] },
      nobody: { name: 'nobody', allow: [] },
    },
  });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  it('asks for a token that it knows', async () => {
    for (const headers of [{}, as('unknown'), { authorization: 'Basic abc' }]) {
      const { status, body } = await get(server(), configMaps, headers);
      expect(status).toBe(401);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  });

  it('forbids in the words of the real server', async () => {
    const list = await get(server(), '/api/v1/pods', as('nobody'));
    expect(list.status).toBe(403);
    expect(list.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods is forbidden: User "nobody" cannot list resource "pods" in API group "" at the cluster scope',
      reason: 'Forbidden',
      details: { kind: 'pods' },
      code: 403,
    });
    const one = await get(server(), '/apis/apps/v1/namespaces/x/deployments/y', as('nobody'));
    expect(one.body['message']).toBe(
      'deployments.apps "y" is forbidden: User "nobody" cannot get resource "deployments" in API group "apps" in the namespace "x"',
    );
  });

  it('allows by verb and by namespace', async () => {
    expect((await get(server(), configMaps, as('reader'))).status).toBe(200);
    expect(
      (
        await send(server(), 'POST', configMaps, {
          body: configMap('a'),
          headers: { ...as('reader'), 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(403);
    expect((await get(server(), configMaps, as('default'))).status).toBe(200);
    expect((await get(server(), '/api/v1/configmaps', as('default'))).status).toBe(403);
    expect((await get(server(), '/api/v1/configmaps', as('admin'))).status).toBe(200);
  });

  it('every user may read discovery and health', async () => {
    expect((await get(server(), '/version', as('nobody'))).status).toBe(200);
    expect((await get(server(), '/apis', as('nobody'))).status).toBe(200);
  });

  it('takes and gives rights while it runs', async () => {
    server().grant('nobody', { name: 'nobody', allow: [{ resources: ['configmaps'] }] });
    expect((await get(server(), configMaps, as('nobody'))).status).toBe(200);
    server().revoke('nobody');
    expect((await get(server(), configMaps, as('nobody'))).status).toBe(401);
  });

  it('stays closed when its last token is revoked', async () => {
    for (const token of ['admin', 'reader', 'default', 'nobody']) server().revoke(token);
    expect((await get(server(), configMaps)).status).toBe(401);
  });

  it('puts a token into its kubeconfig', () => {
    expect(server().kubeconfig('reader')).toContain('"token": "reader"');
    expect(server().kubeConfigObject()).toMatchObject({
      clusters: [{ cluster: { server: server().url } }],
      users: [{ user: { token: 'admin' } }],
    });
  });
});
