import { configMaps, fetchClient, informer, leases, pods, type KubeClient } from 'rx-informers';
import { controller } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { aPod, createInMemoryApiServer, recordRights, usersOf, virtualClock } from 'rx-informers/testing';
import { EMPTY } from 'rxjs';

const role = (name: string, rules: readonly object[], metadata: object = {}) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, ...metadata },
  rules,
});
const binding = (kind: string, roleRef: object, subjects: readonly object[], namespace?: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'binding', ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
  subjects,
});
const readPods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const reader = { kind: 'ClusterRole', name: 'reader' };

describe('usersOf', () => {
  it('returns a user for each subject of a binding, with the rights of the role', () => {
    const subjects = [
      { kind: 'ServiceAccount', name: 'web', namespace: 'shop' },
      { kind: 'User', name: 'alice' },
      { kind: 'Group', name: 'team' },
    ];
    const allow = [{ verbs: ['get', 'list'], groups: [''], resources: ['pods'] }];
    expect(usersOf([role('reader', [readPods]), binding('ClusterRoleBinding', reader, subjects)])).toEqual({
      web: {
        name: 'system:serviceaccount:shop:web',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
        allow,
      },
      alice: { name: 'alice', allow },
      team: { name: 'a member of team', groups: ['team'], allow },
    });
  });

  it('limits a RoleBinding to its namespace, also for a ClusterRole', () => {
    const users = usersOf([
      role('reader', [readPods]),
      binding('RoleBinding', reader, [{ kind: 'ServiceAccount', name: 'web' }], 'shop'),
    ]);
    expect(users['web']).toMatchObject({
      name: 'system:serviceaccount:shop:web',
      allow: [{ resources: ['pods'], namespaces: ['shop'] }],
    });
  });

  it('adds the rights of all bindings of a subject, reads stars as everything, and keeps names', () => {
    const alice = [{ kind: 'User', name: 'alice' }];
    const users = usersOf([
      role('reader', [readPods]),
      role('other', [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'], resourceNames: ['a'] },
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ]),
      binding('ClusterRoleBinding', reader, alice),
      binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'other' }, alice),
    ]);
    expect(users['alice']?.allow).toEqual([
      { verbs: ['get', 'list'], groups: [''], resources: ['pods'] },
      { resourceNames: ['a'] },
    ]);
  });

  it('knows cluster-admin', () => {
    const admin = { kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ kind: 'User', name: 'root' }];
    expect(usersOf([binding('ClusterRoleBinding', admin, subjects)])['root']?.allow).toBe('everything');
    expect(usersOf([binding('RoleBinding', admin, subjects, 'shop')])['root']?.allow).toEqual([
      { namespaces: ['shop'] },
    ]);
  });

  it('makes a user of each role of a manifest without bindings', () => {
    const local = { ...role('local', [readPods], { namespace: 'shop' }), kind: 'Role' };
    expect(usersOf([role('reader', [readPods]), local])).toMatchObject({
      reader: { name: 'reader', allow: [{ resources: ['pods'] }] },
      local: { name: 'local', allow: [{ resources: ['pods'], namespaces: ['shop'] }] },
    });
  });

  it('reads YAML', () => {
    const yaml = `
kind: ClusterRole
metadata: { name: reader }
rules: [{ apiGroups: [''], resources: [pods], verbs: [list] }]
---
kind: ConfigMap
metadata: { name: other }
`;
    expect(Object.keys(usersOf(yaml))).toEqual(['reader']);
  });

  it('refuses a binding to a role that the manifest does not have', () => {
    expect(() => usersOf([binding('ClusterRoleBinding', reader, [])])).toThrow(
      expect.objectContaining({
        code: 'RXI_INVALID_OPTION',
        message: expect.stringContaining('ClusterRole reader') as string,
      }) as Error,
    );
  });
});

