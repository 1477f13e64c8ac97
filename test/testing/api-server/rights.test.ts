import { configMaps, pods } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { aConfigMap, aDeployment, createInMemoryApiServer, type AllowRule, type ApiUser } from 'rx-informers/testing';

type Groups = Readonly<Record<string, ApiUser['allow']>>;

/** A server with the users bob, who has the given rights, and admin. */
function serverWith(allow: readonly AllowRule[], groups: Groups = {}) {
  const server = createInMemoryApiServer({
    users: {
      bob: { name: 'bob', groups: ['developers'], allow },
      admin: { name: 'admin', allow: 'everything' },
    },
    groups,
  });
  server.apply(aDeployment({ name: 'd', namespace: 'default' }));
  /** Sends a request and returns its status code, the message, and the status of the object. */
  const send = (
    token: string,
    method: KubeRequest['method'],
    path: string,
    body: object = {},
    { type = 'application/json', query = {}, headers = {} } = {},
  ) => {
    const answer = { code: 0, message: '', status: undefined as unknown };
    server
      .clientFor(token)
      .exchange({
        method,
        path,
        query,
        headers: { 'content-type': type, ...headers },
        body: method === 'GET' ? '' : JSON.stringify(body),
      })
      .subscribe({
        next: (part) => {
          if (part.type === 'head') answer.code = part.status;
          else
            answer.status = (JSON.parse(new TextDecoder().decode(part.bytes)) as { readonly status?: unknown }).status;
        },
        error: (error: { readonly statusCode: number; readonly status: { readonly message: string } }) => {
          answer.code = error.statusCode;
          answer.message = error.status.message;
        },
      });
    return answer;
  };
  return { server, send };
}

const maps = '/api/v1/namespaces/default/configmaps';
const apply = { type: 'application/apply-patch+yaml', query: { fieldManager: 'test' } };
const merge = { type: 'application/merge-patch+json' };
const owner = (blockOwnerDeletion: boolean, kind = 'Deployment') => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'd', uid: 'u', blockOwnerDeletion }],
});
const configMap = (metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
});

describe('a rule of the embedded API server with names of objects', () => {
  const { send } = serverWith([{ resources: ['configmaps'], resourceNames: ['a'] }]);

  it.each([
    ['get', 'GET', `${maps}/a`, {}, 404],
    ['get of another name', 'GET', `${maps}/b`, {}, 403],
    ['list', 'GET', maps, {}, 403],
    ['list by name', 'GET', maps, { fieldSelector: 'metadata.name=a' }, 200],
    ['list by another name', 'GET', maps, { fieldSelector: 'metadata.name=b' }, 403],
    ['list by two fields', 'GET', maps, { fieldSelector: 'metadata.name=a,metadata.namespace=default' }, 200],
    ['create', 'POST', maps, {}, 403],
    ['deletion of all', 'DELETE', maps, { fieldSelector: 'metadata.name=a' }, 403],
  ] as const)('decides a %s as the real server does', (_, method, path, query, code) => {
    expect(send('bob', method, path, configMap(), { query }).code).toBe(code);
  });
});

describe('the right to a subresource of the embedded API server', () => {
  it('can be given for every resource', () => {
    const { send } = serverWith([{ resources: ['*/scale'] }]);
    expect(send('bob', 'GET', '/apis/apps/v1/namespaces/default/deployments/d/scale').code).toBe(200);
    expect(send('bob', 'GET', '/apis/apps/v1/namespaces/default/deployments/d').code).toBe(403);
  });
});

describe('an apply to the embedded API server that creates an object', () => {
  it('needs the right to create', () => {
    const { server, send } = serverWith([{ resources: ['configmaps'], verbs: ['patch'] }]);
    // The message is that of the real server (1.20 of the test cluster).
    expect(send('bob', 'PATCH', `${maps}/a`, configMap(), apply)).toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: ',
    });
    server.apply(aConfigMap({ name: 'a', namespace: 'default' }));
    expect(send('bob', 'PATCH', `${maps}/a`, configMap(), apply).code).toBe(200);
  });
});

