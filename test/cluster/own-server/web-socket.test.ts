import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { configMaps, fetchClient, informer, listWatch, StatusError, type KubeClient } from 'rx-informers';
import { webSocketWatches, type KubeRequest, type ResponsePart, type WatchTransport } from 'rx-informers/client';
import { firstValueFrom, map, takeWhile, toArray, type Observable } from 'rxjs';
import { openNodeWebSocket, type NodeWebSocket, type NodeWebSocketOptions } from '../../support/node-web-socket.js';
import { configMap, connect, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startKubectlProxy, type KubectlProxy } from '../support/kubectl-proxy.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

/** The needed parts of `rig.json`. */
interface RigFile {
  readonly server: string;
  readonly ca: string;
  readonly tokens: { readonly admin: string; readonly nobody: string };
}

describe.each(['rig', 'kube120'] as const)('a watch over a WebSocket of a real API server (%s)', (kind) => {
  let rig: Rig;
  let cluster: Cluster;
  let proxy: KubectlProxy;
  let sockets: NodeWebSocket[] = [];

  beforeAll(async () => {
    rig = await startRig({ kind });
    cluster = connect(rig.kubeConfigFile);
    proxy = await startKubectlProxy({ kubeConfigFile: rig.kubeConfigFile, folder: tmpdir() });
  });
  beforeEach(() => {
    sockets = [];
  });
  afterAll(async () => {
    await proxy.stop();
    await rig.stop();
  });

  function watches(options?: NodeWebSocketOptions): WatchTransport {
    // An informer of the previous test may open another one.
    const own = sockets;
    return webSocketWatches({
      open: (url, protocols) => {
        const socket = openNodeWebSocket(url, protocols, options);
        own.push(socket);
        return socket;
      },
    });
  }
  const throughKubectlProxy = (): KubeClient => fetchClient({ baseUrl: new URL(proxy.url).origin, watches: watches() });

  it('follows changes through kubectl proxy, also after the timeout of a watch and a restart of the server', async () => {
    const namespace = await cluster.createNamespace();
    await cluster.create(configMaps, configMap(namespace, 'a'));
    const followed = informer(listWatch(throughKubectlProxy(), configMaps, { namespace, watchTimeout: [2, 2] }));
    untilTestEnds(followed.connect());
    await followed.whenSynced();
    expect(followed.keys()).toEqual([`${namespace}/a`]);

    await cluster.create(configMaps, configMap(namespace, 'b'));
    await eventually(followed.get$(`${namespace}/b`), (object) => object !== undefined);
    const opened = sockets.length;
    await eventually(followed.status$, ({ state }) => state === 'watching' && sockets.length > opened);

    await rig.restart();
    await cluster.create(configMaps, configMap(namespace, 'c'));
    await eventually(followed.get$(`${namespace}/c`), (object) => object !== undefined);
    expect(followed.keys()).toEqual([`${namespace}/a`, `${namespace}/b`, `${namespace}/c`]);
  });

  it('emits the same bytes as the watch over HTTP, authenticated by the token of the client', async () => {
    const { server, ca, tokens } = readRig();
    const namespace = await cluster.createNamespace();
    await cluster.create(configMaps, configMap(namespace, 'a', 'grüß dich'));
    await cluster.create(configMaps, configMap(namespace, 'large', 'x'.repeat(700_000)));
    const client = fetchClient({
      baseUrl: server,
      headers: { authorization: `Bearer ${tokens.admin}` },
      watches: watches({ ca: readFileSync(ca) }),
      fetch: () => Promise.reject(new Error('no request by fetch was expected')),
    });
    const lines = (text: string): readonly string[] => text.split('\n').sort();
    const request = watchOf(namespace, { resourceVersion: 0, timeoutSeconds: 5 });
    const [bySocket, byHttp] = await Promise.all([
      textOf(client.exchange(request)),
      textOf(cluster.client.exchange(request)),
    ]);

    expect(bySocket).toMatch(/^200\n/);
    expect(bySocket).toContain('grüß dich');
    expect(lines(bySocket)).toEqual(lines(byHttp));
    expect(sockets.map(({ protocol }) => protocol)).toEqual(['binary.k8s.io']);
  });

  it('reports why the server refused it', async () => {
    const request: KubeRequest = { method: 'GET', path: '/apis/example.com/v1/things', query: { watch: true } };
    const failure = textOf(throughKubectlProxy().exchange(request));
    await expect(failure).rejects.toThrow(StatusError);
    await expect(failure).rejects.toMatchObject({ statusCode: 404 });
    expect(sockets.length).toBe(1);
  });

  it('receives an expired version as an event with code 410', async () => {
    const namespace = await cluster.createNamespace();
    for (const name of ['a', 'b', 'c']) await cluster.create(configMaps, configMap(namespace, name));
    await rig.compact();
    await rig.restart();
    const expired = throughKubectlProxy().exchange(watchOf(namespace, { resourceVersion: 2, timeoutSeconds: 5 }));

    const text = await textOf(expired.pipe(takeWhile((part) => !partText(part).includes('"ERROR"'), true)));
    expect(text).toMatch(/^200\n.*"type":"ERROR".*"code":410/s);
    expect(sockets.length).toBe(1);
  });

  function readRig(): RigFile {
    return JSON.parse(readFileSync(join(dirname(rig.kubeConfigFile), 'rig.json'), 'utf8')) as RigFile;
  }
});

function watchOf(namespace: string, query: NonNullable<KubeRequest['query']>): KubeRequest {
  return {
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    query: { watch: true, ...query },
    headers: { accept: 'application/json' },
  };
}

function partText(part: ResponsePart): string {
  return part.type === 'head' ? `${part.status}\n` : Buffer.from(part.bytes).toString();
}

function textOf(parts: Observable<ResponsePart>): Promise<string> {
  const texts = parts.pipe(
    map((part) => (part.type === 'head' ? Buffer.from(partText(part)) : Buffer.from(part.bytes))),
    toArray(),
    map((chunks) => Buffer.concat(chunks).toString()),
  );
  return firstValueFrom(texts);
}
