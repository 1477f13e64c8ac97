/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import { pods, statefulSets } from 'rx-informers';
import { controllerRevisions } from 'rx-informers/resources';
import { aDeployment, anyObject, aNode, aPod, aReplicaSet, type OwnerLike } from 'rx-informers/testing';
import { showTime } from '../../page/history/shown-time.js';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage, type ShownPage } from './support/shown-page.js';

const drawer = (): HTMLElement => screen.getByRole('complementary');
const related = (): HTMLElement => within(drawer()).getByRole('region', { name: 'Related' });
const group = (name: string): HTMLElement => within(related()).getByRole('group', { name });

const lines = (name: string): readonly string[] =>
  within(group(name))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent.trim());

const opens = (link: HTMLElement | undefined): string | null =>
  new URL((link as HTMLAnchorElement).href).searchParams.get('open');

const applyTo =
  ({ server }: ShownPage) =>
  (object: object): OwnerLike =>
    server.apply(object)[0] as OwnerLike;

const visit = ({ page }: ShownPage, address: string): void => {
  history.replaceState(null, '', address);
  page.run(() => dispatchEvent(new PopStateEvent('popstate')));
};

/** Adds a revision of a Deployment, with a pod. */
function revise(shown: ShownPage, owner: OwnerLike, number: number, image: string): void {
  const apply = applyTo(shown);
  const selector = { app: 'web', 'pod-template-hash': `h${number}` };
  const set = aReplicaSet({ name: `web-${number}`, namespace: 'shop', replicas: 1, owner, selector, image });
  const annotations = { 'deployment.kubernetes.io/revision': String(number) };
  const made = apply({ ...set, metadata: { ...set.metadata, annotations } });
  apply(aPod({ name: `web-${number}-x`, namespace: 'shop', node: 'n1', owner: made, labels: selector }));
}

/** Clicks the link of the view that opens an object. */
async function follow(shown: ShownPage, object: string): Promise<void> {
  const link = (): HTMLElement | undefined => screen.getAllByRole('link').find((each) => opens(each) === object);
  await shown.eventually(() => expect(link()).toBeTruthy());
  shown.page.run(() => fireEvent.click(link() as Element));
}

beforeAll(() => {
  addWhatJsdomLacks(600);
});

afterEach(() => {
  showTime(undefined);
});

