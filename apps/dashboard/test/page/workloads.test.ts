import {
  deployments,
  informer,
  listWatch,
  pods,
  replicaSets,
  services,
  type Deployment,
  type Pod,
  type ReplicaSet,
  type Service,
} from 'rx-informers';
import { aDeployment, anyObject, aPod, aReplicaSet, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { firstValueFrom, filter } from 'rxjs';
import { shownSecond } from '../../page/history/shown-time.js';
import { podEntries } from '../../page/pods/pod-entries.js';
import { selectedPart, serviceCollections, servicesWithPods } from '../../page/workloads/service-collections.js';
import { podPart, workloadCollections, workloadsWithPods } from '../../page/workloads/workload-collections.js';
import { workloadCondition } from '../../page/workloads/workload-columns.js';
import type { Workload } from '../../page/workloads/workload.js';

const revision = 'deployment.kubernetes.io/revision';

function cluster() {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler });
  const follow = <T>(resource: Parameters<typeof listWatch<T>>[1]) => informer(listWatch(server.client, resource));
  const inputs = { deployments: follow(deployments), replicaSets: follow(replicaSets), pods: follow(pods) };
  const collections = workloadCollections(inputs, podEntries(inputs.pods, shownSecond));
  const running = collections.workloads.connect();
  function deploy(name: string, replicas: number, more: Partial<Deployment> = {}): Deployment {
    return server.apply({ ...aDeployment({ name, replicas }), ...more })[0] as Deployment;
  }
  function replicaSet(owner: Deployment, number: number, replicas: number, image = 'app:1'): ReplicaSet {
    const { name } = owner.metadata;
    const made = aReplicaSet({ name: `${name}-${number}`, replicas, owner, selector: { app: name }, image });
    const metadata = { ...made.metadata, annotations: { [revision]: String(number) } };
    return server.apply({ ...made, metadata })[0] as ReplicaSet;
  }
  function pod(owner: ReplicaSet, name: string, options: Partial<Parameters<typeof aPod>[0]> = {}): Pod {
    return server.apply(aPod({ name, owner, node: 'n1', labels: { app: 'web' }, ...options }))[0] as Pod;
  }
  async function row(name: string): Promise<Workload> {
    scheduler.advance(200);
    const rows = await firstValueFrom(collections.workloads.list$().pipe(filter((all) => all.length > 0)));
    const found = rows.find((workload) => workload.name === name);
    if (found === undefined) throw new Error(`no row ${name}`);
    return found;
  }
  return { server, scheduler, collections, running, inputs, deploy, replicaSet, pod, row };
}

const waiting = (pod: Pod, reason: string, restartCount: number): Pod => ({
  ...pod,
  apiVersion: 'v1',
  kind: 'Pod',
  status: {
    ...pod.status,
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      { name: 'main', image: 'a', imageID: 'a', ready: false, restartCount, state: { waiting: { reason } } },
    ],
  },
});

