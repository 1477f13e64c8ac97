import { pods, type Pod } from 'rx-informers';
import {
  aPod,
  createApiServer,
  createInMemoryApiServer,
  virtualClock,
  type InMemoryApiServer,
  type PodLogLine,
  type PodLogRequest,
} from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { send } from './http.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const decoder = new TextDecoder();

/** Reads a response until it or the test ends. */
function read(server: InMemoryApiServer, path: string, query = {}) {
  const answer = { status: 0, text: '', ended: false, error: undefined as unknown };
  const subscription = server.client.exchange({ method: 'GET', path, query }).subscribe({
    next: (part) => {
      if (part.type === 'head') answer.status = part.status;
      else answer.text += decoder.decode(part.bytes);
    },
    complete: () => (answer.ended = true),
    error: (error: unknown) => (answer.error = error),
  });
  return { answer, subscription };
}

const lines: readonly PodLogLine[] = [
  { time: now - 120_000, text: 'starting' },
  { time: now - 60_000, text: 'listening' },
  { time: now - 1_000, text: 'GET / 200' },
];

function setup() {
  const scheduler = virtualClock({ now });
  const live$ = new Subject<PodLogLine>();
  const requests: PodLogRequest[] = [];
  const server = createInMemoryApiServer({
    scheduler,
    podLogs: (request) => {
      requests.push(request);
      return request.previous ? { lines: [{ time: 0, text: 'before' }] } : { lines, lines$: live$ };
    },
  });
  server.apply(aPod({ name: 'web', namespace: 'shop', node: 'n' }));
  return { server, live$, requests, scheduler };
}

const path = '/api/v1/namespaces/shop/pods/web/log';

describe('the log of a pod in the embedded API server', () => {
  it('returns what the container has written, and ends', () => {
    const { server, requests } = setup();
    const { answer } = read(server, path);
    expect(answer).toMatchObject({ status: 200, text: 'starting\nlistening\nGET / 200\n', ended: true });
    expect(requests).toMatchObject([{ container: 'main', previous: false, pod: { metadata: { name: 'web' } } }]);
  });

  it.each([
    [{ tailLines: 1 }, 'GET / 200\n'],
    [{ tailLines: 0 }, ''],
    [{ sinceSeconds: 61 }, 'listening\nGET / 200\n'],
    [{ sinceTime: '2026-03-01T11:59:30Z' }, 'GET / 200\n'],
    [{ tailLines: 1, timestamps: true }, '2026-03-01T11:59:59.000000000Z GET / 200\n'],
  ])('can be truncated, and has timestamps on request: %j', (query, text) => {
    const { server } = setup();
    expect(read(server, path, query).answer).toMatchObject({ text, ended: true });
  });

  it('is followed until the reader disconnects', () => {
    const { server, live$ } = setup();
    const { answer, subscription } = read(server, path, { follow: true, tailLines: 1 });
    live$.next({ time: now, text: 'GET /cart 200' });
    expect(answer).toMatchObject({ text: 'GET / 200\nGET /cart 200\n', ended: false });
    subscription.unsubscribe();
    expect(live$.observed).toBe(false);
  });

  it('ends when the pod is deleted', () => {
    const { server, live$ } = setup();
    const { answer } = read(server, path, { follow: true });
    server.remove(pods, 'web', 'shop');
    expect(answer.ended).toBe(true);
    expect(live$.observed).toBe(false);
  });

  it('arrives over HTTP line by line', async () => {
    const server = await createApiServer({ podLogs: () => ({ lines }) });
    server.apply(aPod({ name: 'web', namespace: 'shop', node: 'n' }));
    const response = await fetch(`${server.url}${path}?tailLines=2`);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('listening\nGET / 200\n');
    await server.close();
  });

  it.each([
    ['for a pod that does not exist', '/api/v1/namespaces/shop/pods/none/log', {}, 404, 'pods "none" not found'],
    ['for another container', path, { container: 'proxy' }, 400, 'container proxy is not valid for pod web'],
    [
      'for the previous container without a restart',
      path,
      { previous: true },
      400,
      'previous terminated container "main" in pod "web" not found',
    ],
    ['with a limit that is not a number', path, { tailLines: 'x' }, 400, 'must be a whole number'],
  ])('is refused %s', (_, from, query, status, message) => {
    const { server } = setup();
    const { answer } = read(server, from, query);
    expect(answer.error).toMatchObject({ statusCode: status, message: expect.stringContaining(message) as string });
  });

  it('is refused while the container waits for its first start', () => {
    const { server } = setup();
    const pod = aPod({ name: 'new', namespace: 'shop', node: 'n' });
    const waiting = {
      name: 'main',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
    };
    server.apply({ ...pod, status: { phase: 'Pending', containerStatuses: [waiting] } });
    const { answer } = read(server, '/api/v1/namespaces/shop/pods/new/log');
    expect(String(answer.error)).toContain('is waiting to start: ContainerCreating');
  });

  it('requires a container name if there are several', () => {
    const { server } = setup();
    const pod = aPod({ name: 'two', namespace: 'shop', node: 'n' });
    server.apply({
      ...pod,
      spec: { containers: [{ name: 'main' }, { name: 'proxy' }], initContainers: [{ name: 'init' }] },
    });
    const { answer } = read(server, '/api/v1/namespaces/shop/pods/two/log');
    expect(String(answer.error)).toContain('choose one of: [main proxy] or one of the init containers: [init]');
  });

  it('requires the right to read it', async () => {
    const users = { reader: { name: 'alice', allow: [{ verbs: ['get'], resources: ['pods'] }] } };
    const server = await createApiServer({ users });
    server.apply(aPod({ name: 'web', namespace: 'shop', node: 'n' }));
    const { status, body } = await send(server, 'GET', path, { headers: { authorization: 'Bearer reader' } });
    expect([status, body['message']]).toEqual([403, expect.stringContaining('cannot get resource "pods/log"')]);
    await server.close();
  });
});

