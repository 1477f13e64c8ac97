import { nodes, pods, StatusError, type KubeClient } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { aNode, aPod, createInMemoryApiServer, virtualClock, type ContainerUsageRequest } from 'rx-informers/testing';

const now = Date.parse('2026-03-01T12:00:07Z');
const group = '/apis/metrics.k8s.io/v1beta1';

function setup() {
  const requests: ContainerUsageRequest[] = [];
  const scheduler = virtualClock({ now });
  const server = createInMemoryApiServer({
    scheduler,
    users: {
      admin: { name: 'admin', allow: 'everything' },
      tenant: { name: 'tenant', allow: [{ groups: ['metrics.k8s.io'], namespaces: ['shop'] }] },
    },
    containerUsage: (request) => {
      requests.push(request);
      return request.pod.metadata.name === 'new' ? undefined : { cpu: 0.0125, memory: 34 * 2 ** 20 };
    },
  });
  server.apply([
    aNode({ name: 'n1' }),
    aNode({ name: 'n2' }),
    aPod({ name: 'web', namespace: 'shop', node: 'n1', labels: { app: 'web' } }),
    aPod({ name: 'api', namespace: 'blog', node: 'n1' }),
    aPod({ name: 'new', namespace: 'blog', node: 'n1' }),
    aPod({ name: 'waiting', namespace: 'blog', phase: 'Pending' }),
  ]);
  return { server, requests };
}

/** The response of the server, which is synchronous. */
function ask(client: KubeClient, path: string, { method = 'GET', query = {} }: Partial<KubeRequest> = {}) {
  const decoder = new TextDecoder();
  const answer = { status: 0, text: '' };
  client.exchange({ method, path, query }).subscribe({
    next: (part) => {
      if (part.type === 'head') answer.status = part.status;
      else answer.text += decoder.decode(part.bytes);
    },
    error: (error: unknown) => {
      answer.status = error instanceof StatusError ? error.statusCode : -1;
    },
  });
  const body = (answer.text === '' ? {} : JSON.parse(answer.text)) as { readonly items: readonly object[] };
  return { status: answer.status, body };
}

const usage = { cpu: '12500000n', memory: '34816Ki' };
const measured = { timestamp: '2026-03-01T12:00:00Z', window: '15s' };

describe('the metrics of the embedded API server', () => {
  it('are those of running pods, by container, in all namespaces or one, and by label', () => {
    const { server, requests } = setup();
    const all = ask(server.client, `${group}/pods`);
    expect(all.body).toMatchObject({ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1' });
    expect(all.body.items).toMatchObject([
      { metadata: { name: 'api', namespace: 'blog' }, ...measured, containers: [{ name: 'main', usage }] },
      { metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } }, containers: [{ name: 'main', usage }] },
    ]);
    expect(requests).toContainEqual(
      expect.objectContaining({ container: 'main', at: Date.parse('2026-03-01T12:00:00Z') }),
    );
    const ofOne = ask(server.client, `${group}/namespaces/shop/pods`);
    expect(ofOne.body.items).toHaveLength(1);
    const byLabel = ask(server.client, `${group}/pods`, { query: { labelSelector: 'app=web' } });
    expect(byLabel.body.items).toHaveLength(1);
    const one = ask(server.client, `${group}/namespaces/shop/pods/web`);
    expect(one.body).toMatchObject({ kind: 'PodMetrics', metadata: { name: 'web' }, containers: [{ usage }] });
    const missing = ask(server.client, `${group}/namespaces/blog/pods/new`);
    expect(missing).toMatchObject({ status: 404 });
  });

  it('are the sum of its containers for a node', () => {
    const { server } = setup();
    const { body } = ask(server.client, `${group}/nodes`);
    expect(body).toMatchObject({ kind: 'NodeMetricsList' });
    expect(body.items).toMatchObject([
      { metadata: { name: 'n1' }, ...measured, usage: { cpu: '25000000n', memory: '69632Ki' } },
      { metadata: { name: 'n2' }, ...measured, usage: { cpu: '0', memory: '0' } },
    ]);
  });

  it('are missing for a node without measured pods, but not for an empty one', () => {
    const { server } = setup();
    server.apply([aNode({ name: 'lost' }), aPod({ name: 'new', namespace: 'lost', node: 'lost' })]);
    const { body } = ask(server.client, `${group}/nodes`);
    expect(body.items).toMatchObject([{ metadata: { name: 'n1' } }, { metadata: { name: 'n2' } }]);
    expect(ask(server.client, `${group}/nodes/lost`)).toMatchObject({ status: 404 });
  });

  it('support neither watch nor writes, and discovery says so', () => {
    const { server } = setup();
    const { body } = ask(server.client, group);
    expect(body).toMatchObject({
      resources: [
        { name: 'nodes', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
        { name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
      ],
    });
    expect(ask(server.client, `${group}/pods`, { query: { watch: 'true' } })).toMatchObject({ status: 405 });
    expect(ask(server.client, `${group}/nodes/n1`, { method: 'DELETE' })).toMatchObject({ status: 405 });
  });

  it('require their own rights', () => {
    const { server } = setup();
    const tenant = server.clientFor('tenant');
    expect(ask(tenant, `${group}/pods`)).toMatchObject({ status: 403 });
    expect(ask(tenant, `${group}/namespaces/shop/pods`)).toMatchObject({ status: 200 });
  });

  it('are an unknown group without the option', () => {
    const server = createInMemoryApiServer({ scheduler: virtualClock({ now }) });
    expect(ask(server.client, `${group}/pods`)).toMatchObject({ status: 404 });
    const { body } = ask(server.client, '/apis');
    expect(JSON.stringify(body)).not.toContain('metrics.k8s.io');
  });

  it('do not affect stored objects', () => {
    const { server } = setup();
    const before = server.resourceVersion;
    ask(server.client, `${group}/pods`);
    expect(server.resourceVersion).toBe(before);
    expect([server.objects.list(pods).length, server.objects.list(nodes).length]).toEqual([4, 2]);
  });
});