describe('recordRights', () => {
  const start = (rules: readonly object[] = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]) => {
    const clock = virtualClock();
    const server = createInMemoryApiServer({ scheduler: clock, users: usersOf(role('me', rules)) });
    const rights = recordRights(server.clientFor('me'));
    const maps = resourceClient(rights.client, configMaps);
    return { clock, server, rights, maps };
  };
  const ignored = { error: () => undefined };
  const map = (metadata: object = {}) => ({ metadata: { name: 'a', namespace: 'default', ...metadata } });

  it('returns the verbs of all requests, for a watch also list, and for an apply also create', () => {
    const { rights, maps } = start();
    informer(rights.client, pods).connect();
    maps.get('default/a').subscribe(ignored);
    maps.apply({ ...map(), data: {} }, { fieldManager: 'me' }).subscribe();
    maps.delete('default/a').subscribe();
    resourceClient(rights.client, pods).patch('default/p', {}, { subresource: 'status' }).subscribe(ignored);
    expect(rights.rules()).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch', 'delete'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
    ]);
    expect(rights.missing()).toEqual([]);
  });

  it('puts resources with the same verbs into one rule', () => {
    const { rights, maps } = start();
    maps.get('default/a').subscribe(ignored);
    resourceClient(rights.client, leases).get('default/a').subscribe(ignored);
    resourceClient(rights.client, pods).get('default/a').subscribe(ignored);
    expect(rights.rules()).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['get'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
    ]);
  });

  it.each([
    ['Website', 'example.com/v1', 'example.com', 'websites'],
    ['NetworkPolicy', 'networking.k8s.io/v1', 'networking.k8s.io', 'networkpolicies'],
    ['Pod', 'v1', '', 'pods'],
    ['Ingress', 'networking.k8s.io/v1', 'networking.k8s.io', 'ingresses'],
  ])(
    'returns update of the finalizers of an owner whose deletion is blocked: %s',
    (kind, apiVersion, group, plural) => {
      const { rights, maps } = start();
      const ownerReferences = [{ apiVersion, kind, name: 'o', uid: 'u', blockOwnerDeletion: true }];
      maps.create(map({ ownerReferences })).subscribe(ignored);
      expect(rights.rules()).toContainEqual({
        apiGroups: [group],
        resources: [`${plural}/finalizers`],
        verbs: ['update'],
      });
    },
  );

  it.each([
    ['get', (maps) => maps.get('default/a')],
    ['delete', (maps) => maps.delete('default/a')],
    ['patch', (maps) => maps.apply({ ...map(), data: {} }, { fieldManager: 'me' })],
  ] as readonly (readonly [
    string,
    (maps: ReturnType<typeof start>['maps']) => { subscribe(observer: object): unknown },
  ])[])('names the line of YAML that a refused %s lacks', (verb, send) => {
    const { rights, maps } = start([readPods]);
    send(maps).subscribe(ignored);
    expect(rights.missing()).toEqual([`- { apiGroups: [''], resources: [configmaps], verbs: [${verb}] }`]);
  });

  it('names create for an apply that may not create, and the finalizers that a write may not block', () => {
    const { rights, maps } = start([{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]);
    maps.apply({ ...map(), data: {} }, { fieldManager: 'me' }).subscribe(ignored);
    expect(rights.missing()).toEqual(["- { apiGroups: [''], resources: [configmaps], verbs: [create] }"]);
    const second = start([{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }]);
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'o', uid: 'u', blockOwnerDeletion: true },
    ];
    second.maps.create(map({ ownerReferences })).subscribe(ignored);
    expect(second.rights.missing()).toEqual([
      '- { apiGroups: [apps], resources: [deployments/finalizers], verbs: [update] }',
    ]);
  });

  it('names delete if a write may not change owners', () => {
    const { server, rights, maps } = start([{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]);
    server.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...map({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u' }] }),
    });
    maps.patch('default/a', { metadata: { ownerReferences: null } }).subscribe(ignored);
    expect(rights.missing()).toEqual(["- { apiGroups: [''], resources: [configmaps], verbs: [delete] }"]);
  });

  it('names the granted rights that no request needed', () => {
    const { rights, maps } = start();
    maps.get('default/a').subscribe(ignored);
    const granted = role('me', [
      { apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['get', 'list'] },
      { apiGroups: ['*'], resources: ['*'], verbs: ['get'] },
      { apiGroups: ['apps'], resources: ['*'], verbs: ['get'], resourceNames: ['a b'] },
    ]);
    expect(rights.unused(granted)).toEqual([
      "- { apiGroups: [''], resources: [configmaps], verbs: [list] }",
      "- { apiGroups: [''], resources: [pods], verbs: [get, list] }",
      "- { apiGroups: [apps], resources: ['*'], resourceNames: ['a b'], verbs: [get] }",
    ]);
  });

  it('passes an apply in YAML, and bodies that cannot be read, unchanged', () => {
    const { server, rights } = start();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { blockOwnerDeletion: "true" }\n';
    const path = '/api/v1/namespaces/default/configmaps/a';
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    rights.client.exchange({ method: 'PATCH', path, headers, query: { fieldManager: 'me' }, body }).subscribe();
    expect(server.objects.get(configMaps, 'a', 'default')?.data).toEqual({ blockOwnerDeletion: 'true' });
    expect(rights.rules()).toEqual([{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }]);
  });

  it('aborts a request when its subscriber unsubscribes', () => {
    const { server, rights } = start();
    let bytes = 0;
    const watching = rights.client
      .exchange({ method: 'GET', path: '/api/v1/pods', query: { watch: true } })
      .subscribe(() => (bytes += 1));
    watching.unsubscribe();
    const before = bytes;
    server.apply(aPod({ name: 'late' }));
    expect(bytes).toBe(before);
  });

  it('needs no right for documents and for reviews of the sender', () => {
    const { rights } = start();
    for (const path of ['/version', '/api/v1', '/apis', '/healthz'])
      rights.client.exchange({ method: 'GET', path }).subscribe(ignored);
    const body = JSON.stringify({ spec: {} });
    rights.client
      .exchange({ method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body })
      .subscribe(ignored);
    expect(rights.rules()).toEqual([]);
  });

  it('keeps the check for stale caches: a run after a write waits until its cache shows the write', () => {
    const { clock, server, rights } = start();
    const runs: (string | undefined)[] = [];
    const cache = informer(rights.client, pods);
    server.apply(aPod({ name: 'p', namespace: 'default' }));
    const running = controller({
      for: cache,
      client: rights.client,
      reconcile: ({ object, client }) => {
        runs.push(object?.metadata.labels?.['seen']);
        return object?.metadata.labels?.['seen'] === 'yes'
          ? EMPTY
          : resourceClient(client, pods).patch('default/p', { metadata: { labels: { seen: 'yes' } } });
      },
    }).subscribe();
    clock.advance(10_000);
    expect(runs.filter((seen) => seen === undefined)).toHaveLength(1);
    running.unsubscribe();
  });

  it('passes on the clock, the address and the namespace of the client', () => {
    const client: KubeClient = {
      ...fetchClient({ baseUrl: 'http://localhost:1' }),
      namespace: 'shop',
      scheduler: virtualClock(),
    };
    const { client: recording } = recordRights(client);
    expect(recording).toMatchObject({ scheduler: client.scheduler, server: client.server, namespace: 'shop' });
  });
});
