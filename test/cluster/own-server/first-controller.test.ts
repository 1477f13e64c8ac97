import { execFileSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import {
  configMaps,
  leases,
  namespaces,
  resource,
  roles,
  type ConfigMap,
  type KubernetesObject,
  type Role,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { clusterRoles, type ClusterRole } from 'rx-informers/resources';
import { firstValueFrom } from 'rxjs';
import { missingLine } from '../../../scripts/guide/missing-line.js';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { until } from '../../support/until.js';
import { connect, readKubeConfig, type Cluster } from '../support/cluster.js';
import { createGuideProject, type GuideProject } from '../support/guide-project.js';
import { buildImage, type Image } from '../support/image.js';
import { startPod, type DeploymentManifest, type Pod, type ServiceAccountFiles } from '../support/pod.js';
import { startRig, type Rig } from '../support/rig.js';

// docs/tutorials/first-controller.md, from "Run it" on, at a complete API server with RBAC. There
// is no kubelet and no Docker: the image is a folder, and a pod is a process.
// `npm run task -- guide` follows what comes before.
let rig: Rig;
let cluster: Cluster;
let project: GuideProject;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
  project = createGuideProject('docs/tutorials/first-controller.md');
});
afterAll(async () => {
  // First the server: if the project could not be created, jest would not end while it runs.
  await rig.stop();
  project.remove();
});

const clocks = resource<KubernetesObject & { readonly spec: unknown }>({
  group: 'example.com',
  version: 'v1',
  plural: 'clocks',
  kind: 'Clock',
  namespaced: true,
});

