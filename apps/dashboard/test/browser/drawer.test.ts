import type { Locator, Page } from 'playwright-core';
import { pods, type Pod } from 'rx-informers';
import { aDeployment, aNode, aPod, aReplicaSet, type OwnerLike } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon, expectVisible } from './support/page-conditions.js';
import { drawer, openTab } from './support/places.js';

/** A pod that is killed again and again, with an init container and a sidecar. */
function crashing(labels: Readonly<Record<string, string>> = {}) {
  const pod = aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1', labels: { app: 'web', ...labels } });
  const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-6c5d', uid: '1', controller: true }],
    },
    spec: {
      ...pod.spec,
      initContainers: [
        { name: 'migrate', image: 'shop/migrate:2' },
        { name: 'proxy', image: 'envoy:1.35', restartPolicy: 'Always' },
      ],
      containers: [{ name: 'main', image: 'shop/web:2', resources: { limits: { memory: '128Mi' } } }],
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'main',
          image: 'shop/web:2',
          imageID: '',
          ready: false,
          restartCount: 88,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container=main' } },
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: ago(40) } },
        },
      ],
    },
  } as unknown as Pod;
}

function tab(page: Page, name: string): Locator {
  return drawer(page).getByRole('tab', { name });
}

describe('the drawer in Chromium', () => {
  const { start, open } = useStage();

  it.each(['light', 'dark'] as const)(
    'shows the state of a pod and its reason first, and links to its owners and its node: %s',
    async (colorScheme) => {
      const { api, url } = await start();
      const [owner] = [aReplicaSet({ name: 'web-6c5d', namespace: 'shop' })];
      api.apply([
        aNode({ name: 'worker-1', capacity: { cpu: '4', memory: '8Gi', pods: '110' } }),
        {
          ...owner,
          metadata: {
            ...owner.metadata,
            ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: '2', controller: true }],
          },
        },
        aDeployment({ name: 'web', namespace: 'shop' }),
        crashing(),
      ]);
      const { page, errors } = await open(`${url}/?open=v1/pods:shop/web-1`, { colorScheme });
      await drawer(page)
        .getByText(/^\s*CrashLoopBackOff, 88 restarts; last exit 137 OOMKilled \w+ ago; next try in \dm/)
        .waitFor();
      await expectVisible(drawer(page).getByText('it used more memory than its limit of 128Mi'));
      const containers = drawer(page).locator('.container-name');
      await expectSoon(() => containers.allTextContents(), ['migrate', 'proxy', 'main']);
      await drawer(page).getByRole('link', { name: 'Deployment web' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);

      await drawer(page).getByRole('link', { name: 'ReplicaSet web-6c5d' }).click();
      await drawer(page).getByRole('heading', { name: 'ReplicaSet shop/web-6c5d' }).waitFor();
      await page.goBack();
      await drawer(page).getByRole('link', { name: 'worker-1' }).click();
      await drawer(page).getByRole('heading', { name: 'Node worker-1' }).waitFor();
      await expectVisible(drawer(page).getByText('1 of 110'));
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(errors).toEqual([]);
    },
  );

  it('shows what is related to a Deployment, with targets of 24 pixels, and what a revision changed', async () => {
    const { api, url } = await start();
    const apply = (object: object): OwnerLike => api.apply(object)[0] as OwnerLike;
    const web = apply(aDeployment({ name: 'web', namespace: 'shop', replicas: 2 }));
    for (const [number, image] of [
      [1, 'shop/web:1'],
      [2, 'shop/web:2'],
    ] as const) {
      const set = aReplicaSet({
        name: `web-${number}`,
        namespace: 'shop',
        replicas: 1,
        owner: web,
        image,
        selector: { app: 'web' },
      });
      const annotations = { 'deployment.kubernetes.io/revision': String(number) };
      const owner = apply({ ...set, metadata: { ...set.metadata, annotations } });
      apply(aPod({ name: `web-${number}-x`, namespace: 'shop', node: 'worker-1', owner, labels: { app: 'web' } }));
    }
    const { page, errors } = await open(`${url}/?open=apps/v1/deployments:shop/web`);
    const related = drawer(page).getByRole('region', { name: 'Related' });
    await related.getByRole('link', { name: 'web-2-x' }).waitFor();
    await related.getByRole('button', { name: /^revision 2/ }).click();
    await expectSoon(() => related.locator('ins').allTextContents(), ['"shop/web:2"']);
    const heights = await related
      .locator('a, button')
      .evaluateAll((targets) => targets.map((target) => target.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(4);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
    expect(await accessibilityViolations(page)).toEqual([]);

    await openTab(page, 'Logs');
    await expectVisible(drawer(page).getByText('2 followed live'));
    expect(errors).toEqual([]);
  });

  it('folds and searches the YAML', async () => {
    const { api, url } = await start();
    api.apply(crashing());
    const { page } = await open(`${url}/?open=v1/pods:shop/web-1&tab=yaml`);
    await drawer(page).getByText('kind: Pod').waitFor();
    const reason = drawer(page).getByText('exitCode: 137');
    expect(await reason.count()).toBe(0);
    await drawer(page).getByRole('button', { name: 'Unfold status', exact: true }).click();
    await reason.waitFor();
    await drawer(page).getByRole('button', { name: 'Fold status', exact: true }).click();
    await reason.waitFor({ state: 'detached' });

    await drawer(page).getByRole('searchbox').fill('OOMKilled');
    await drawer(page).getByText('1 of 1 lines').waitFor();
    await expectSoon(() => drawer(page).locator('mark').allTextContents(), ['OOMKilled']);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('shows on request which manager wrote which field in the YAML', async () => {
    const { api, url } = await start();
    const web = aPod({ name: 'web-1', namespace: 'shop' });
    const managedFields = [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': {} } }];
    api.apply({ ...web, metadata: { ...web.metadata, managedFields } as Pod['metadata'] }, { keepMetadata: true });
    const { page } = await open(`${url}/?open=v1/pods:shop/web-1&tab=yaml`);
    const yaml = page.getByRole('region', { name: 'YAML of the object' });
    await yaml.getByText('name: web-1').waitFor();
    expect(await yaml.textContent()).not.toContain('managedFields');
    await drawer(page).getByRole('button', { name: 'Managed fields' }).click();
    await yaml.getByText('manager: kubectl').waitFor();
    await page.waitForURL(/yaml\.managed=on/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await drawer(page).getByRole('button', { name: 'Managed fields' }).click();
    await yaml.getByText('manager: kubectl').waitFor({ state: 'detached' });
  });

  it('shows objects of any kind, and only the name of a Secret', async () => {
    const { api, url } = await start();
    api.apply([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: 'shop' },
        data: { mode: 'dark' },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login', namespace: 'shop' },
        data: { password: 'aHVudGVyMg==' },
      },
    ]);
    const { page } = await open(`${url}/?open=v1/configmaps:shop/settings`);
    await drawer(page).getByRole('heading', { name: 'ConfigMap shop/settings' }).waitFor();
    await drawer(page).getByText('mode', { exact: true }).waitFor();
    await openTab(page, 'YAML');
    await drawer(page).getByText('mode: dark').waitFor();
    expect(await tab(page, 'Logs').count()).toBe(0);

    await page.goto(`${url}/?open=v1/secrets:shop/login&tab=yaml`);
    await drawer(page).getByText('name: login').waitFor();
    expect(await page.content()).not.toMatch(/password|aHVudGVyMg/);
  });

  it('reports that a pod was replaced by another one of the same name, and shows no diff between the two', async () => {
    const { api, url } = await start();
    api.apply(crashing({ generation: 'first' }));
    const { page } = await open(`${url}/?open=v1/pods:shop/web-1`);
    await drawer(page)
      .getByText(/^\s*CrashLoopBackOff, 88/)
      .waitFor();
    api.remove(pods, 'web-1', 'shop');
    await drawer(page).getByText('Deleted. This is its last state.').waitFor();
    api.apply(aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1', labels: { generation: 'second' } }));
    await drawer(page)
      .getByText(/^Replaced \d+s ago by a new pod of this name\.$/)
      .waitFor();
    await openTab(page, 'Changes');
    expect(await drawer(page).getByRole('deletion').count()).toBe(0);
  });
});
