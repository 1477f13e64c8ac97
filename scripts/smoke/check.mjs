import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Uses the imported package as a user's first program would. The code is the same for ES modules
 * and CommonJS, on every Node.
 */
export async function check({ core, store, node, rxjs, KubeConfig }) {
  await followsEvents(core, store, rxjs);
  await watchesOverHttp(core, node, rxjs, KubeConfig);
  await servesHealth(node, rxjs);
}

async function followsEvents({ fromEvents, indexByNode, informer }, { watchEvent }, { filter, firstValueFrom }) {
  const events = [watchEvent.listed([pod('a', 1)], '1'), watchEvent.added(pod('b', 2))];
  const podInformer = informer(fromEvents(events), { indexers: { node: indexByNode } });
  const bucket = await firstValueFrom(podInformer.byIndex$('node', 'n1').pipe(filter(({ length }) => length === 2)));
  assert.deepEqual(
    bucket.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  assert.throws(() => podInformer.byIndex('nodde', 'n1'), { code: 'RXI_UNKNOWN_INDEX' });
}

async function watchesOverHttp(
  { informer, listWatch, pods },
  { kubeClient },
  { filter, firstValueFrom, timeout },
  KubeConfig,
) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'local', server: `http://127.0.0.1:${server.address().port}`, skipTLSVerify: true }],
    users: [{ name: 'nobody' }],
    contexts: [{ name: 'local', cluster: 'local', user: 'nobody' }],
    currentContext: 'local',
  });
  const podInformer = informer(listWatch(kubeClient(kubeConfig), pods));
  const both = podInformer.list$().pipe(
    filter(({ length }) => length === 2),
    timeout(20_000),
  );
  assert.deepEqual(
    (await firstValueFrom(both)).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ['Pod a', 'Pod b'],
  );
  server.close();
  await once(server, 'close'); // resolves only after the watch was aborted
}

/** Checks a manager without controllers: it reports that it is healthy, until it is stopped. */
async function servesHealth({ consoleLogger, manager }, { Subject, tap }) {
  const stop$ = new Subject();
  const events = [];
  const health = { port: 0, host: '127.0.0.1' };
  const running = manager({ controllers: [], health, stop$, logger: consoleLogger({ level: 'error' }) });
  const listening = new Promise((resolve) => {
    running.pipe(tap(resolve)).subscribe((event) => events.push(event));
  });
  const { port } = await listening;
  const response = await fetch(`http://127.0.0.1:${port}/healthz`);
  assert.equal(await response.text(), 'ok\n');
  stop$.next();
  assert.deepEqual(
    events.map(({ type, exitCode }) => exitCode ?? type),
    ['listening', 'readiness', 'stopping', 0],
  );
}

/**
 * Checks that the ES modules and the CommonJS modules of the package work together, as in a program
 * that imports the package and has a dependency that requires it. The program calls this twice,
 * once with each of the two copies as `ours`.
 */
export async function checkCopies(ours, theirs, { concat, filter, firstValueFrom, NEVER, of, take, toArray }) {
  const server = theirs.testing.createInMemoryApiServer();
  const settings = ours.requests.resourceClient(server.client, ours.core.configMaps);
  const missing = await settings.get('web/missing').catch((error) => error);
  assert.ok(ours.requests.isNotFound(missing));
  assert.ok(missing instanceof ours.core.StatusError && missing instanceof theirs.core.StatusError);
  assert.ok(!theirs.core.isRxInformersError(missing, 'RXI_CONNECTION'));

  const runs = {
    again: () => theirs.controller.requeueAfter(60_000),
    paced: () => theirs.controller.requeueAfter(0),
    never: () => {
      throw new Error('wrapped', { cause: new theirs.controller.TerminalError('never') });
    },
    busy: () => {
      throw new theirs.core.StatusError({ method: 'GET', url: '/' }, {}, { code: 429, retryAfter: 60_000 });
    },
  };
  const before = Date.now();
  const ended$ = concat(of(...Object.keys(runs)), NEVER).pipe(
    ours.controller.workqueue((key) => runs[key]()),
    filter(({ type }) => type === 'succeeded' || type === 'failed'),
    take(4),
    toArray(),
  );
  const [again, paced, never, busy] = await firstValueFrom(ended$);
  assert.ok(again.requeueAt >= before + 59_000);
  assert.ok(paced.requeueAt !== undefined && paced.result === undefined);
  assert.equal(never.outcome, 'terminal');
  assert.ok(busy.retryAt >= before + 59_000);
}

/**
 * Answers like an API server without streaming lists: the list has one pod, and the watch, which
 * stays open, adds another pod.
 */
function answer({ url }, response) {
  const query = new URL(url, 'http://localhost').searchParams;
  const json = { 'content-type': 'application/json' };
  if (query.has('sendInitialEvents')) {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Invalid',
      code: 422,
      message: 'sendInitialEvents is forbidden',
    };
    response.writeHead(422, json).end(JSON.stringify(status));
    return;
  }
  response.writeHead(200, json);
  if (query.has('watch'))
    response.write(
      `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', ...pod('b', 11) } })}\n`,
    );
  else
    response.end(
      JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '10' }, items: [pod('a', 10)] }),
    );
}

function pod(name, resourceVersion) {
  return {
    metadata: { name, namespace: 'web', uid: `uid-${name}`, resourceVersion: String(resourceVersion) },
    spec: { nodeName: 'n1' },
  };
}
