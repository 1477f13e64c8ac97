import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  configMaps,
  customResourceDefinitions,
  informer,
  listWatch,
  resource,
  StatusError,
  type Informer,
  type KubeClient,
  type KubernetesObject,
  type ListWatchOptions,
  type Resource,
} from 'rx-informers';
import { defer, firstValueFrom, interval, Observable, retry, Subject, takeUntil, timeout } from 'rxjs';
import { base64, certificateAuthority, signedBy, type Certificate } from '../../sources/client/node/certificates.js';
import { configMap, connect, uniqueName, type Cluster, type Manifest } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';

interface Widget extends KubernetesObject {
  readonly spec: { readonly size?: number; readonly tier?: string };
}

/** A client whose watch can be ended. The next watch is answered 410, as after a compaction. */
function expiring(clientNow: () => KubeClient): KubeClient & { readonly expire: () => void } {
  const expired$ = new Subject<void>();
  let isExpired = false;
  return {
    expire: () => {
      isExpired = true;
      expired$.next();
    },
    exchange: (request) =>
      new Observable((subscriber) => {
        if (isExpired && request.query?.['watch'] === true && request.query['sendInitialEvents'] !== true) {
          isExpired = false;
          const line = { method: 'GET', url: request.path };
          const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } as const;
          subscriber.error(new StatusError(line, status, { code: 410 }));
          return undefined;
        }
        return clientNow().exchange(request).pipe(takeUntil(expired$)).subscribe(subscriber);
      }),
  };
}

const widgetsOf = (group: string, version = 'v1'): Resource<Widget> =>
  resource<Widget>({ group, version, plural: 'widgets', kind: 'Widget', namespaced: true });

const size = { type: 'integer' };
const schemaOf = (properties: object): object => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
});

const definitionOf = (group: string, fields: object): Manifest => ({
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    ...fields,
  },
});

const ofOneVersion = (group: string, properties: object): Manifest =>
  definitionOf(group, { versions: [{ name: 'v1', served: true, storage: true, schema: schemaOf(properties) }] });

const widget = (namespace: string, spec: Widget['spec']): Manifest => ({ metadata: { name: 'w', namespace }, spec });

/** Creates the widget as soon as its kind is served. */
function createWidget(cluster: Cluster, of: Resource<Widget>, manifest: Manifest): Promise<Widget> {
  return firstValueFrom(
    defer(() => cluster.create(of, manifest)).pipe(retry({ delay: 50 }), timeout({ first: 120_000 })),
  );
}

describe.each(['stream', 'pages'] as const)('an informer that lists by %s', (initialList) => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  let group: string;
  let running: Informer<Widget> | undefined;
  beforeAll(async () => {
    rig = await startRig();
    cluster = connect(rig.kubeConfigFile);
  });
  beforeEach(async () => {
    namespace = await cluster.createNamespace();
    group = `${uniqueName('g')}.example.com`;
  });
  afterEach(() => running?.stop());
  afterAll(() => rig.stop());

  const options: ListWatchOptions<Widget> = { initialList, backoff: () => 50 };

  /** Resolves with the widget of the cache when a list has shown the expected spec. */
  async function afterRelists(
    of: Resource<Widget>,
    before: Widget['spec'],
    change: () => Promise<unknown>,
    after: Widget['spec'],
  ): Promise<readonly [Widget, Widget]> {
    const client = expiring(() => cluster.client);
    const followed = (running = informer(listWatch(client, of, { ...options, namespace })));
    followed.errors$.subscribe();
    followed.connect();
    const first = await eventually(followed.get$(`${namespace}/w`), (object) => object !== undefined);
    expect(first.spec).toEqual(before);
    await change();
    // The server applies a new definition some time after it was written.
    const relists = interval(500).subscribe(client.expire);
    try {
      const second = await eventually(
        followed.get$(`${namespace}/w`),
        (now) => JSON.stringify(now?.spec) === JSON.stringify(after),
      );
      return [first, second as Widget];
    } finally {
      relists.unsubscribe();
    }
  }

  it('I10 ▲: shows the new default of a custom resource at the old resourceVersion', async () => {
    const of = widgetsOf(group);
    const definition = ofOneVersion(group, { size });
    await cluster.create(customResourceDefinitions, definition);
    await createWidget(cluster, of, widget(namespace, { size: 1 }));
    const { spec } = ofOneVersion(group, { size, tier: { type: 'string', default: 'gold' } });
    const change = () => cluster.patch(customResourceDefinitions, definition, { spec });
    const [before, after] = await afterRelists(of, { size: 1 }, change, { size: 1, tier: 'gold' });
    expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
  });

  it('I10 ▲: shows no field that the definition of a custom resource has lost', async () => {
    const of = widgetsOf(group);
    const definition = ofOneVersion(group, { size, tier: { type: 'string' } });
    await cluster.create(customResourceDefinitions, definition);
    await createWidget(cluster, of, widget(namespace, { size: 1, tier: 'old' }));
    const { spec } = ofOneVersion(group, { size });
    const change = () => cluster.patch(customResourceDefinitions, definition, { spec });
    const [before, after] = await afterRelists(of, { size: 1, tier: 'old' }, change, { size: 1 });
    expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
  });

  it('I10 ▲: shows what a conversion webhook returns now', async () => {
    let tier = 'silver';
    const authority = await certificateAuthority();
    const server = await serveConversion(await signedBy(authority, '127.0.0.1'), () => tier);
    try {
      const definition = definitionOf(group, {
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: schemaOf({ size, tier: { type: 'string' } }),
        })),
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: {
              url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
              caBundle: base64(authority.cert),
            },
          },
        },
      });
      await cluster.create(customResourceDefinitions, definition);
      await createWidget(cluster, widgetsOf(group), widget(namespace, { size: 1 }));
      // The watch cache of the server holds converted objects, so the server is restarted.
      const change = (): Promise<void> => {
        tier = 'gold';
        return rig.restart();
      };
      const expected = [{ size: 1, tier: 'silver' }, change, { size: 1, tier: 'gold' }] as const;
      const [before, after] = await afterRelists(widgetsOf(group, 'v2'), ...expected);
      expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

