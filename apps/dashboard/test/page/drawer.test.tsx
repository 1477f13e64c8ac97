/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import { nodes, pods, type Pod } from 'rx-informers';
import { ingresses, networkPolicies } from 'rx-informers/resources';
import { aDeployment, aNode, aPod, aReplicaSet, type OwnerLike } from 'rx-informers/testing';
import { nameSelector, selectedName } from '../../page/cluster/name-selector.js';
import './support/console-errors.js';
import { showPage, addWhatJsdomLacks, type ShownPage } from './support/shown-page.js';

/** A pod whose container runs out of memory again and again. */
function killed(name: string): Pod {
  const now = Date.now();
  const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
  const pod = aPod({ name, namespace: 'shop', node: 'n1', ready: false });
  const [container] = pod.spec?.containers ?? [];
  return {
    ...pod,
    spec: { ...pod.spec, containers: [{ name: 'main', ...container, resources: { limits: { memory: '64Mi' } } }] },
    status: {
      ...pod.status,
      containerStatuses: [
        {
          name: 'main',
          image: 'app:1',
          imageID: '',
          ready: false,
          restartCount: 88,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: {
            terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: ago(70), finishedAt: ago(40) },
          },
        },
      ],
    },
  };
}

let eventCount = 0;

function eventAbout(involvedObject: object, fields: object): object {
  const metadata = { name: `event-${++eventCount}`, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'Event', metadata, involvedObject, type: 'Normal', message: '', ...fields };
}

const drawer = (): HTMLElement => screen.getByRole('complementary');

const tab = (): string | undefined =>
  within(drawer())
    .getAllByRole('tab')
    .find((title) => title.getAttribute('aria-selected') === 'true')?.textContent;