describe('the section Related', () => {
  it('of a Deployment has its pods, the state of its rollout and its revisions; a click shows what a revision changed', async () => {
    const shown = await showPage('/?view=workloads', []);
    const web = applyTo(shown)(aDeployment({ name: 'web', namespace: 'shop', replicas: 1 }));
    revise(shown, web, 1, 'shop/web:1');
    revise(shown, web, 2, 'shop/web:2');
    await follow(shown, 'apps/v1/deployments:shop/web');
    await shown.eventually(() => {
      expect(lines('Pods').map((line) => line.split(/\s/)[0])).toEqual(['web-1-xRunning', 'web-2-xRunning']);
      expect(within(related()).getByText('1 of 1 new pods ready, 1 old remaining')).toBeTruthy();
      expect(lines('Revisions').map((line) => line.replace(/\d+s$/, ''))).toEqual([
        'revision 2 new · web:2 · ',
        'revision 1 web:1 · ',
      ]);
    });
    shown.page.run(() => fireEvent.click(within(group('Revisions')).getByRole('button', { name: /revision 2/ })));
    const changed = within(group('Revisions')).getByRole('list', { name: 'What revision 2 changed in revision 1' });
    expect([...changed.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
      'spec.containers[0].image"shop/web:1""shop/web:2"',
    ]);
    expect(opens(within(group('Revisions')).getByRole('link', { name: 'web-2' }))).toBe(
      'apps/v1/replicasets:shop/web-2',
    );
  });

  it('of a pod links up to its owners, to its Services, and to the objects that it uses', async () => {
    const shown = await showPage('/', [
      anyObject(pods, { name: 'unused', namespace: 'shop' }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: 'shop' },
        spec: { selector: { app: 'web' } },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'api', namespace: 'shop' },
        spec: { selector: { app: 'api' } },
      },
    ]);
    const web = applyTo(shown)(aDeployment({ name: 'web', namespace: 'shop', replicas: 1 }));
    revise(shown, web, 1, 'web:1');
    const pod = shown.server.objects.get(pods, 'web-1-x', 'shop');
    const volumes = [{ name: 'v', configMap: { name: 'settings' } }];
    shown.server.apply({ ...pod, spec: { ...pod?.spec, volumes } });
    visit(shown, '/?open=v1/pods:shop/web-1-x');
    await shown.eventually(() => {
      expect(within(related()).getAllByRole('link').map(opens)).toEqual([
        'apps/v1/deployments:shop/web',
        'apps/v1/replicasets:shop/web-1',
        'v1/configmaps:shop/settings',
        'v1/services:shop/web',
      ]);
    });
  });

  it('of a Service that selects nothing says so, two clicks from the start', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'lost', namespace: 'shop' } };
    const shown = await showPage('/?view=workloads', [
      aPod({ name: 'web-1', namespace: 'shop', labels: { app: 'web' } }),
      { ...service, spec: { selector: { app: 'typo' } } },
    ]);
    await shown.eventually(() => expect(screen.getByRole('link', { name: 'Services' })).toBeTruthy());
    shown.page.run(() => fireEvent.click(screen.getByRole('link', { name: 'Services' })));
    await follow(shown, 'v1/services:shop/lost');
    await shown.eventually(() =>
      expect(group('Pods').textContent).toBe('Pods 0It selects nothing: shop has no pods with the labels app=typo.'),
    );
  });

  it('of a ConfigMap follows the pods that use it', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
    const shown = await showPage('/?open=v1/configmaps:shop/settings', [config]);
    await shown.eventually(() => expect(group('Pods').textContent).toContain('No pod uses it.'));
    const pod = aPod({ name: 'web-1', namespace: 'shop' });
    shown.server.apply({ ...pod, spec: { ...pod.spec, volumes: [{ name: 'v', configMap: { name: 'settings' } }] } });
    await shown.eventually(() => expect(lines('Pods')[0]).toMatch(/^web-1/));
    shown.server.remove(pods, 'web-1', 'shop');
    await shown.eventually(() => expect(group('Pods').textContent).toContain('No pod uses it.'));
  });

  it('counts many pods, shows those in trouble first, and links to the table with all of them', async () => {
    const many = Array.from({ length: 14 }, (_, at) => aPod({ name: `web-${at}`, namespace: 'shop', node: 'n1' }));
    const failed = aPod({ name: 'z-failed', namespace: 'shop', node: 'n1', phase: 'Failed' });
    const shown = await showPage('/?open=v1/nodes:n1', [aNode({ name: 'n1' }), ...many, failed]);
    await shown.eventually(() => expect(lines('Pods')).toHaveLength(10));
    expect(lines('Pods')[0]).toMatch(/^z-failed/);
    expect(within(group('Pods')).getByRole('heading').textContent).toBe('Pods 15');
    const all = within(group('Pods')).getByRole('link', { name: 'Show all 15 in the table of pods' });
    expect(new URL((all as HTMLAnchorElement).href).searchParams.getAll('is.node')).toEqual(['n1']);
  });

  it('shows the pods of the time that the page shows', async () => {
    const shown = await showPage('/', []);
    const web = applyTo(shown)(aDeployment({ name: 'web', namespace: 'shop', replicas: 1 }));
    visit(shown, '/?open=apps/v1/deployments:shop/web');
    await shown.eventually(() => expect(group('Pods').textContent).toContain('It has no pods.'));
    const before = shown.now();
    await shown.page.pass(1000);
    revise(shown, web, 1, 'web:1');
    await shown.eventually(() => expect(lines('Pods')).toHaveLength(1));
    shown.page.run(() => showTime(before));
    await shown.eventually(() => expect(group('Pods').textContent).toContain('It has no pods.'));
    shown.page.run(() => showTime(undefined));
    await shown.eventually(() => expect(lines('Pods')).toHaveLength(1));
  });

  it('of a StatefulSet has the revisions that its ControllerRevisions record', async () => {
    const shown = await showPage('/', []);
    const { spec } = aDeployment({ name: 'db', namespace: 'shop' });
    const set = applyTo(shown)(
      anyObject(statefulSets, { name: 'db', namespace: 'shop', content: { spec: { ...spec, serviceName: 'db' } } }),
    );
    for (const [number, image] of [
      [1, 'db:15'],
      [2, 'db:16'],
    ] as const) {
      const template = { $patch: 'replace', metadata: {}, spec: { containers: [{ name: 'main', image }] } };
      const { metadata, ...content } = anyObject(controllerRevisions, {
        name: `db-${number}`,
        namespace: 'shop',
        content: { revision: number, data: { spec: { template } } },
      });
      const { name, uid } = set.metadata;
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true }];
      shown.server.apply({ ...content, metadata: { ...metadata, ownerReferences } });
    }
    visit(shown, '/?open=apps/v1/statefulsets:shop/db');
    await shown.eventually(() => expect(lines('Revisions')).toHaveLength(2));
    shown.page.run(() => fireEvent.click(within(group('Revisions')).getByRole('button', { name: /revision 2/ })));
    expect(within(group('Revisions')).getByRole('list', { name: /What revision 2 changed/ }).textContent).toBe(
      'spec.containers[0].image"db:15""db:16"',
    );
  });
});

describe('the tab Logs of a workload', () => {
  it('follows all of its pods, two clicks from the start', async () => {
    const shown = await showPage('/?view=workloads', [aPod({ name: 'other', namespace: 'shop', node: 'n1' })]);
    const web = applyTo(shown)(aDeployment({ name: 'web', namespace: 'shop', replicas: 2 }));
    revise(shown, web, 1, 'web:1');
    revise(shown, web, 2, 'web:2');
    await follow(shown, 'apps/v1/deployments:shop/web');
    await shown.eventually(() => expect(within(drawer()).getByRole('tab', { name: 'Logs' })).toBeTruthy());
    shown.page.run(() => fireEvent.click(within(drawer()).getByRole('tab', { name: 'Logs' })));
    await shown.eventually(() => expect(drawer().querySelector('.log-followed')?.textContent).toBe('2 followed live'));
  });
});