describe('docs/tutorials/first-controller.md', () => {
  it.each([
    ['the kind is not installed', '404', ''],
    [
      'the API server is unreachable',
      'ECONNREFUSED',
      "sed 's|127.0.0.1:[0-9]*|127.0.0.1:1|' $KUBECONFIG > nowhere && export KUBECONFIG=nowhere",
    ],
  ])('What you see: if %s, /readyz reports it as the page shows', async (_cause, problem, prepare) => {
    const port = await freePort();
    const wait = `until curl -s localhost:${port}/readyz | grep ${problem}; do sleep 0.1; done`;
    const printed = bash(`set -em\n${prepare}\nnode --import tsx main.ts &\n${wait}\nkill %1 && wait %1`, {
      PORT: String(port),
    });
    const documented = project.page
      .split('\n')
      .filter((line) => line.startsWith('clock: for: ') && line.includes(problem));
    expect(documented).toHaveLength(1);
    expect(missingLine(printed, documented.join('\n'))).toBeUndefined();
  });

  it('Run it: the commands work in their order and print what the page shows', async () => {
    const [{ commands, output } = { commands: '', output: '' }] = project.clusterCommands;
    const port = await freePort();
    const script = `set -em\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${commands.replaceAll('localhost:8080', `localhost:${port}`)}\nkill %1 && wait %1\nkubectl delete -n default -f clocks.yaml\n`;
    const printed = bash(script, { PORT: String(port) });
    expect(missingLine(printed, output)).toBeUndefined();
    expect(printed).toContain('stopped the process');
  });

  it('Deploy it: kubectl validates and accepts every manifest', () => {
    const [, { commands } = { commands: '' }] = project.clusterCommands;
    // There is no Docker here, and no controller that creates the pods of a Deployment.
    const lines = commands.split('\n').filter((line) => !/^(docker|kubectl rollout|kubectl logs) /.test(line));
    expect(bash(`set -e\n${lines.join('\n')}\n`)).toContain('deployment.apps/clock-controller created');
    const misspelt = `sed s/readinessProbe/readynessProbe/ deployment.yaml | kubectl apply -f - 2>&1 || true`;
    expect(bash(misspelt)).toMatch(/unknown field/);
  });

  describe('Deploy it: the command of the Dockerfile, run as the ServiceAccount of the Deployment', () => {
    let image: Image;
    let deployment: DeploymentManifest;
    let account: ServiceAccountFiles;
    beforeAll(async () => {
      image = buildImage(project);
      [deployment] = project.manifests('deployment.yaml') as [DeploymentManifest];
      account = await serviceAccountFiles(deployment);
    });
    const running: Pod[] = [];
    const start = async (): Promise<Pod> => {
      const pod = startPod(image, deployment, account, await freePort());
      running.push(pod);
      return pod;
    };
    afterEach(async () => {
      for (const pod of running.splice(0)) await pod.stop();
    });

    it('runs as a non-root user, as the Deployment requires', () => {
      const { runAsNonRoot, runAsUser } = deployment.spec.template.spec.securityContext;
      expect({ runAsNonRoot, runAsUser }).toEqual({ runAsNonRoot: true, runAsUser: image.user });
      expect(image.user).toBeGreaterThan(0);
    });

    it('becomes ready, reconciles, and releases its lease within the grace period on SIGTERM', async () => {
      const pod = await start();
      await untilReady(pod);
      await createClock('deployed');
      await untilClockRuns('deployed');
      expect(await pod.probe('livenessProbe')).toMatchObject({ status: 200 });
      const holder = await leaseHolder();
      const limit = Number.parseInt(deployment.spec.template.spec.containers[0]?.resources.limits.memory ?? '');
      const peak = pod.peakMemory();
      console.log(`the clock controller needs ${peak.toFixed(0)} MiB at most; its limit is ${limit} MiB`);
      expect(peak).toBeLessThan(limit);

      const { exitCode, seconds } = await pod.stop();
      expect({ exitCode, holder: await leaseHolder() }).toEqual({ exitCode: 0, holder: '' });
      expect(holder).not.toBe('');
      expect(seconds).toBeLessThan(deployment.spec.template.spec.terminationGracePeriodSeconds);
      expect(pod.log()).not.toMatch(/"level":"(warn|error)"/);
    });

    it('a second replica is ready on standby, and takes over when the leader is stopped', async () => {
      const leader = await start();
      await untilReady(leader);
      await until(async () => (await leaseHolder()) !== '', { what: 'the first replica leads', within: 60_000 });
      const standby = await start();
      await untilReady(standby);
      await leader.stop();
      await createClock('after-takeover');
      await untilClockRuns('after-takeover');
      expect(standby.log()).toMatch(/"message":"became leader"/);
    });

    it('without the right to read ConfigMaps, its log and /readyz report it as the page shows, until the right is granted', async () => {
      const giveBack = await take('configmaps', ['list', 'watch']);
      const pod = await start();
      await until(
        async () => {
          const readiness = await pod.probe('readinessProbe');
          return readiness?.status === 503 && readiness.body.includes('403');
        },
        { what: 'the cache of ConfigMaps is forbidden', within: 60_000 },
      );
      const { body = '' } = (await pod.probe('readinessProbe')) ?? {};
      const documented = project.page.split('\n').filter((line) => /^clock: .*403 Forbidden/.test(line));
      expect(documented).toHaveLength(1);
      expect(missingLine(body, documented.join('\n'))).toBeUndefined();
      expect(pod.log()).toMatch(/"level":"warn","message":"waiting for a cache".*403 Forbidden/);

      await giveBack();
      await untilReady(pod);
    });

    it('without the right to write, its log shows what the page shows', async () => {
      const giveBack = await take('configmaps', ['create', 'patch']);
      const pod = await start();
      await createClock('without-writes');
      const [message] = documented('the right to write');
      await until(() => pod.log().includes(`"message":"${message}"`), {
        what: `the log says ${message}`,
        within: 60_000,
      });
      expect(pod.log()).toContain('403 Forbidden');
      await giveBack();
      await untilClockRuns('without-writes');
    });

    it('without the rights for the lease, its log shows what the page shows', async () => {
      const giveBack = await take('leases', ['get', 'create', 'update']);
      const pod = await start();
      const [message] = documented('the rights for the lease');
      await until(() => pod.log().includes(`"message":"${message}"`), {
        what: `the log says ${message}`,
        within: 60_000,
      });
      expect(pod.log()).not.toContain('"message":"became leader"');
      await giveBack();
      await until(() => pod.log().includes('"message":"became leader"'), { what: 'it leads', within: 60_000 });
    });

    it('if its port is taken, its log and its exit code are as on the page', async () => {
      const first = await start();
      await untilReady(first);
      const second = startPod(image, deployment, account, first.port);
      expect(await second.exited).toBe(1);
      const [message, error] = documented('the port');
      expect(second.log()).toContain(`"message":"${message}"`);
      expect(second.log()).toContain(error?.replace('8080', String(first.port)));
    });
  });
});

