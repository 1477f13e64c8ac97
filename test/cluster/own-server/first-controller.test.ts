import { execFileSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import {
  clusterRoles,
  configMaps,
  leases,
  namespaces,
  requestJson,
  resource,
  type ConfigMap,
  type KubernetesObject,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/controller';
import { firstValueFrom } from 'rxjs';
import { missingLine } from '../../../scripts/guide/missing-line.js';
import { until } from '../../browser/support/until.js';
import { connect, readKubeConfig, type Cluster } from '../support/cluster.js';
import { createGuideProject, type GuideProject } from '../support/guide-project.js';
import { buildImage, type Image } from '../support/image.js';
import { startPod, type DeploymentManifest, type Pod, type ServiceAccountFiles } from '../support/pod.js';
import { startRig, type Rig } from '../support/rig.js';

// docs/first-controller.md, from "Run it" on, at a complete API server with RBAC. There is no kubelet and no Docker: the image is
// a folder, and a pod is a process. `npm run guide` follows what comes before.
let rig: Rig;
let cluster: Cluster;
let project: GuideProject;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
  project = createGuideProject('first-controller');
});
afterAll(async () => {
  project.remove();
  await rig.stop();
});

const clocks = resource<KubernetesObject & { readonly spec: unknown }>({
  group: 'example.com',
  version: 'v1',
  plural: 'clocks',
  kind: 'Clock',
  namespaced: true,
});

describe('docs/first-controller.md', () => {
  it('Run it: the commands work in their order and print what the page says', async () => {
    const [{ commands, output } = { commands: '', output: '' }] = project.clusterCommands;
    const port = await freePort();
    const script = `set -em\n${commands.replaceAll('localhost:8080', `localhost:${port}`)}\nkill %1 && wait %1\nkubectl delete -n default -f clocks.yaml\n`;
    const printed = bash(script, { PORT: String(port) });
    expect(missingLine(printed, output)).toBeUndefined();
    expect(printed).toContain('stopped the process');
  });

  it('Deploy it: kubectl accepts every manifest, and validates them', () => {
    const [, { commands } = { commands: '' }] = project.clusterCommands;
    // There is no Docker here, and nothing that would make pods of a Deployment.
    const lines = commands.split('\n').filter((line) => !/^(docker|kubectl rollout|kubectl logs) /.test(line));
    expect(bash(`set -e\n${lines.join('\n')}\n`)).toContain('deployment.apps/clock-controller created');
    const misspelt = `sed s/readinessProbe/readynessProbe/ deployment.yaml | kubectl apply -f - 2>&1 || true`;
    expect(bash(misspelt)).toMatch(/unknown field/);
  });

  describe('Deploy it: the command of the Dockerfile, as the ServiceAccount of the Deployment', () => {
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

    it('runs as a user that is not root, as the Deployment demands', () => {
      const { runAsNonRoot, runAsUser } = deployment.spec.template.spec.securityContext;
      expect({ runAsNonRoot, runAsUser }).toEqual({ runAsNonRoot: true, runAsUser: image.user });
      expect(image.user).toBeGreaterThan(0);
    });

    it('becomes ready, reconciles, and gives its lease back within the grace period on SIGTERM', async () => {
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
      await until('the first replica leads', async () => (await leaseHolder()) !== '');
      const standby = await start();
      await untilReady(standby);
      await leader.stop();
      await createClock('after-takeover');
      await untilClockRuns('after-takeover');
      expect(standby.log()).toMatch(/"message":"became leader"/);
    });

    it('without one rule of its role it says so as the page shows, and works as soon as the rule is back', async () => {
      const role = resourceClient(cluster.client, clusterRoles);
      const { rules = [] } = await role.get('clock-controller');
      const withoutConfigMaps = rules.filter(({ resources }) => !resources?.includes('configmaps'));
      await role.patch('clock-controller', { rules: withoutConfigMaps });
      const pod = await start();
      await until('the cache of ConfigMaps is forbidden', async () => {
        const readiness = await pod.probe('readinessProbe');
        return readiness?.status === 503 && readiness.body.includes('403');
      });
      const { body = '' } = (await pod.probe('readinessProbe')) ?? {};
      const documented = project.page.split('\n').filter((line) => /^clock: .*403 Forbidden/.test(line));
      expect(documented).toHaveLength(1);
      expect(missingLine(body, documented.join('\n'))).toBeUndefined();
      expect(pod.log()).toMatch(/"level":"warn","message":"waiting for a cache".*403 Forbidden/);

      await role.patch('clock-controller', { rules });
      await untilReady(pod);
    });
  });
});

function bash(script: string, environment: NodeJS.ProcessEnv = {}): string {
  return execFileSync('bash', ['-c', script], {
    cwd: project.folder,
    env: { ...process.env, KUBECONFIG: rig.kubeConfigFile, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
  });
}

/** What the kubelet would mount. */
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
  return until('the pod is ready', async () => (await pod.probe('readinessProbe'))?.status === 200);
}

/** In a namespace of its own, because a ServiceAccount of one namespace reconciles all. */
async function createClock(name: string): Promise<void> {
  await cluster.create(namespaces, { metadata: { name } });
  await cluster.create(clocks, { metadata: { namespace: name, name: 'clock' }, spec: { timeZone: 'UTC' } });
}

function untilClockRuns(namespace: string): Promise<void> {
  const configMapClient = resourceClient<ConfigMap>(cluster.client, configMaps);
  return until(`there is a ConfigMap in ${namespace}`, () =>
    configMapClient.get(`${namespace}/clock`).then(
      ({ data }) => /^\d\d:\d\d:\d\d$/.test(data?.['time'] ?? ''),
      () => false,
    ),
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