describe('the eviction of a pod', () => {
  it('deletes the pod, within its grace period', async () => {
    const server = await createApiServer();
    server.apply(aPod({ name: 'web', namespace: 'shop', node: 'n' }));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web', namespace: 'shop' } };
    const { status, body } = await send(server, 'POST', '/api/v1/namespaces/shop/pods/web/eviction', {
      body: eviction,
    });
    expect([status, body['status']]).toEqual([201, 'Success']);
    expect(server.objects.get<Pod>(pods, 'web', 'shop')?.metadata.deletionTimestamp).toBeDefined();
    const gone = await send(server, 'POST', '/api/v1/namespaces/shop/pods/none/eviction', { body: eviction });
    expect(gone.status).toBe(404);
    await server.close();
  });
});

describe('a user can query the embedded API server for', () => {
  const users = {
    all: { name: 'root', allow: 'everything' },
    some: {
      name: 'alice',
      allow: [{ verbs: ['get', 'list'], groups: [''], resources: ['pods', 'pods/log'], namespaces: ['shop'] }],
    },
  } as const;
  const ask = async (token: string, kind: string, spec: object = {}, group = 'authorization') => {
    const server = await createApiServer({ users });
    const answer = await send(server, 'POST', `/apis/${group}.k8s.io/v1/${kind.toLowerCase()}s`, {
      body: { apiVersion: `${group}.k8s.io/v1`, kind, spec },
      headers: { authorization: `Bearer ${token}` },
    });
    await server.close();
    return answer;
  };

  it('the own user name', async () => {
    const { status, body } = await ask('some', 'SelfSubjectReview', {}, 'authentication');
    expect([status, body]).toMatchObject([
      201,
      { kind: 'SelfSubjectReview', status: { userInfo: { username: 'alice' } } },
    ]);
  });

  it.each([
    ['all', { verb: 'delete', resource: 'nodes' }, true],
    ['some', { verb: 'get', resource: 'pods', namespace: 'shop' }, true],
    ['some', { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'shop' }, true],
    ['some', { verb: 'delete', resource: 'pods', namespace: 'shop' }, false],
    ['some', { verb: 'get', resource: 'pods' }, false],
  ])('permission for an action (%s, %j)', async (token, resourceAttributes, allowed) => {
    const { body } = await ask(token, 'SelfSubjectAccessReview', { resourceAttributes });
    expect(body).toMatchObject({ kind: 'SelfSubjectAccessReview', spec: { resourceAttributes }, status: { allowed } });
  });

  it('permissions in a namespace', async () => {
    const rulesOf = async (token: string, namespace: string) =>
      (await ask(token, 'SelfSubjectRulesReview', { namespace })).body['status']?.['resourceRules'];
    expect(await rulesOf('all', 'shop')).toEqual([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    expect(await rulesOf('some', 'shop')).toEqual([
      { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] },
    ]);
    expect(await rulesOf('some', 'blog')).toEqual([]);
  });
});