/** Removes verbs on a resource from the roles of the page; returns a function to restore them. */
async function take(resourceName: string, verbs: readonly string[]): Promise<() => Promise<void>> {
  const key = resourceName === 'leases' ? 'clock-system/clock-controller' : 'clock-controller';
  const role = resourceClient<Role | ClusterRole>(cluster.client, resourceName === 'leases' ? roles : clusterRoles);
  const { rules = [] } = await role.get(key);
  const fewer = rules.map((rule) =>
    rule.resources?.includes(resourceName)
      ? { ...rule, verbs: rule.verbs.filter((verb) => !verbs.includes(verb)) }
      : rule,
  );
  await role.patch(key, { rules: fewer.filter((rule) => rule.verbs.length > 0) });
  return async () => {
    await role.patch(key, { rules });
  };
}

/** Returns the quoted parts of a row of the page's table of causes. */
function documented(cause: string): readonly string[] {
  const row = project.page.split('\n').find((line) => line.startsWith(`| ${cause} |`)) ?? '';
  return [...row.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted);
}

function bash(script: string, environment: NodeJS.ProcessEnv = {}): string {
  return execFileSync('bash', ['-c', script], {
    cwd: project.folder,
    env: { ...process.env, KUBECONFIG: rig.kubeConfigFile, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
  });
}

/** The files that the kubelet would mount. */
async function serviceAccountFiles({ metadata, spec }: DeploymentManifest): Promise<ServiceAccountFiles> {
  const { status } = await firstValueFrom(
    requestJson<{ readonly status: { readonly token: string } }>(cluster.client, {
      method: 'POST',
      path: `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${spec.template.spec.serviceAccountName}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    }),
  );
  const { server = '', caData = '' } = readKubeConfig(rig.kubeConfigFile).getCurrentCluster() ?? {};
  return { token: status.token, authority: Buffer.from(caData, 'base64').toString(), url: new URL(server) };
}

function untilReady(pod: Pod): Promise<void> {
  return until(async () => (await pod.probe('readinessProbe'))?.status === 200, {
    what: 'the pod is ready',
    within: 60_000,
  });
}

/** In its own namespace, because a ServiceAccount of one namespace reconciles all. */
async function createClock(name: string): Promise<void> {
  await cluster.create(namespaces, { metadata: { name } });
  await cluster.create(clocks, { metadata: { namespace: name, name: 'clock' }, spec: { timeZone: 'UTC' } });
}

function untilClockRuns(namespace: string): Promise<void> {
  const configMapClient = resourceClient<ConfigMap>(cluster.client, configMaps);
  return until(
    () =>
      configMapClient.get(`${namespace}/clock`).then(
        ({ data }) => /^\d\d:\d\d:\d\d$/.test(data?.['time'] ?? ''),
        () => false,
      ),
    { what: `there is a ConfigMap in ${namespace}`, within: 60_000 },
  );
}

async function leaseHolder(): Promise<string> {
  const lease = await resourceClient(cluster.client, leases).get('clock-system/clock-controller');
  return lease.spec?.holderIdentity ?? '';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
