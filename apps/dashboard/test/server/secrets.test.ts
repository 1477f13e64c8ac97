import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { informer, secrets } from 'rx-informers';
import { filter, firstValueFrom } from 'rxjs';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type Answer, type TestServer } from '../../../../test/sources/client/test-server.js';
import type { DashboardServer, DashboardServerOptions } from '../../server/dashboard-server.js';
import { clientOf, exchange, startDashboard } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));
const content = 'czNjcjN0';
const lastApplied = { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"a":"${content}"}}` };

const secret = {
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: {
    name: 'db',
    namespace: 'shop',
    uid: '1',
    resourceVersion: '7',
    labels: { app: 'db' },
    annotations: { ...lastApplied, 'objectset.rio.cattle.io/applied': content },
    managedFields: [{ manager: content }],
  },
  data: { password: content },
  stringData: { password: content },
  type: 'Opaque',
};
const bookmark = {
  type: 'BOOKMARK',
  object: { kind: 'Secret', metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};
const list = { kind: 'SecretList', apiVersion: 'v1', metadata: { resourceVersion: '8' }, items: [secret] };
const table = {
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { resourceVersion: '8' },
  columnDefinitions: [{ name: 'Name' }],
  rows: [{ cells: ['db', 'Opaque', 1], object: secret }],
};

describe('Secrets behind the dashboard', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;

  /** An API server that responds with all fields, regardless of the request. */
  async function start(answer: Answer, options: Partial<DashboardServerOptions> = {}): Promise<void> {
    upstream = await startServer(answer);
    dashboard = await startDashboard({ kubeConfig: kubeConfigOf({ server: upstream.url }), page, ...options });
  }
  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  const watch: Answer = (_, response) => {
    const lines = [{ type: 'ADDED', object: secret }, bookmark, { type: 'DELETED', object: secret }];
    response.writeHead(200, { 'content-type': 'application/json' });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    // In two pieces, in the middle of an event.
    response.write(text.slice(0, 40));
    response.end(text.slice(40));
  };

  it.each<[string, Answer]>([
    ['/api/v1/namespaces/shop/secrets/db', json(secret)],
    ['/api/v1/secrets', json(list)],
    ['/api/v1/namespaces/shop/secrets?fieldSelector=metadata.name%3Ddb', json(list)],
    ['/api/v1/secrets?watch=true', watch],
    ['/api/v1/watch/secrets', watch],
    ['/api/v1/watch/namespaces/shop/secrets/db', watch],
    ['/api/v1/secrets?watch=FALSE', json(list)],
    ['/api/v1/secrets?limit=1&includeObject=Object', json(table)],
  ])('are reduced to their metadata: %s', async (path, answer) => {
    for (const accept of [
      'application/json',
      'application/json;as=Table;g=meta.k8s.io;v=v1, application/json',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      '*/*',
    ]) {
      await start(answer);
      const text = (
        await exchange(dashboard.url, path, { headers: { accept } }).catch(() => undefined)
      )?.body.toString();

      expect(text ?? '').not.toContain(content);
      expect(upstream.requests.map(({ headers }) => headers.accept)).toEqual([
        expect.stringMatching(/^application\/json;as=(PartialObjectMetadata(List)?|Table);g=meta\.k8s\.io;v=v1/),
      ]);
      await dashboard.close();
      await upstream.close();
    }
    await start(answer);
  });

  it('keep their names, labels and versions', async () => {
    await start(json(list));
    const { body } = await exchange(dashboard.url, '/api/v1/secrets');
    const { annotations: _, managedFields: __, ...metadata } = secret.metadata;

    expect(JSON.parse(body.toString())).toEqual({
      ...list,
      items: [{ kind: 'Secret', apiVersion: 'v1', metadata }],
    });
  });

  it('are requested as a table of their metadata if a table is requested', async () => {
    await start(json(table));
    const { body } = await exchange(dashboard.url, '/api/v1/secrets?includeObject=Object&limit=5', {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });

    expect(upstream.requests[0]?.url).toBe('/api/v1/secrets?includeObject=Metadata&limit=5');
    const { annotations: _, managedFields: __, ...metadata } = secret.metadata;
    expect(JSON.parse(body.toString())).toEqual({
      ...table,
      rows: [{ cells: ['db', 'Opaque', 1], object: { kind: 'Secret', apiVersion: 'v1', metadata } }],
    });
  });

  it.each<[string, Answer]>([
    [
      'is not JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/yaml' }).end(`data: ${content}`),
    ],
    [
      'is compressed although that was not requested',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(secret)));
      },
    ],
    ['breaks off', (_, response) => response.writeHead(200).end(JSON.stringify(secret).slice(0, -5))],
  ])('are not forwarded if a response %s', async (_, answer) => {
    await start(answer);
    const answered = exchange(dashboard.url, '/api/v1/namespaces/shop/secrets/db');
    await expect(answered).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('can be followed by the library as metadata', async () => {
    await start((request, response) => {
      if (!request.url.includes('watch')) return json(list)(request, response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write([{ type: 'ADDED', object: secret }, bookmark].map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
    const names = informer(clientOf(dashboard), secrets, { metadataOnly: true });
    const [first] = await firstValueFrom(names.list$().pipe(filter((all) => all.length > 0)));
    names.stop();

    expect(first?.metadata).toMatchObject({ name: 'db', labels: { app: 'db' } });
  });

  it('are forwarded completely with --secrets', async () => {
    await start(json(secret), { secrets: true });
    const { body } = await exchange(dashboard.url, '/api/v1/namespaces/shop/secrets/db');
    expect(JSON.parse(body.toString())).toEqual(secret);
  });
});
