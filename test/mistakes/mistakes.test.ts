import { jest } from '@jest/globals';
import { KubeConfig, CoreV1Api } from '@kubernetes/client-node';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addEventHandler,
  configMaps,
  createIndexer,
  fetchClient,
  indexByField,
  indexByNode,
  informer,
  informerRegistry,
  inNamespaces,
  listWatch,
  matching,
  nodes,
  type Pod,
  pods,
  resource,
} from 'rx-informers';
import { controller } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { kubeClient } from 'rx-informers/node';
import { resourceClient, edit } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { aConfigMap, aPod, serverFaults } from 'rx-informers/testing';
import { kubeConfigOf } from '../sources/client/kube-config.js';
import { certificateAuthority, signedBy } from '../sources/client/node/certificates.js';
import { startServer } from '../sources/client/test-server.js';
import { printed, type Program } from './support/printed.js';

interface Row {
  readonly mistake: string;
  readonly does: (program: Program) => unknown;
  readonly prints: readonly string[];
}

const websites = resource<Pod>({ group: 'example.com', version: 'v1', plural: 'websites', namespaced: true });

/** A running informer of the pods of the cluster. */
async function running({ client, clock }: Program) {
  const all = informer(client, pods, { indexers: { node: indexByNode } });
  all.connect();
  await clock.advanceAsync(1_000);
  return all;
}

function kubeConfigFrom(text: object): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(JSON.stringify(text));
  return kubeConfig;
}

const twoContexts = {
  clusters: [{ name: 'kind', cluster: { server: 'https://127.0.0.1:6443' } }],
  users: [{ name: 'admin', user: { token: 'x' } }],
  contexts: [
    { name: 'kind-dev', context: { cluster: 'kind', user: 'admin' } },
    { name: 'kind-prod', context: { cluster: 'kind', user: 'admin' } },
  ],
};

/** Runs with environment variables under which no kubeconfig is found. */
async function withoutKubeconfig(act: () => unknown): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, { HOME: mkdtempSync(join(tmpdir(), 'no-kubeconfig-')), PATH: '' });
  delete process.env['KUBECONFIG'];
  try {
    await act();
  } finally {
    process.env = before;
  }
}

