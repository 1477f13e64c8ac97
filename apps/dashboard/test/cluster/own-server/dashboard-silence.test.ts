import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { configMaps, fetchClient, informer, type Informer, type KubeClient } from 'rx-informers';
import { webSocketWatches } from 'rx-informers/client';
import { WebSocket } from 'ws';
import { configMap, connect } from '../../../../../test/cluster/support/cluster.js';
import { eventually } from '../../../../../test/cluster/support/eventually.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import { until } from '../../../../../test/support/until.js';

const dashboard = fileURLToPath(new URL('../../..', import.meta.url));

let rig: Rig;
let server: ChildProcess;
let address: URL;

beforeAll(async () => {
  rig = await startRig();
  const parameters = ['--port', '0', '--kubeconfig', rig.kubeConfigFile];
  server = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts', ...parameters], {
    cwd: dashboard,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout! })) {
    if (!line.startsWith('http://')) continue;
    address = new URL(line);
    break;
  }
});
afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGCONT');
  server.kill('SIGTERM');
  await ended;
  await rig.stop();
});

const port = (): string => address.port;
const key = (): string => address.searchParams.get('key') ?? '';

function byFetch(): KubeClient {
  return fetchClient({ baseUrl: address.origin, headers: () => ({ authorization: `Bearer ${key()}` }) });
}

/** Like the page: watches over WebSockets, which send the cookie automatically. */
function byWebSocket(): KubeClient {
  const headers = { cookie: `rx-informers-dashboard-${port()}=${key()}` };
  const watches = webSocketWatches({
    open: (url) => new WebSocket(url, { headers, origin: address.origin }) as never,
  });
  return fetchClient({ baseUrl: address.origin, watches });
}

/**
 * Stops a process, and resolves when the informer no longer reports that it is live. The requests
 * themselves would stay open for minutes.
 */
async function stallAfter(stop: () => void, followed: Informer<unknown>): Promise<void> {
  const stalled = eventually(followed.status$, ({ state }) => state !== 'watching');
  stop();
  await stalled;
}

describe('the dashboard, when a connection hangs without being closed', () => {
  it.each([
    ['fetch', byFetch],
    ['WebSockets', byWebSocket],
  ])('D3: shows that it is not live, and resumes from its last version, over %s', async (_, clientOf) => {
    const cluster = connect(rig.kubeConfigFile);
    const namespace = await cluster.createNamespace();
    const followed = informer(clientOf(), configMaps, { namespace, onUnobservedError: () => undefined });
    const running = followed.connect();
    await followed.whenSynced();
    await eventually(followed.status$, ({ state }) => state === 'watching');

    // Only heartbeats arrive, and the informer stays live for longer than the silence limit.
    const contactTimes = new Set<number | undefined>();
    const states = new Set<string>();
    const noting = followed.status$.subscribe(({ state }) => states.add(state));
    await until(() => contactTimes.add(followed.lastHeardAt).size > 3);
    noting.unsubscribe();
    expect([...states]).toEqual(['watching']);

    await stallAfter(() => {
      rig.freeze();
    }, followed);
    rig.thaw();
    await cluster.create(configMaps, configMap(namespace, 'after-the-api-server'));
    followed.recheck();
    await eventually(followed.get$(`${namespace}/after-the-api-server`), (object) => object !== undefined);
    await eventually(followed.status$, ({ state }) => state === 'watching');

    await stallAfter(() => server.kill('SIGSTOP'), followed);
    server.kill('SIGCONT');
    await cluster.create(configMaps, configMap(namespace, 'after-the-dashboard'));
    await eventually(followed.get$(`${namespace}/after-the-dashboard`), (object) => object !== undefined);
    running.unsubscribe();
  });
});