async function show(address: string, ...objects: readonly object[]): Promise<ShownPage> {
  const shown = await showPage(address, objects);
  await screen.findByRole('complementary');
  await screen.findAllByRole('tab');
  return shown;
}

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the drawer', () => {
  it('explains why a pod fails, since when, and when it is tried again', async () => {
    await show('/?open=v1/pods:shop/web-1', killed('web-1'));
    const [headline, ...words] = [...drawer().querySelectorAll('.story p')].map(({ textContent }) =>
      textContent.trim(),
    );
    expect(headline).toMatch(
      /^CrashLoopBackOff, 88 restarts; last exit 137 OOMKilled 4\ds ago; next try in (4m|\d+s)$/,
    );
    expect(words).toEqual([
      'Container main was killed because it used more memory than its limit of 64Mi.',
      'The kubelet restarts it with growing delays: 10 s at first, 5 min at most.',
    ]);
  });

  it('shows no explanation for a healthy pod', async () => {
    await show('/?open=v1/pods:shop/web-1', aPod({ name: 'web-1', namespace: 'shop', node: 'n1' }));
    expect([...drawer().querySelectorAll('.story p')].map(({ textContent }) => textContent.trim())).toEqual([
      'Running',
    ]);
  });

  it('shows the tab in the address, and writes the chosen one to the address', async () => {
    const { page } = await show('/?open=v1/pods:shop/web-1&tab=yaml', aPod({ name: 'web-1', namespace: 'shop' }));
    expect((await screen.findByRole('region', { name: 'YAML of the object' })).textContent).toContain('web-1');
    expect(tab()).toBe('YAML');
    page.run(() => fireEvent.click(within(drawer()).getByRole('tab', { name: 'Events' })));
    expect([tab(), location.search]).toEqual(['Events', '?open=v1/pods:shop/web-1&tab=events']);
    page.run(() => fireEvent.keyDown(within(drawer()).getByRole('tab', { name: 'Events' }), { key: 'Home' }));
    expect([tab(), location.search]).toEqual(['Summary', '?open=v1/pods:shop/web-1']);
    history.replaceState(null, '', '/?open=v1/pods:shop/web-1&tab=changes');
    page.run(() => dispatchEvent(new PopStateEvent('popstate')));
    expect(await screen.findByText('Nothing has changed since then.')).toBeTruthy();
    expect(tab()).toBe('Changes');
  });

  it('does not take letters that were typed in a field for the beginning of a shortcut', async () => {
    const { page } = await show('/?open=v1/pods:shop/web-1&tab=yaml', aPod({ name: 'web-1', namespace: 'shop' }));
    const search = await screen.findByRole('searchbox', { name: 'Search in the YAML' });
    page.run(() => fireEvent.keyDown(search, { key: 'g' }));
    page.run(() => fireEvent.keyDown(drawer(), { key: 'w' }));
    expect(location.search).toBe('?open=v1/pods:shop/web-1&tab=yaml');
  });

  it('shows every address of a node, and distinguishes a field of the status from the same one of the spec', async () => {
    const facts = (): readonly string[] =>
      [...drawer().querySelectorAll('.facts > div')].map((fact) =>
        [...fact.children].map(({ textContent }) => textContent).join(' '),
      );
    const node = aNode({ name: 'n1' });
    const addresses = ['10.0.0.1', 'fd00::1'].map((address) => ({ type: 'InternalIP', address }));
    const deployment = aDeployment({ name: 'web', namespace: 'shop' });
    const shown = await show('/?open=v1/nodes:n1', { ...node, status: { ...node.status, addresses } });
    expect(facts()).toEqual(expect.arrayContaining(['InternalIP 10.0.0.1', 'InternalIP fd00::1']));
    shown.server.apply({
      ...deployment,
      spec: { ...deployment.spec, replicas: 5, paused: true },
      status: { replicas: 3, readyReplicas: 3 },
    });
    history.replaceState(null, '', '/?open=apps/v1/deployments:shop/web');
    shown.page.run(() => dispatchEvent(new PopStateEvent('popstate')));
    await shown.eventually(() =>
      expect(facts()).toEqual(expect.arrayContaining(['Replicas 3', 'Replicas (spec) 5', 'Paused true'])),
    );
  });

  it('shows the events of a node that its kubelet reports, which name the node in place of its uid', async () => {
    const shown = await show('/?open=v1/nodes:n1&tab=events', aNode({ name: 'n1' }));
    const uid = shown.server.objects.list(nodes)[0]?.metadata.uid ?? '';
    shown.server.apply([
      eventAbout(
        { kind: 'Node', name: 'n1', uid: 'n1' },
        { reason: 'Rebooted', lastTimestamp: '2026-03-01T12:00:00Z' },
      ),
      eventAbout({ kind: 'Node', name: 'n1', uid }, { reason: 'NodeNotReady', lastTimestamp: '2026-03-01T12:00:01Z' }),
      eventAbout({ kind: 'Node', name: 'n2', uid: 'n2' }, { reason: 'OfAnotherNode' }),
    ]);
    await shown.eventually(() =>
      expect(
        within(drawer())
          .getAllByRole('listitem')
          .map((item) => item.querySelector('strong')?.textContent),
      ).toEqual(['NodeNotReady', 'Rebooted']),
    );
  });

  it('counts an event that its reporter counts as a series', async () => {
    const shown = await show('/?open=v1/pods:shop/web-1&tab=events', aPod({ name: 'web-1', namespace: 'shop' }));
    const uid = shown.server.objects.list(pods)[0]?.metadata.uid ?? '';
    const series = { count: 7, lastObservedTime: '2026-03-01T12:00:00.000000Z' };
    shown.server.apply(eventAbout({ kind: 'Pod', name: 'web-1', uid }, { reason: 'FailedScheduling', series }));
    await shown.eventually(() => expect(drawer().querySelector('.events')?.textContent).toMatch(/×7FailedScheduling/));
  });

  it('shows no warning for an autoscaler within its limits, and no colour for a job that was resumed', async () => {
    const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: reason });
    const shown = await show(
      '/?open=autoscaling/v2/horizontalpodautoscalers:shop/web',
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web', namespace: 'shop' },
        status: {
          conditions: [
            condition('AbleToScale', 'True', 'ReadyForNewScale'),
            condition('ScalingActive', 'True', 'ValidMetricFound'),
            condition('ScalingLimited', 'False', 'DesiredWithinRange'),
          ],
        },
      },
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'load', namespace: 'shop' },
        status: { conditions: [condition('Suspended', 'False', 'JobResumed')] },
      },
    );
    const headline = (): string | undefined => drawer().querySelector('.story:not(.warning)')?.textContent;
    expect(headline()).toBe('AbleToScale, ScalingActive');
    history.replaceState(null, '', '/?open=batch/v1/jobs:shop/load');
    shown.page.run(() => dispatchEvent(new PopStateEvent('popstate')));
    await shown.eventually(() => expect(headline()).toBe('Suspended: False'));
    expect(drawer().querySelector('.story')?.className).toBe('story');
  });

  it('opens an object whose name has characters of a selector', async () => {
    const name = 'ldap=admins,staff\\eu';
    const open = `rbac.authorization.k8s.io/v1/clusterroles:${name}`;
    await show(`/?${new URLSearchParams({ open, tab: 'yaml' })}`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
    });
    expect((await screen.findByRole('region', { name: 'YAML of the object' })).textContent).toContain(name);
    expect(selectedName(nameSelector(name))).toBe(name);
  });

  it.each([
    ['NetworkPolicy', networkPolicies, 'networkpolicy'],
    ['Ingress', ingresses, 'ingress'],
  ])('names the kind of a replaced %s in its changes', async (kind, resource, singular) => {
    const apiVersion = 'networking.k8s.io/v1';
    const object = { apiVersion, kind, metadata: { name: 'web', namespace: 'shop' } };
    const shown = await show(`/?open=${apiVersion}/${resource.plural}:shop/web&tab=changes`, object);
    await screen.findByText('Nothing has changed since then.');
    shown.server.remove(resource, 'web', 'shop');
    await shown.eventually(() => expect(drawer().textContent).toContain('Deleted. This is its last state.'));
    shown.server.apply(object);
    await shown.eventually(() =>
      expect(drawer().querySelector('.change-log')?.textContent).toMatch(
        new RegExp(`Replaced \\d+s ago by a new ${singular} of this name`),
      ),
    );
  });

  it('links the owners of a pod, the outermost first, and opens them', async () => {
    const shown = await showPage('/', []);
    const apply = (object: object): OwnerLike => shown.server.apply(object)[0] as OwnerLike;
    const deployment = apply(aDeployment({ name: 'web', namespace: 'shop' }));
    const set = apply(aReplicaSet({ name: 'web-5d89', namespace: 'shop', owner: deployment }));
    apply(aPod({ name: 'web-5d89-x', namespace: 'shop', node: 'n1', owner: set }));
    history.replaceState(null, '', '/?open=v1/pods:shop/web-5d89-x');
    shown.page.run(() => dispatchEvent(new PopStateEvent('popstate')));
    const owners = await screen.findByRole('list', { name: 'Owners' });
    await shown.eventually(() => expect(within(owners).getAllByRole('link')).toHaveLength(2));
    const links = within(owners).getAllByRole('link');
    expect(
      links.map((link) => [link.textContent, new URL((link as HTMLAnchorElement).href).searchParams.get('open')]),
    ).toEqual([
      ['Deployment web', 'apps/v1/deployments:shop/web'],
      ['ReplicaSet web-5d89', 'apps/v1/replicasets:shop/web-5d89'],
    ]);
    shown.page.run(() => fireEvent.click(links[0] as Element));
    await shown.eventually(() => expect(drawer().textContent).toMatch(/^Deployment shop\/web/));
  });

  it('reports that another object has taken the name, and shows that one', async () => {
    const { server, eventually } = await show('/?open=v1/pods:shop/web-1', killed('web-1'));
    expect(within(drawer()).queryByText(/^Replaced/)).toBeNull();
    server.remove(pods, 'web-1', 'shop');
    await eventually(() => expect(drawer().textContent).toContain('Deleted. This is its last state.'));
    server.apply(aPod({ name: 'web-1', namespace: 'shop', node: 'n1' }));
    await eventually(() => expect(drawer().textContent).toMatch(/Replaced \d+s ago by a new pod of this name\./));
    expect(drawer().querySelector('.story')?.textContent).not.toContain('CrashLoopBackOff');
  });
});