const rows: readonly Row[] = [
  // The connection
  {
    mistake: 'there is no kubeconfig',
    does: ({ failing }) =>
      withoutKubeconfig(() => {
        const kubeConfig = new KubeConfig();
        kubeConfig.loadFromDefault();
        return failing(kubeClient(kubeConfig));
      }),
    prints: [
      'pods of http://localhost:8080: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: no kubeconfig was found: KUBECONFIG is not set, ~/.kube/config does not exist, and this program does not run in a pod; create a kubeconfig, or set KUBECONFIG to its path. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the server is that of kubectl proxy (http)',
    does: ({ failing }) => failing(kubeClient(kubeConfigOf({ server: 'http://127.0.0.1:8001', skipTLSVerify: false }))),
    prints: [
      'pods of http://127.0.0.1:PORT: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: the server http://127.0.0.1:PORT is http, and the kubeconfig does not allow requests without TLS; set insecure-skip-tls-verify: true for the cluster (kubectl proxy needs it), or write https://. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the path of the kubeconfig is wrong',
    does: () => new KubeConfig().loadFromFile('/nowhere/kubeconfig'),
    prints: ["Error: ENOENT: no such file or directory, open '/nowhere/kubeconfig'"],
  },
  {
    mistake: 'the context is misspelt',
    does: ({ failing }) => failing(kubeClient(kubeConfigFrom({ ...twoContexts, 'current-context': 'kind-prd' }))),
    prints: [
      'pods: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: the kubeconfig has no context "kind-prd"; set current-context, or call setCurrentContext, with one of its contexts: kind-dev, kind-prod. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'no context is current',
    does: ({ failing }) => failing(kubeClient(kubeConfigFrom(twoContexts))),
    prints: [
      'pods: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: the kubeconfig has no current context; set current-context, or call setCurrentContext, with one of its contexts: kind-dev, kind-prod. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the cluster of the context is not in the kubeconfig',
    does: ({ failing }) =>
      failing(kubeClient(kubeConfigFrom({ ...twoContexts, clusters: [], 'current-context': 'kind-dev' }))),
    prints: [
      'pods: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: the kubeconfig has no cluster "kind", which the context "kind-dev" names; add the cluster, or correct its name in the context. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the KubeConfig was never loaded',
    does: ({ failing }) => failing(kubeClient(new KubeConfig())),
    prints: [
      'pods: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: the kubeconfig is empty; call loadFromDefault() or another method that loads it, before the first request. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'loadFromCluster outside of a pod',
    does: ({ failing }) => {
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromClusterAndUser(
        { name: 'in', server: 'https://undefined:undefined', skipTLSVerify: false },
        { name: 'u' },
      );
      return failing(kubeClient(kubeConfig));
    },
    prints: [
      'pods of https://undefined:undefined: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: KUBERNETES_SERVICE_HOST is not set, so this program does not run in a pod; use loadFromDefault() instead of loadFromCluster(). The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the credential plugin is not installed',
    does: ({ failing }) =>
      failing(
        kubeClient(
          kubeConfigOf(
            { server: 'https://127.0.0.1:1' },
            { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws-typo', interactiveMode: 'Never' } },
          ),
        ),
      ),
    prints: [
      'pods of https://127.0.0.1:1: RXI_CREDENTIALS: GET /api/v1/pods: cannot read the credentials: spawn aws-typo ENOENT; install the exec plugin "aws-typo" of user "tester", and put it on the PATH of this process. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the CA of the cluster is not in the kubeconfig',
    does: async ({ failing }) => {
      const ca = await certificateAuthority();
      const { cert, key } = await signedBy(ca, '127.0.0.1');
      const server = await startServer(() => undefined, { key, cert });
      await failing(kubeClient(kubeConfigOf({ server: server.url })));
      await server.close();
    },
    prints: [
      'pods of https://127.0.0.1:PORT: RXI_CONNECTION: GET /api/v1/pods: UNABLE_TO_VERIFY_LEAF_SIGNATURE: unable to verify the first certificate; set certificate-authority of the cluster in the kubeconfig; if a proxy has signed the certificate, start Node with NODE_EXTRA_CA_CERTS. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'https for a server that speaks http',
    does: async ({ failing }) => {
      const server = createServer().listen(0);
      const { port } = server.address() as AddressInfo;
      await failing(kubeClient(kubeConfigOf({ server: `https://127.0.0.1:${port}` })));
      server.closeAllConnections();
      server.close();
    },
    prints: [
      'pods of https://127.0.0.1:PORT: RXI_CONNECTION: GET /api/v1/pods: write EPROTO … routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:350: ; the server does not speak TLS: check scheme and port of `server` in the kubeconfig. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the host is unknown',
    does: ({ failing }) => failing(kubeClient(kubeConfigOf({ server: 'https://no-such-host.invalid' }))),
    prints: [
      'pods of https://no-such-host.invalid: RXI_CONNECTION: GET /api/v1/pods: getaddrinfo ENOTFOUND no-such-host.invalid; check the address of the API server and the network. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'nothing listens on the port',
    does: ({ failing }) => failing(kubeClient(kubeConfigOf({ server: 'https://127.0.0.1:1' }))),
    prints: [
      'pods of https://127.0.0.1:1: RXI_CONNECTION: GET /api/v1/pods: connect ECONNREFUSED 127.0.0.1:1; check the address of the API server and the network. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'fetchClient reads the page of the application',
    does: ({ failing }) =>
      failing(fetchClient({ baseUrl: 'http://page', fetch: async () => Response.json('', { status: 404 }) })),
    prints: [
      'pods of http://page: StatusError: GET /api/v1/pods: 404: ""; install pods, or correct the group, version and plural. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  // What may not be read, or does not exist
  {
    mistake: 'the token is unknown (401)',
    does: ({ server }) => {
      informer(server.clientFor('revoked'), pods).connect();
    },
    prints: [
      'pods: StatusError: GET /api/v1/pods: 401 Unauthorized: Unauthorized; check the credentials: they may have expired, or belong to another cluster. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the account may not list pods (403)',
    does: ({ stranger }) => {
      informer(stranger, pods).connect();
    },
    prints: [
      'pods: StatusError: GET /api/v1/pods: 403 Forbidden: pods is forbidden: User "stranger" cannot list resource "pods" in API group "" at the cluster scope; grant list and watch of pods, or read only some namespaces, if it has them: options namespace, inNamespaces. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the account may not list pods in its namespace (403)',
    does: ({ stranger }) => {
      informer(stranger, pods, { namespace: 'shop' }).connect();
    },
    prints: [
      'pods: StatusError: GET /api/v1/namespaces/shop/pods: 403 Forbidden: pods is forbidden: User "stranger" cannot list resource "pods" in API group "" in the namespace "shop"; grant list and watch of pods. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the account may not list nodes (403)',
    does: ({ stranger }) => {
      informer(stranger, nodes).connect();
    },
    prints: [
      'nodes: StatusError: GET /api/v1/nodes: 403 Forbidden: nodes is forbidden: User "stranger" cannot list resource "nodes" in API group "" at the cluster scope; grant list and watch of nodes, or read only some namespaces, if it has them: options namespace, inNamespaces. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the account may read none of many kinds (403)',
    does: ({ stranger }) => {
      informer(stranger, pods).connect();
      informer(stranger, nodes).connect();
      informer(stranger, configMaps).connect();
    },
    prints: [
      'pods, nodes, configmaps: 3 errors of one cause, the first: StatusError: GET /api/v1/pods: 403 Forbidden: pods is forbidden: User "stranger" cannot list resource "pods" in API group "" at the cluster scope; grant list and watch of pods, or read only some namespaces, if it has them: options namespace, inNamespaces. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the kind is not installed (404)',
    does: ({ client }) => {
      informer(client, websites).connect();
    },
    prints: [
      'websites.example.com: StatusError: GET /apis/example.com/v1/websites: 404: 404 page not found; install websites.example.com, or correct the group, version and plural. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the group is wrong (404)',
    does: ({ client }) => {
      informer(client, resource({ group: 'apps', version: 'v1', plural: 'pods', namespaced: true })).connect();
    },
    prints: [
      'pods.apps: StatusError: GET /apis/apps/v1/pods: 404 NotFound: the server could not find the requested resource; install pods.apps, or correct the group, version and plural. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the field selector names a field that the kind does not have (400)',
    does: ({ client }) => {
      informer(client, pods, { fieldSelector: 'spec.image=x' }).connect();
    },
    prints: [
      'pods: StatusError: GET /api/v1/pods: 400 BadRequest: field label not supported: spec.image; select by a field that the server supports for pods, or filter the objects in this program. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'the server fails (500)',
    does: ({ client, server }) => {
      server.faults.always('any', serverFaults.respond(500));
      informer(client, pods).connect();
    },
    prints: [
      'pods: StatusError: GET /api/v1/pods: 500 InternalError: injected by serverFaults.respond(500); the log of the API server may have the reason. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  // Wrong arguments
  {
    mistake: 'informer(kubeConfig, pods)',
    does: ({ input }) => informer(input(new KubeConfig()), pods).connect(),
    prints: [
      'RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not an instance of KubeConfig',
    ],
  },
  {
    mistake: 'informer(coreV1Api, pods)',
    does: ({ input }) =>
      informer(input(kubeConfigOf({ server: 'https://x' }).makeApiClient(CoreV1Api)), pods).connect(),
    prints: [
      'RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not an instance of ObjectCoreV1Api',
    ],
  },
  {
    mistake: 'informer(undefined, pods)',
    does: ({ input }) => informer(input(undefined), pods).connect(),
    prints: ['RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not undefined'],
  },
  {
    mistake: "informer(client, 'pods')",
    does: ({ client, input }) => informer(client, input('pods')).connect(),
    prints: ['RXI_INVALID_OPTION: the resource must be a descriptor, such as pods (without quotes), not "pods"'],
  },
  {
    mistake: 'informer(client, undefined)',
    does: ({ client, input }) => informer(client, input(undefined)).connect(),
    prints: ['RXI_INVALID_OPTION: the resource must be a descriptor, such as pods (without quotes), not undefined'],
  },
  {
    mistake: 'listWatch(kubeConfig, pods)',
    does: ({ input }) => informer(listWatch(input(new KubeConfig()), pods)).connect(),
    prints: [
      'RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not an instance of KubeConfig',
    ],
  },
  {
    mistake: 'informerRegistry(kubeConfig)',
    does: ({ input }) => informerRegistry(input(new KubeConfig())).informer(pods).connect(),
    prints: [
      'RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not an instance of KubeConfig',
    ],
  },
  {
    mistake: 'informerRegistry(undefined)',
    does: ({ input }) => informerRegistry(input(undefined)).informer(pods).connect(),
    prints: ['RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not undefined'],
  },
  {
    mistake: 'kubeClient(undefined)',
    does: ({ input, failing }) => failing(kubeClient(input(undefined))),
    prints: [
      'RXI_INVALID_OPTION: the argument of kubeClient must be a KubeConfig of @kubernetes/client-node, not undefined',
    ],
  },
  {
    mistake: 'resourceClient(kubeConfig, pods)',
    does: ({ input }) => resourceClient(input(new KubeConfig()), pods).get('default/web'),
    prints: [
      'RXI_INVALID_OPTION: the client must be a client, such as kubeClient(kubeConfig), not an instance of KubeConfig',
    ],
  },
  {
    mistake: "resourceClient(client, 'pods')",
    does: ({ client, input }) => resourceClient(client, input('pods')).get('default/web'),
    prints: ['RXI_INVALID_OPTION: the resource must be a descriptor, such as pods (without quotes), not "pods"'],
  },
  {
    mistake: "get$('web'), a key without its namespace",
    does: async (program) => (await running(program)).get$('web').subscribe(),
    prints: [
      'RXI_INVALID_KEY: invalid key "web": it must have the form \'namespace/name\', because pods have a namespace; metaNamespaceKey(object) returns the key of an object',
    ],
  },
  {
    mistake: "get('web'), a key without its namespace",
    does: async (program) => (await running(program)).get('web'),
    prints: [
      'RXI_INVALID_KEY: invalid key "web": it must have the form \'namespace/name\', because pods have a namespace; metaNamespaceKey(object) returns the key of an object',
    ],
  },
  {
    mistake: "has('web'), a key without its namespace",
    does: async (program) => (await running(program)).has('web'),
    prints: [
      'RXI_INVALID_KEY: invalid key "web": it must have the form \'namespace/name\', because pods have a namespace; metaNamespaceKey(object) returns the key of an object',
    ],
  },
  {
    mistake: "until('web', …), a key without its namespace",
    does: async (program) => void (await running(program)).until('web', (pod) => pod === undefined),
    prints: [
      'RXI_INVALID_KEY: invalid key "web": it must have the form \'namespace/name\', because pods have a namespace; metaNamespaceKey(object) returns the key of an object',
    ],
  },
  {
    mistake: 'get(pod), an object instead of a key',
    does: async (program) => (await running(program)).get(program.input(aPod({ name: 'web' }))),
    prints: [
      'RXI_INVALID_KEY: invalid key "an object": it must have the form \'namespace/name\', because pods have a namespace; metaNamespaceKey(object) returns the key of an object',
    ],
  },
  {
    mistake: "list('app=web'), which list$ accepts",
    does: async (program) => {
      const all = await running(program);
      console.log(all.list('app=web').map((pod) => pod.metadata.name));
    },
    prints: ['web'],
  },
  {
    mistake: 'whenSynced() before anything is subscribed to',
    does: ({ client }) => informer(client, pods).whenSynced(),
    prints: [
      'RXI_NOT_RUNNING: the informer is not running, so it would never sync; call connect() or subscribe to it first',
    ],
  },
  {
    mistake: 'reading an informer that is never started',
    does: ({ client }) => {
      const all = informer(client, pods);
      all.list();
      all.get('default/web');
    },
    prints: [
      'pods was read but never started, so it has no objects. Subscribe to one of its streams, or call connect() and await whenSynced(), before you read it. It was read (at PLACE). This is reported in development only.',
    ],
  },
  {
    mistake: 'reading a derived collection that is never started',
    does: ({ client }) => derived.filter(informer(client, pods), 'app=web').list(),
    prints: [
      'filter(pods) was read but never started, so it has no objects. Subscribe to one of its streams, or call connect() and await whenSynced(), before you read it. It was read (at PLACE). This is reported in development only.',
    ],
  },
  {
    mistake: 'reading an informer just before it is started, which is allowed',
    does: ({ client }) => {
      const all = informer(client, pods);
      all.list();
      all.connect();
    },
    prints: [],
  },
  {
    mistake: 'waiting for a first list that takes long',
    does: ({ client, server }) => {
      server.faults.always('list', serverFaults.delay(40_000));
      server.faults.always('watch', serverFaults.delay(40_000));
      informer(client, pods, { initialList: 'pages' }).connect();
      jest.advanceTimersByTime(10_000);
    },
    prints: [
      'pods: the first list is not complete after 10 s; 0 objects have been received. Streams emit, and whenSynced() resolves, once it is complete. status$ shows the progress. This is reported in development only.',
    ],
  },
  {
    mistake: 'waiting for a registry until a signal aborts it',
    does: async ({ client, server }) => {
      server.faults.always('any', serverFaults.delay(40_000));
      const registry = informerRegistry(client);
      registry.informer(pods);
      registry.informer(configMaps);
      registry.start();
      const abort = new AbortController();
      const synced = registry.whenSynced({ signal: abort.signal });
      abort.abort(new Error('it took too long'));
      await synced;
    },
    prints: [
      'whenSynced() of a registry was aborted before these had synced: pods (listing), configmaps (listing). This is reported in development only.',
      'Error: it took too long',
    ],
  },
  {
    mistake: 'a derived collection of an indexer that is never filled',
    does: () => {
      derived.filter(createIndexer<Pod>(metaNamespaceKey), 'app=web').list$().subscribe();
    },
    prints: [
      'filter(indexer) does not sync, because it waits for the first content of indexer. Add objects to it, or call replace([]) if there are none. This is reported in development only.',
    ],
  },
  {
    mistake: 'a join of two indexers, of which one is never filled',
    does: () => {
      const [left, right] = [createIndexer<Pod>(metaNamespaceKey), createIndexer<Pod>(metaNamespaceKey)];
      left.replace([]);
      derived.leftJoin(left, right, { on: () => 'a', select: (pod) => pod }).connect();
    },
    prints: [
      'leftJoin(left, right) does not sync, because it waits for the first content of right. Add objects to it, or call replace([]) if there are none. This is reported in development only.',
    ],
  },
  {
    mistake: 'collections by name, of which one is never filled',
    does: () => {
      const names = createIndexer<Pod>(metaNamespaceKey, {}, { name: 'my pods' });
      derived.ownerTree({ owners: createIndexer<Pod>(metaNamespaceKey), pods: names }).connect();
    },
    prints: [
      'ownerTree(owners, my pods) does not sync, because it waits for the first content of owners, my pods. Add objects to it, or call replace([]) if there are none. This is reported in development only.',
    ],
  },
  {
    mistake: 'byIndex of an unknown index',
    does: async (program) => (await running(program)).byIndex(program.input('app'), 'web'),
    prints: ['RXI_UNKNOWN_INDEX: there is no index "app"; known indexes: node'],
  },
  {
    mistake: 'byIndex$ of an unknown index',
    does: async (program) => (await running(program)).byIndex$(program.input('app'), 'web').subscribe(),
    prints: ['RXI_UNKNOWN_INDEX: there is no index "app"; known indexes: node'],
  },
  {
    mistake: 'byIndex of an informer without indexes',
    does: ({ client, input }) => informer(client, pods).byIndex(input('node'), 'worker-1'),
    prints: ['RXI_UNKNOWN_INDEX: there is no index "node"; the collection has no indexes; pass indexers: { … }'],
  },
  {
    mistake: 'an index function throws',
    does: ({ client }) => {
      const indexers = { first: (pod: Pod) => (pod.status as { ip: { first: string } }).ip.first };
      informer(client, pods, { indexers }).connect();
    },
    prints: [
      'pods: RXI_INDEX_FUNCTION: index function "first" failed for Pod default/cache, which is missing from that index: Cannot read properties of undefined (reading \'first\') (at PLACE). To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'an index function returns a number',
    does: ({ client, input }) => {
      informer(client, pods, { indexers: { five: () => input(5) } }).connect();
    },
    prints: [
      'pods: RXI_INDEX_FUNCTION: index function "five" failed for Pod default/cache, which is missing from that index: an index function must return a string, an array of strings or undefined, not number (at PLACE). To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'indexByField of a malformed path',
    does: () => indexByField('spec..nodeName'),
    prints: [
      "RXI_INVALID_OPTION: the path of indexByField must be of the form 'spec.nodeName' or ['metadata', 'annotations', 'a.b/c'], not \"spec..nodeName\"",
    ],
  },
  {
    mistake: 'resource() without a plural',
    does: ({ input }) => resource(input({ group: '', version: 'v1', namespaced: true })),
    prints: [
      'RXI_INVALID_RESOURCE: invalid resource {"group":"","version":"v1","namespaced":true}: plural must be the lower-case plural of the URL, such as deployments',
    ],
  },
  {
    mistake: 'resource() without namespaced',
    does: ({ input }) => resource(input({ group: '', version: 'v1', plural: 'pods' })),
    prints: [
      'RXI_INVALID_RESOURCE: invalid resource {"group":"","version":"v1","plural":"pods"}: namespaced must be true or false',
    ],
  },
  {
    mistake: 'an invalid namespace',
    does: ({ client }) => informer(client, pods, { namespace: 'Web/1' }),
    prints: [
      'RXI_RESOURCE_PATH: cannot address pods with {"namespace":"Web/1"}: namespace "Web/1" cannot be part of a path',
    ],
  },
  {
    mistake: 'a namespace for a kind that has none',
    does: ({ client }) => informer(client, nodes, { namespace: 'web' }),
    prints: [
      'RXI_RESOURCE_PATH: cannot address nodes with {"namespace":"web"}: the resource is cluster-scoped; leave the namespace out',
    ],
  },
  {
    mistake: 'no namespace at all',
    does: ({ client }) => informer(client, pods, { namespace: inNamespaces([]) }),
    prints: [
      'inNamespaces([]) selects no namespace, so nothing is read. Pass at least one namespace, or leave out the option namespace to read all of them. This is reported in development only.',
    ],
  },
  {
    mistake: 'list$ of a malformed selector',
    does: async (program) => (await running(program)).list$('app in (web').subscribe(),
    prints: [
      "RXI_INVALID_SELECTOR: invalid label selector \"app in (web\": column 12: found the end, expected ',' or ')'",
    ],
  },
  {
    mistake: 'the option labelSelector is malformed',
    does: ({ client }) => informer(client, pods, { labelSelector: 'app in web' }).connect(),
    prints: ["RXI_INVALID_SELECTOR: invalid label selector \"app in web\": column 8: found 'web', expected '('"],
  },
  {
    mistake: 'a map of labels as a selector',
    does: async (program) => (await running(program)).list$(program.input({ app: 'web' })).subscribe(),
    prints: [
      'RXI_INVALID_SELECTOR: invalid label selector {"app":"web"}: it has the field "app", but only matchLabels and matchExpressions are fields of a selector; write a map of labels as { matchLabels }, and the selector of a Service as serviceSelector(service)',
    ],
  },
  {
    mistake: 'pageSize: NaN',
    does: ({ client }) => informer(client, pods, { pageSize: NaN }),
    prints: ['RXI_INVALID_OPTION: pageSize must be a whole number of at least 1, not NaN'],
  },
  {
    mistake: 'linger: -5',
    does: ({ client }) => informer(client, pods, { linger: -5 }),
    prints: ['RXI_INVALID_OPTION: linger must be between 0 and 2147483647 ms, not -5'],
  },
  {
    mistake: "linger: 'long'",
    does: ({ client, input }) => informer(client, pods, { linger: input('long') }),
    prints: ['RXI_INVALID_OPTION: linger must be between 0 and 2147483647 ms, not "long"'],
  },
  {
    mistake: 'a misspelt option',
    does: ({ client, input }) => informer(client, pods, input({ labelselector: 'app=web' })),
    prints: ['RXI_INVALID_OPTION: an option of listWatch must be named labelSelector, not "labelselector"'],
  },
  {
    mistake: 'an unknown value of an option',
    does: ({ client, input }) => informer(client, pods, { initialList: input('streamed') }),
    prints: ['RXI_INVALID_OPTION: initialList must be "stream" or "pages" or "auto", not "streamed"'],
  },
  {
    mistake: 'a misspelt event handler',
    does: async (program) => addEventHandler(await running(program), program.input({ onadd: () => undefined })),
    prints: ['RXI_INVALID_OPTION: a callback of addEventHandler must be named onAdd, not "onadd"'],
  },
  {
    mistake: 'objects without metadata',
    does: () => createIndexer<object>(metaNamespaceKey).add({ name: 'web' }),
    prints: ['RXI_KEY: cannot compute the key of an object: the object cannot be identified: it has no metadata'],
  },
  {
    mistake: 'a transform that throws',
    does: ({ client }) => {
      const transform = (): Pod => {
        throw new Error('no labels');
      };
      informer(client, pods, { transform }).connect();
    },
    prints: [
      'pods: RXI_TRANSFORM: transform failed for default/cache: no labels (at PLACE). To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'an event handler that throws',
    does: async (program) => {
      addEventHandler(await running(program), {
        onAdd: () => {
          throw new Error('no labels');
        },
      });
    },
    prints: [
      'pods: RXI_HANDLER: onAdd threw for Pod default/cache: no labels (at PLACE). To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'a function passed to select$ throws',
    does: async (program) => {
      const all = await running(program);
      all.select$(() => (undefined as unknown as Pod).metadata).subscribe();
    },
    prints: [
      "pods: RXI_SELECT: a function passed to select$ threw for version 1; the stream keeps its last value: Cannot read properties of undefined (reading 'metadata') (at PLACE). To handle such errors, subscribe to errors$",
    ],
  },
  {
    mistake: 'query(matching({ app }))',
    does: async (program) => (await running(program)).query(matching(program.input({ app: 'web' }))),
    prints: [
      'RXI_INVALID_SELECTOR: invalid label selector {"app":"web"}: it has the field "app", but only matchLabels and matchExpressions are fields of a selector; write a map of labels as { matchLabels }, and the selector of a Service as serviceSelector(service)',
    ],
  },
  {
    mistake: 'changing an object of the cache',
    does: async (program) => {
      const [pod] = (await running(program)).list();
      Object.assign(pod ?? {}, { color: 'red' });
    },
    prints: ['TypeError: Cannot add property color, object is not extensible'],
  },
  {
    mistake: 'sorting the array of the cache',
    does: async (program) => {
      ((await running(program)).list() as Pod[]).sort();
    },
    prints: ["TypeError: Cannot assign to read only property '0' of object '[object Array]'"],
  },
  // Writes
  {
    mistake: 'a write that is not awaited',
    does: ({ client }) => {
      void resourceClient(client, configMaps).create(aConfigMap({ name: 'settings' }));
    },
    prints: [
      'create of configmaps default/settings was never sent, because its ApiCall was neither awaited nor subscribed to; await it, or make it inside defer() if it is not always needed. The call was made (at PLACE). This is reported once for each place, in development only. UnsentApiCallWarning',
    ],
  },
  {
    mistake: 'an edit that is not awaited',
    does: ({ client }) => {
      void edit(resourceClient(client, configMaps), aConfigMap({ name: 'settings' }), () => undefined);
    },
    prints: [
      'edit of configmaps default/settings was never sent, because its ApiCall was neither awaited nor subscribed to; await it, or make it inside defer() if it is not always needed. The call was made (at PLACE). This is reported once for each place, in development only. UnsentApiCallWarning',
    ],
  },
  {
    mistake: 'create without a namespace',
    does: ({ client, input }) => resourceClient(client, configMaps).create(input({ metadata: { name: 'settings' } })),
    prints: [
      'RXI_RESOURCE_PATH: cannot address configmaps with {"name":"settings"}: pass the namespace in which to create the object',
    ],
  },
  {
    mistake: 'patch without a namespace',
    does: ({ client }) => resourceClient(client, configMaps).patch('settings', { data: {} }),
    prints: [
      'RXI_RESOURCE_PATH: cannot address configmaps with {"namespace":"","name":"settings"}: the resource is namespaced; pass the namespace of the object',
    ],
  },
  {
    mistake: 'get without a namespace',
    does: ({ client }) => resourceClient(client, pods).get('web'),
    prints: [
      'RXI_RESOURCE_PATH: cannot address pods with {"namespace":"","name":"web"}: the resource is namespaced; pass the namespace of the object',
    ],
  },
  {
    mistake: 'get of an object that does not exist',
    does: ({ client }) => resourceClient(client, pods).get('default/none'),
    prints: ['StatusError: GET /api/v1/namespaces/default/pods/none: 404 NotFound: pods "none" not found'],
  },
  {
    mistake: 'a write that the account may not do (403)',
    does: ({ stranger }) => resourceClient(stranger, configMaps).create(aConfigMap({ name: 'settings' })),
    prints: [
      'StatusError: POST /api/v1/namespaces/default/configmaps: 403 Forbidden: configmaps is forbidden: User "stranger" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ],
  },
  {
    mistake: 'apply without a fieldManager',
    does: ({ client, input }) => resourceClient(client, configMaps).apply(input(aConfigMap({ name: 'settings' }))),
    prints: [
      'StatusError: PATCH /api/v1/namespaces/default/configmaps/settings: 422 Invalid: PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
  },
  {
    mistake: 'deleteCollection of a selector that selects everything',
    does: ({ client }) => resourceClient(client, pods).deleteCollection({ namespace: 'default', labelSelector: {} }),
    prints: [
      'RXI_INVALID_OPTION: labelSelector must be a selector that does not select everything; to delete all objects, pass all: true, not {}',
    ],
  },
  // Controllers
  {
    mistake: 'reconcile always throws',
    does: ({ client, clock }) => {
      controller({
        for: informer(client, pods),
        scheduler: clock,
        random: () => 0.5,
        reconcile: () => {
          throw new TypeError("Cannot read properties of undefined (reading 'spec')");
        },
      }).subscribe();
    },
    prints: [
      "controller: reconcile failed; retrying key=default/cache attempt=1 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/db attempt=1 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/web attempt=1 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/cache attempt=2 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/db attempt=2 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/web attempt=2 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/cache attempt=3 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/db attempt=3 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/web attempt=3 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE)",
      "controller: reconcile failed; retrying key=default/cache attempt=4 error=TypeError: Cannot read properties of undefined (reading 'spec') (at PLACE). Further lines of this minute are left out; pass a logger to see all",
    ],
  },
  {
    mistake: 'the controller may not watch its kinds (403)',
    does: ({ stranger, clock }) => {
      controller({
        for: informer(stranger, pods),
        scheduler: clock,
        owns: [informer(stranger, configMaps)],
        reconcile: () => undefined,
      }).subscribe();
    },
    prints: [
      'pods, configmaps: 2 errors of one cause, the first: StatusError: GET /api/v1/pods: 403 Forbidden: pods is forbidden: User "stranger" cannot list resource "pods" in API group "" at the cluster scope; grant list and watch of pods, or read only some namespaces, if it has them: options namespace, inNamespaces. The informer tries again by itself. To handle such errors, subscribe to errors$',
    ],
  },
  {
    mistake: 'a controller without reconcile',
    does: ({ client, input }) => controller(input({ for: informer(client, pods) })),
    prints: [
      'RXI_INVALID_OPTION: reconcile must be a function, such as async ({ object, signal }) => { … }, not undefined',
    ],
  },
  {
    mistake: 'controller({})',
    does: ({ input }) => controller(input({ reconcile: () => undefined })),
    prints: [
      'RXI_INVALID_OPTION: for must be a collection, such as an informer, or { source: collection }, not undefined',
    ],
  },
  {
    mistake: 'controller({ for: pods })',
    does: ({ input }) => controller({ for: input(pods), reconcile: () => undefined }),
    prints: [
      'RXI_INVALID_OPTION: for must be a collection, such as an informer, or { source: collection }, not an object',
    ],
  },
  {
    mistake: 'a map function of a controller throws',
    does: ({ client, clock }) => {
      controller({
        for: informer(client, pods),
        scheduler: clock,
        random: () => 0.5,
        watches: [{ source: informer(client, pods), map: () => ((undefined as unknown as Pod).metadata, undefined) }],
        reconcile: () => undefined,
      }).subscribe();
    },
    prints: [
      "controller: a trigger failed and skipped this object or value trigger=watches[0] key=default/cache error=TypeError: Cannot read properties of undefined (reading 'metadata') (at PLACE) outcome=skipped",
      "controller: a trigger failed and skipped this object or value trigger=watches[0] key=default/db error=TypeError: Cannot read properties of undefined (reading 'metadata') (at PLACE) outcome=skipped",
      "controller: a trigger failed and skipped this object or value trigger=watches[0] key=default/web error=TypeError: Cannot read properties of undefined (reading 'metadata') (at PLACE) outcome=skipped",
    ],
  },
];

describe('a mistake prints what happened and what to do', () => {
  it.each(rows.map((row) => [row.mistake, row] as const))('%s', async (_, { does, prints }) => {
    expect(await printed(does)).toEqual(prints);
  });

  it('has at least 60 mistakes', () => {
    expect(rows.length).toBeGreaterThanOrEqual(60);
  });
});