describe('the workloads of the dashboard', () => {
  it('a Deployment with ready pods is "ready", with the totals of its pods', async () => {
    const { deploy, replicaSet, pod, row } = cluster();
    const current = replicaSet(deploy('web', 2), 1, 2);
    pod(current, 'a');
    pod(current, 'b');
    expect(await row('web')).toMatchObject({
      kind: 'Deployment',
      severity: 'ok',
      status: 'ready',
      wanted: 2,
      rollout: undefined,
      totals: { pods: 2, ready: 2, restarts: 0, phases: { running: 2 } },
    });
  });

  it('a rollout shows each pod that comes and goes, from revision to revision', async () => {
    const { server, deploy, replicaSet, pod, row } = cluster();
    const deployment = deploy('web', 2);
    const old = replicaSet(deployment, 1, 2);
    pod(old, 'a');
    pod(old, 'b');
    const current = replicaSet(deployment, 2, 1, 'registry.example.com/app:2');
    pod(current, 'c');
    expect(await row('web')).toMatchObject({
      severity: 'progressing',
      status: 'rolling out',
      rollout: { updated: 1, ready: 1, wanted: 2, old: 2, blockedBy: undefined },
      revisions: [
        { number: 2, images: ['registry.example.com/app:2'], totals: { pods: 1 } },
        { number: 1, totals: { pods: 2 } },
      ],
    });
    pod(current, 'd');
    server.remove(pods, 'a', 'default');
    expect((await row('web')).rollout).toMatchObject({ updated: 2, ready: 2, old: 1 });
    server.remove(pods, 'b', 'default');
    replicaSet(deployment, 1, 0);
    expect(await row('web')).toMatchObject({ status: 'ready', rollout: undefined, revisions: [{ number: 2 }] });
  });

  it('a rollout whose new pods cannot start shows the reason, and is trouble', async () => {
    const { server, deploy, replicaSet, pod, row } = cluster();
    const deployment = deploy('web', 1);
    pod(replicaSet(deployment, 1, 1), 'a');
    server.apply(waiting(pod(replicaSet(deployment, 2, 1), 'b'), 'CrashLoopBackOff', 4));
    expect(await row('web')).toMatchObject({
      severity: 'failing',
      status: 'CrashLoopBackOff ×1',
      rollout: { blockedBy: 'CrashLoopBackOff in new pods', old: 1 },
      totals: { restarts: 4, ready: 1, troubles: { CrashLoopBackOff: 1 } },
    });
  });

  it.each<[string, { readonly spec?: object; readonly status?: object }, Partial<Workload>]>([
    ['paused', { spec: { paused: true } }, { status: 'paused' }],
    [
      'late',
      {
        status: {
          conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
        },
      },
      { severity: 'failing', status: 'no progress within its deadline' },
    ],
    [
      'over its quota',
      { status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] } },
      { severity: 'failing', status: 'exceeded quota' },
    ],
  ])('a rollout that is %s is shown as such', async (_, { spec, status }, expected) => {
    const { deploy, replicaSet, pod, row } = cluster();
    const base = aDeployment({ name: 'web', replicas: 2 });
    const deployment = deploy('web', 2, {
      spec: { ...base.spec, ...spec },
      status: status ?? {},
    } as Partial<Deployment>);
    pod(replicaSet(deployment, 1, 1), 'a');
    expect(await row('web')).toMatchObject(expected);
  });

  it('pods that are not ready are shown as "not ready" instead of "Running", and an evicted pod blocks no rollout', async () => {
    const { deploy, replicaSet, pod, row, scheduler, server } = cluster();
    const web = deploy('web', 2);
    const current = replicaSet(web, 1, 2);
    pod(current, 'a');
    const unready = pod(current, 'b');
    server.apply({ ...unready, status: { ...unready.status, conditions: [{ type: 'Ready', status: 'False' }] } });
    expect(await row('web')).toMatchObject({ severity: 'progressing', status: 'starting', rollout: undefined });
    scheduler.advance(60_000);
    expect(await row('web')).toMatchObject({ severity: 'warning', status: 'not ready ×1', rollout: undefined });
    const next = replicaSet(web, 2, 1);
    const starting = pod(next, 'c');
    server.apply({ ...starting, status: { ...starting.status, conditions: [{ type: 'Ready', status: 'False' }] } });
    expect((await row('web')).rollout).toMatchObject({ old: 2, blockedBy: undefined });
    server.remove(pods, 'c', 'default');
    server.remove(replicaSets, 'web-2', 'default');
    server.apply(unready);
    pod(current, 'evicted', { phase: 'Failed' });
    expect(await row('web')).toMatchObject({ severity: 'failed', rollout: undefined });
  });

  it('a change of one pod changes one row', async () => {
    const { server, collections, scheduler, deploy, replicaSet, pod, row } = cluster();
    for (const name of ['web', 'api', 'db']) pod(replicaSet(deploy(name, 1), 1, 1), `${name}-a`);
    await row('web');
    const changed: string[] = [];
    collections.workloads.changes$.subscribe(({ changes }) => changed.push(...changes.map(({ key }) => key)));
    changed.length = 0;
    server.remove(pods, 'api-a', 'default');
    scheduler.advance(100);
    expect(changed).toEqual([(await row('api')).uid]);
  });

  it('facets and words filter workloads', async () => {
    const { deploy, replicaSet, pod, row } = cluster();
    pod(replicaSet(deploy('web', 1), 1, 1), 'a');
    const web = await row('web');
    const isChosen = (chosen: Record<string, readonly string[]>, text = ''): boolean | undefined =>
      workloadCondition({ chosen, text })?.(web);
    expect(isChosen({ namespace: ['default', 'other'], 'label.app': ['web'] }, 'DEPLOY we')).toBe(true);
    expect(isChosen({ namespace: ['other'] })).toBe(false);
    expect(isChosen({ 'label.app': ['api'] })).toBe(false);
    expect(isChosen({}, 'api')).toBe(false);
    expect(workloadCondition({ chosen: {}, text: '' })).toBeUndefined();
  });
});

