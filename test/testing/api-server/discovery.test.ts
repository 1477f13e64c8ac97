import { get, useApiServer } from './http.js';

describe('discovery', () => {
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

  it('answers what it does not know as the real server does', async () => {
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

  it('begins with the namespaces that every cluster has', () => {
    expect(
      server()
        .objects.list({ group: '', plural: 'namespaces' })
        .map(({ metadata }) => metadata.name),
    ).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  });
});