interface ConversionReview {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Widget[];
  };
}

/** Serves a conversion webhook that sets `spec.tier`. */
async function serveConversion(credentials: Certificate, tier: () => string): Promise<Server> {
  const server = createServer(credentials, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as ConversionReview;
      const { uid, desiredAPIVersion: apiVersion, objects } = review.request;
      const convertedObjects = objects.map((object) => ({
        ...object,
        apiVersion,
        spec: { ...object.spec, tier: tier() },
      }));
      const result = { uid, convertedObjects, result: { status: 'Success' } };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: result }),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('an informer of a server whose etcd is restored from a backup and written again', () => {
  it('I10 ▲: shows the content of the restored server, also of an object whose version is the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rx-informers-restored-'));
    const runDirectory = join(folder, 'now');
    let rig = await startRig({ runDirectory });
    let followed: Informer<{ readonly data?: unknown }> | undefined;
    try {
      const restart = async (): Promise<void> => {
        rig = await startRig({ runDirectory });
      };
      const now = (): Cluster => connect(rig.kubeConfigFile);
      const namespace = await now().createNamespace();
      const [one, other] = ['one', 'other'].map((name) => configMap(namespace, name)) as [Manifest, Manifest];
      const write = async (object: Manifest, content: string): Promise<number> => {
        const written = await now().patch(configMaps, object, { data: { content } });
        return Number(written.metadata.resourceVersion);
      };
      for (const object of [one, other]) await now().create(configMaps, object);
      await rig.stop();
      cpSync(runDirectory, join(folder, 'backup'), { recursive: true });

      await restart();
      for (let count = 0; count < 50; count++) await write(other, `before ${count}`);
      const version = await write(one, 'before');
      let client = now().client;
      const source = expiring(() => client);
      followed = informer(listWatch(source, configMaps, { namespace, backoff: () => 50 }));
      followed.errors$.subscribe();
      followed.connect();
      await followed.whenSynced();
      expect(followed.get(`${namespace}/one`)?.data).toMatchObject({ content: 'before' });
      await rig.stop();
      rmSync(runDirectory, { recursive: true });
      cpSync(join(folder, 'backup'), runDirectory, { recursive: true });

      await restart();
      for (let reached = 0; reached < version - 1;) reached = await write(other, `after ${reached}`);
      expect(await write(one, 'after')).toBe(version);
      client = now().client;
      source.expire();
      await eventually(
        followed.get$(`${namespace}/one`),
        (object) => (object?.data as Record<string, string> | undefined)?.['content'] === 'after',
      );
      expect((followed.get(`${namespace}/one`) as KubernetesObject).metadata?.resourceVersion).toBe(String(version));
    } finally {
      followed?.stop();
      await rig.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