describe('the facets of pods, applied to other views', () => {
  const onNode2 = { chosen: { node: ['n2'] }, text: '' };

  it('keep the workloads of which at least one pod matches, as pods come and go', async () => {
    const { collections, deploy, replicaSet, pod, inputs, scheduler, server } = cluster();
    const web = replicaSet(deploy('web', 2), 1, 2);
    pod(web, 'a');
    pod(web, 'b', { node: 'n2' });
    pod(replicaSet(deploy('api', 1), 1, 1), 'c');
    const shown = workloadsWithPods(collections, podEntries(inputs.pods, shownSecond), onNode2);
    const running = shown.connect();
    const names = () => shown.snapshot.list().map(({ name }) => name);
    scheduler.advance(200);
    await firstValueFrom(shown.list$().pipe(filter(({ length }) => length === 1)));
    expect(names()).toEqual(['web']);
    server.remove(pods, 'b', 'default');
    scheduler.advance(200);
    expect(names()).toEqual([]);
    running.unsubscribe();
  });

  it('apply the part of a filter that concerns node, trouble or phase', () => {
    expect(podPart({ chosen: { namespace: ['a'], node: ['n2'] }, text: 'x' })).toEqual(onNode2);
    expect(podPart({ chosen: { trouble: ['failing'] }, text: '' })?.chosen).toEqual({ trouble: ['failing'] });
    expect(podPart({ chosen: { namespace: ['a'] }, text: 'x' })).toBeUndefined();
  });

  it('keep the Services of which at least one selected pod matches', async () => {
    const { server, inputs, scheduler } = cluster();
    const collections = serviceCollections(informer(listWatch(server.client, services)), inputs.pods);
    const shown = servicesWithPods(collections, podEntries(inputs.pods, shownSecond), onNode2);
    const running = shown.connect();
    server.apply([
      aPod({ name: 'a', node: 'n1', labels: { app: 'web' } }),
      aPod({ name: 'b', node: 'n2', labels: { app: 'api' } }),
      anyObject(services, { name: 'web', content: { spec: { selector: { app: 'web' } } } }),
      anyObject(services, { name: 'api', content: { spec: { selector: { app: 'api' } } } }),
    ]);
    scheduler.advance(200);
    const rows = await firstValueFrom(shown.list$().pipe(filter(({ length }) => length === 1)));
    expect(rows.map(({ name }) => name)).toEqual(['api']);
    expect(selectedPart({ chosen: { namespace: ['a'], status: ['Running'] }, text: '' })?.chosen).toEqual({
      status: ['Running'],
    });
    running.unsubscribe();
  });
});

describe('the services of the dashboard', () => {
  it('each Service shows how many of its pods are ready, and a Service that selects nothing is trouble', async () => {
    const { server, inputs, scheduler } = cluster();
    const { services: rows } = serviceCollections(informer(listWatch(server.client, services)), inputs.pods);
    const running = rows.connect();
    const service = (name: string, spec: Service['spec']): Service => anyObject(services, { name, content: { spec } });
    server.apply([
      aPod({ name: 'a', node: 'n1', labels: { app: 'web' } }),
      aPod({ name: 'b', node: 'n1', labels: { app: 'web' }, phase: 'Pending' }),
      aPod({ name: 'done', node: 'n1', labels: { app: 'web' }, phase: 'Succeeded' }),
      service('web', { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] }),
      service('nothing', { selector: { app: 'gone' } }),
      service('manual', { ports: [{ port: 53, protocol: 'UDP' }] }),
      service('elsewhere', { type: 'ExternalName', externalName: 'db.example.com' }),
    ]);
    scheduler.advance(200);
    const all = await firstValueFrom(rows.list$().pipe(filter(({ length }) => length === 4)));
    expect(
      all.map(({ name, status, severity, ports, endpoints }) => [name, status, severity, ports, endpoints.pods]),
    ).toEqual([
      ['elsewhere', '→ db.example.com', 'ok', '', 0],
      ['manual', 'no selector', 'done', '53/UDP', 0],
      ['nothing', 'selects nothing', 'warning', '', 0],
      ['web', '1 of 2 ready', 'warning', '80 → 8080', 2],
    ]);
    server.remove(pods, 'b', 'default');
    scheduler.advance(100);
    expect((await firstValueFrom(rows.get$('default/web')))?.status).toBe('ready');
    running.unsubscribe();
  });
});
