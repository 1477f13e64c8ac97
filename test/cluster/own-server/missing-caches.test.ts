import {
  configMaps,
  informer,
  listWatch,
  resource,
  type KubeClient,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { controller, type LogFields, type Logger, type Readiness } from 'rx-informers/controller';
import { kubeClient } from 'rx-informers/node';
import { clusterRoleBindings, clusterRoles } from 'rx-informers/resources';
import { filter, ReplaySubject } from 'rxjs';
import { configMap, connect, readKubeConfig, type Cluster } from '../support/cluster.js';
import { customKind } from '../support/custom-kind.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

let rig: Rig;
let cluster: Cluster;
let namespace: string;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
  namespace = await cluster.createNamespace();
});
afterAll(() => rig.stop());

describe('a controller without the rights or the server that it needs', () => {
  it('without rights: logs the resource and the right, and continues when the right is granted', async () => {
    await cluster.create(configMaps, configMap(namespace, 'settings'));
    const { line, keys$, readiness } = start(connect(rig.kubeConfigFile, 'nobody').client, configMaps);

    const { fields } = await line('warn', 'waiting for a cache');
    expect(fields).toMatchObject({ controller: 'settings', trigger: 'for', resource: 'configmaps', hasSynced: false });
    expect(fields['reason']).toMatch(
      /^listing configmaps failed: GET \/api\/v1\/\S+: 403 Forbidden: configmaps is forbidden: .*; grant list and watch of configmaps/,
    );
    expect(readiness()).toEqual({
      isReady: false,
      reasons: [expect.stringMatching(/^for: listing configmaps failed/)],
    });

    const reads = { metadata: { name: 'nobody-reads' } };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
    await cluster.create(clusterRoles, { ...reads, rules });
    await cluster.create(clusterRoleBindings, { ...reads, ...nobodyReads });
    await eventually(keys$, (key) => key === `${namespace}/settings`);
    await line('info', 'the cache works again');
    expect(readiness()).toEqual({ isReady: true });
  });

  it('with a CRD that is not installed: logs it, and continues when the CRD is installed', async () => {
    const kind = customKind(cluster);
    const gadgets = resource<KubernetesObject>({
      group: kind.group,
      version: 'v1',
      plural: 'gadgets',
      namespaced: true,
    });
    const { line, keys$ } = start(cluster.client, gadgets);

    const { fields } = await line('warn', 'waiting for a cache');
    const name = `gadgets.${kind.group}`;
    expect(fields['resource']).toBe(name);
    expect(fields['reason']).toMatch(/404.*; install gadgets\.\S+, or correct the group, version and plural$/);

    await kind.install();
    await cluster.create(gadgets, { kind: 'Gadget', metadata: { name: 'one', namespace }, spec: {} });
    await eventually(keys$, (key) => key === `${namespace}/one`);
  });

  it('with an unreachable server: logs it', async () => {
    const config = readKubeConfig(rig.kubeConfigFile);
    const clusters = config.clusters.map((each) => ({ ...each, server: 'https://127.0.0.1:1' }));
    const { users, contexts, currentContext } = config;
    config.loadFromOptions({ clusters, users, contexts, currentContext });
    const { line } = start(kubeClient(config), configMaps);
    const { fields } = await line('warn', 'waiting for a cache');
    expect(fields['reason']).toMatch(
      /^listing configmaps failed: .*ECONNREFUSED.*; check the address of the API server and the network$/,
    );
  });

  it('with a right that is revoked later: logs it, serves the cached objects, and continues when the right is granted again', async () => {
    const reads = { metadata: { name: 'nobody-reads' } };
    const { line, keys$, readiness } = start(connect(rig.kubeConfigFile, 'nobody').client, configMaps);
    await eventually(keys$, (key) => key === `${namespace}/settings`);
    await cluster.remove(clusterRoleBindings, reads);
    // The server checks the rights of a watch only when it is opened.
    await rig.restart();
    await line('warn', 'waiting for a cache', /^(watching|listing) configmaps failed: .*: 403 Forbidden: /);
    expect(readiness()).toEqual({ isReady: true });

    await cluster.create(clusterRoleBindings, { ...reads, ...nobodyReads });
    await line('info', 'the cache works again');
  });
});

interface Line {
  readonly level: keyof Logger;
  readonly fields: LogFields;
  readonly message: string;
}

function start(client: KubeClient, of: Resource<KubernetesObject>) {
  const lines$ = new ReplaySubject<Line>(1_000);
  const keys$ = new ReplaySubject<string>(1_000);
  const log = (level: keyof Logger) => (fields: LogFields, message: string) => {
    lines$.next({ level, fields, message });
  };
  const settings$ = controller({
    name: 'settings',
    for: informer(listWatch(client, of, { namespace })),
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    reconcile: ({ key }) => {
      keys$.next(key);
    },
  });
  untilTestEnds(settings$.subscribe());
  return {
    keys$,
    line: (level: Line['level'], message: string, reason = /^/): Promise<Line> =>
      eventually(lines$.pipe(filter((line) => line.level === level && line.message === message)), ({ fields }) =>
        reason.test(String(fields['reason'])),
      ),
    readiness: (): Readiness | undefined => {
      let now: Readiness | undefined;
      settings$.ready$.subscribe((readiness) => (now = readiness)).unsubscribe();
      return now;
    },
  };
}

const nobodyReads = {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nobody-reads' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'nobody' }],
};