describe('owner references in the embedded API server', () => {
  const refused =
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";
  const writes = { resources: ['configmaps'], verbs: ['create', 'patch', 'update', 'get'] };

  it.each([
    ['a new object that blocks the deletion of its owner', 'POST', maps, owner(true), {}, refused],
    ['an apply that does so', 'PATCH', `${maps}/a`, owner(true), apply, refused],
    [
      'an owner of an unknown kind',
      'POST',
      maps,
      owner(true, 'Cat'),
      {},
      'cannot find RESTMapping for APIVersion apps/v1 Kind Cat: no matches for kind "Cat" in version "apps/v1"',
    ],
  ] as const)('%s needs the right to update the finalizers of the owner', (_, method, path, metadata, how, message) => {
    const { server, send } = serverWith([writes]);
    const answer = send('bob', method, path, configMap(metadata), how);
    expect(answer.code).toBe(403);
    expect(answer.message).toContain(message);
    expect(server.objects.list(configMaps, 'default')).toEqual([]);
  });

  it('block the deletion of the owner with that right', () => {
    const { send } = serverWith([
      writes,
      { groups: ['apps'], resources: ['deployments/finalizers'], verbs: ['update'] },
    ]);
    expect(send('bob', 'POST', maps, configMap(owner(true))).code).toBe(201);
  });

  it('of an existing object are changed only by who may delete it', () => {
    const { server, send } = serverWith([writes]);
    expect(send('bob', 'POST', maps, configMap(owner(false))).code).toBe(201);
    expect(send('bob', 'PATCH', `${maps}/a`, { data: { a: 'b' } }, merge).code).toBe(200);
    expect(send('bob', 'PATCH', `${maps}/a`, { metadata: { ownerReferences: null } }, merge).message).toBe(
      'configmaps "a" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
    );
    server.grant('bob', { name: 'bob', allow: [writes, { verbs: ['delete'] }] });
    expect(send('bob', 'PATCH', `${maps}/a`, { metadata: { ownerReferences: null } }, merge).code).toBe(200);
  });
});

describe('a group in the embedded API server', () => {
  it('has rights that its users have too', () => {
    const { send } = serverWith([], { developers: [{ verbs: ['list'] }], others: 'everything' });
    expect(send('bob', 'GET', maps).code).toBe(200);
    expect(send('bob', 'POST', maps, configMap()).code).toBe(403);
  });

  it('system:authenticated contains every user', () => {
    expect(serverWith([], { 'system:authenticated': 'everything' }).send('bob', 'POST', maps, configMap()).code).toBe(
      201,
    );
  });
});

describe('impersonation in the embedded API server', () => {
  const as = (headers: Record<string, string>) => ({ headers });
  const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

  it('replaces the rights of the sender by those of the other user', () => {
    const { send } = serverWith([{ verbs: ['list'] }]);
    expect(send('admin', 'GET', maps, {}, as({ 'impersonate-user': 'bob' })).code).toBe(200);
    expect(send('admin', 'POST', maps, configMap(), as({ 'impersonate-user': 'bob' })).code).toBe(403);
    expect(send('admin', 'GET', maps, {}, as({ 'impersonate-user': 'stranger' })).code).toBe(403);
  });

  it('has the rights of the groups', () => {
    const { send } = serverWith([], { readers: [{ verbs: ['list'] }] });
    const headers = as({ 'impersonate-user': 'stranger', 'impersonate-group': 'readers, writers' });
    expect(send('admin', 'GET', maps, {}, headers).code).toBe(200);
    expect(send('admin', 'POST', self, {}, headers).status).toEqual({
      userInfo: { username: 'stranger', groups: ['readers', 'writers', 'system:authenticated'] },
    });
  });

  it('puts a service account into its groups', () => {
    const user = 'system:serviceaccount:shop:web';
    expect(serverWith([]).send('admin', 'POST', self, {}, as({ 'impersonate-user': user })).status).toEqual({
      userInfo: {
        username: user,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    });
  });

  it.each([
    [
      { 'impersonate-user': 'x' },
      'users "x" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:shop:web' },
      'serviceaccounts "web" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "shop"',
    ],
    [
      { 'impersonate-user': 'y', 'impersonate-group': 'g' },
      'groups "g" is forbidden: User "bob" cannot impersonate resource "groups"',
    ],
    [
      { 'impersonate-user': 'y', 'impersonate-extra-scopes': 'all' },
      'cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io"',
    ],
    [
      { 'impersonate-user': 'y', 'impersonate-uid': '1' },
      'cannot impersonate resource "uids" in API group "authentication.k8s.io"',
    ],
  ])('needs the right to it: %j', (headers, message) => {
    const { send } = serverWith([{ verbs: ['impersonate'], resources: ['users'], resourceNames: ['y'] }]);
    const answer = send('bob', 'GET', maps, {}, as(headers));
    expect(answer.code).toBe(403);
    expect(answer.message).toContain(message);
  });

  it('of a group without a user is refused', () => {
    const answer = serverWith([]).send('admin', 'GET', maps, {}, as({ 'impersonate-group': 'g' }));
    expect(answer).toMatchObject({
      code: 500,
      message: expect.stringContaining('without impersonating a user') as string,
    });
  });
});

describe('a review of another subject in the embedded API server', () => {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const local = '/apis/authorization.k8s.io/v1/namespaces/shop/localsubjectaccessreviews';
  const tokens = '/apis/authentication.k8s.io/v1/tokenreviews';
  const listPods = { verb: 'list', resource: pods.plural, namespace: 'shop' };

  it.each([
    [{ user: 'bob', resourceAttributes: listPods }, true],
    [{ user: 'bob', resourceAttributes: { ...listPods, verb: 'delete' } }, false],
    [{ user: 'stranger', resourceAttributes: listPods }, false],
    [{ groups: ['auditors'], resourceAttributes: { ...listPods, verb: 'delete' } }, true],
  ])('tells whether the subject may do something: %j', (spec, allowed) => {
    const { send } = serverWith([{ verbs: ['list'] }], { auditors: [{ verbs: ['delete'] }] });
    expect(send('admin', 'POST', path, { spec })).toMatchObject({ code: 201, status: { allowed } });
    expect(send('admin', 'POST', local, { spec })).toMatchObject({ code: 201, status: { allowed } });
  });

  it.each([
    [
      path,
      { resourceAttributes: listPods },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      path,
      { user: 'bob' },
      'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      local,
      { user: 'bob', resourceAttributes: { ...listPods, namespace: 'blog' } },
      'spec.resourceAttributes.namespace: Invalid value: "blog": must match metadata.namespace',
    ],
  ])('is refused with the words of the real server: %s %j', (to, spec, message) => {
    const answer = serverWith([]).send('admin', 'POST', to, { spec });
    expect(answer).toEqual({
      code: 422,
      message: `.authorization.k8s.io "" is invalid: ${message}`,
      status: undefined,
    });
  });

  it('tells whose token it is', () => {
    const { send } = serverWith([]);
    expect(send('admin', 'POST', tokens, { spec: { token: 'bob' } }).status).toEqual({
      authenticated: true,
      user: { username: 'bob', groups: ['developers', 'system:authenticated'] },
      audiences: ['https://kubernetes.default.svc'],
    });
    expect(send('admin', 'POST', tokens, { spec: { token: 'x' } }).status).toEqual({
      user: {},
      error: 'invalid bearer token',
    });
    expect(send('admin', 'POST', tokens, { spec: {} })).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });

  it.each([path, local, tokens])('needs the right to create reviews: %s', (to) => {
    expect(serverWith([{ verbs: ['list'] }]).send('bob', 'POST', to, { spec: {} }).code).toBe(403);
  });
});
