import type { Page } from 'playwright-core';
import { services, type Deployment, type Pod, type ReplicaSet } from 'rx-informers';
import { aDeployment, anyObject, aNode, aPod, aReplicaSet, type ApiServer } from 'rx-informers/testing';
import { smallTargets } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { countInputs, inputsOf } from './support/inputs.js';
import { expectSoon } from './support/page-conditions.js';
import { drawer, filterField, podCount, podRow, podTable } from './support/places.js';

/** A pod that was killed again and again because it used too much memory. */
function crashing(pod: Pod): Pod {
  const main = {
    name: 'main',
    image: 'shop/web:2',
    imageID: '',
    ready: false,
    restartCount: 88,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() } },
  };
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [main] };
  return { ...pod, status: { ...pod.status, ...status } };
}

/** Adds a Deployment in a rollout whose new pod crashes, and a Service that selects nothing. */
function addShop(api: ApiServer): void {
  const [owner] = api.apply(aDeployment({ name: 'web', namespace: 'shop', replicas: 2 })) as readonly Deployment[];
  const revise = (revision: number, replicas: number): ReplicaSet => {
    const selector = { app: 'web', 'pod-template-hash': `h${revision}` };
    const image = `shop/web:${revision}`;
    const set = aReplicaSet({ name: `web-h${revision}`, namespace: 'shop', replicas, owner, selector, image });
    const annotations = { 'deployment.kubernetes.io/revision': String(revision) };
    return api.apply({ ...set, metadata: { ...set.metadata, annotations } })[0] as ReplicaSet;
  };
  const [before, now] = [revise(1, 2), revise(2, 1)];
  const pod = (name: string, set: ReplicaSet, node: string): Pod =>
    aPod({ name, namespace: 'shop', node, owner: set, labels: { app: 'web', component: 'front' } });
  api.apply([
    aNode({ name: 'n1' }),
    aNode({ name: 'n2' }),
    pod('web-h1-a', before, 'n1'),
    pod('web-h1-b', before, 'n2'),
    crashing(pod('web-h2-a', now, 'n2')),
    aPod({ name: 'batch-1', namespace: 'shop', node: 'n2', labels: { component: 'worker' } }),
    anyObject(services, { name: 'web', namespace: 'shop', content: { spec: { selector: { app: 'web' } } } }),
    anyObject(services, { name: 'lost', namespace: 'shop', content: { spec: { selector: { app: 'typo' } } } }),
  ]);
}

describe('a task of a user, from the first screen of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  async function begin(search = ''): Promise<{ readonly api: ApiServer; readonly page: Page }> {
    const { api, url } = await start({
      podLogs: ({ previous }) => ({ lines: [{ time: Date.now(), text: previous ? 'out of memory' : 'started' }] }),
    });
    addShop(api);
    const { page } = await open(`${url}/${search}`, { prepare: countInputs });
    return { api, page };
  }

  const view = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true });
  const tab = (page: Page, name: string) => drawer(page).getByRole('tab', { name: new RegExp(`^${name}`) });
  const clicksOf = async (page: Page): Promise<number> => (await inputsOf(page)).clicks;

  it('the reason of a crash is one click away, on the first row', async () => {
    const { page } = await begin();
    await podTable(page).getByRole('row').nth(1).click();
    await drawer(page)
      .getByText(/CrashLoopBackOff, 88 restarts; last exit 137 OOMKilled/)
      .waitFor();
    expect(await clicksOf(page)).toBe(1);
  });

  it('a stuck rollout and its reason are one click away', async () => {
    const { page } = await begin();
    await view(page, 'Workloads').click();
    await page.getByText('0 of 2 new pods ready, 2 old remaining').waitFor();
    await page.getByText(/blocked: CrashLoopBackOff in new pods/).waitFor();
    expect(await clicksOf(page)).toBe(1);
  });

  it('the log of the run that crashed is three clicks away', async () => {
    const { page } = await begin();
    await podRow(page, 'web-h2-a').click();
    await tab(page, 'Logs').click();
    await drawer(page).getByRole('button', { name: 'Previous' }).click();
    await drawer(page).getByText('out of memory').waitFor();
    expect(await clicksOf(page)).toBe(3);
  });

  it('the pods of a node are one click away', async () => {
    const { page } = await begin();
    await podCount(page, 4).waitFor();
    await page.getByRole('list', { name: 'Nodes and their pods' }).getByRole('button', { name: /^n1/ }).click();
    await podCount(page, 1).waitFor();
    expect(await clicksOf(page)).toBe(1);
  });

  it('a Service that selects nothing is two clicks away', async () => {
    const { page } = await begin();
    await view(page, 'Workloads').click();
    await page.getByRole('navigation', { name: 'What to show' }).getByRole('link', { name: 'Services' }).click();
    await page.getByRole('row', { name: /lost/ }).getByText('selects nothing').waitFor();
    expect(await clicksOf(page)).toBe(2);
  });

  it('the owners of a pod are one click away', async () => {
    const { page } = await begin();
    await podRow(page, 'web-h1-a').click();
    const owners = drawer(page).getByRole('list', { name: 'Owners' });
    await owners.getByRole('link', { name: 'Deployment web' }).waitFor();
    await owners.getByRole('link', { name: 'ReplicaSet web-h1' }).waitFor();
    expect(await clicksOf(page)).toBe(1);
  });

  it('what a Deployment owns is one click away in the view of workloads', async () => {
    const { page } = await begin('?view=workloads');
    await page.getByRole('link', { name: 'web', exact: true }).click();
    const owned = drawer(page).getByRole('group', { name: 'Pods' });
    for (const name of ['web-h1-a', 'web-h1-b', 'web-h2-a']) await owned.getByRole('link', { name }).waitFor();
    expect(await clicksOf(page)).toBe(1);
  });

  it('what a revision changed is two clicks away in the view of workloads', async () => {
    const { page } = await begin('?view=workloads');
    await page.getByRole('link', { name: 'web', exact: true }).click();
    await drawer(page)
      .getByRole('button', { name: /^revision 2/ })
      .click();
    const changed = drawer(page).getByRole('list', { name: 'What revision 2 changed in revision 1' });
    await changed.getByText('shop/web:2').waitFor();
    expect(await clicksOf(page)).toBe(2);
  });

  it('the logs of all pods of a Deployment are two clicks away in the view of workloads', async () => {
    const { page } = await begin('?view=workloads');
    await page.getByRole('link', { name: 'web', exact: true }).click();
    await tab(page, 'Logs').click();
    await expectSoon(() => drawer(page).getByText('started').count(), 3);
    expect(await clicksOf(page)).toBe(2);
  });

  it('a filter by a label is typed', async () => {
    const { page } = await begin();
    await page.keyboard.press('f');
    await page.keyboard.type('component=worker');
    await podCount(page, 1).waitFor();
    await podRow(page, 'batch-1').waitFor();
    expect(await inputsOf(page)).toEqual({ clicks: 0, keys: 1 + 'component=worker'.length });
  });

  it('what changed just now is one click away', async () => {
    const { api, page } = await begin();
    await podCount(page, 4).waitFor();
    api.apply(aPod({ name: 'batch-1', namespace: 'shop', node: 'n2', phase: 'Failed' }));
    await view(page, 'Timeline').click();
    await page.getByRole('list', { name: 'Recent changes' }).getByRole('link', { name: 'batch-1' }).first().waitFor();
    expect(await clicksOf(page)).toBe(1);
  });

  it('needs no pointer: the keys lead from the map to the pods of a node, into a pod, to its previous log, and back', async () => {
    const { page } = await begin();
    await podCount(page, 4).waitFor();
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    const tabTo = async (isThere: (text: string) => boolean): Promise<void> => {
      for (let at = 0; at < 60 && !isThere(await focused()); at++) await page.keyboard.press('Tab');
      expect(isThere(await focused())).toBe(true);
    };
    // The node with a failing pod comes first.
    await tabTo((text) => text.startsWith('n2'));
    await press('Enter');
    await podCount(page, 3).waitFor();
    const isInTable = (): Promise<boolean> => page.evaluate(() => document.activeElement?.id === 'table');
    for (let at = 0; at < 60 && !(await isInTable()); at++) await press('Tab');
    await press('Home', 'Enter');
    await drawer(page)
      .getByText(/CrashLoopBackOff, 88 restarts; last exit 137 OOMKilled/)
      .waitFor();
    await tabTo((text) => text === 'Summary');
    await press('ArrowRight', 'ArrowRight', 'ArrowRight');
    await tabTo((text) => text === 'Previous');
    await press('Enter');
    await drawer(page).getByText('out of memory').waitFor();
    await press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    await press('Escape');
    await podCount(page, 4).waitFor();
    await press('g', 'w');
    await page.getByText('0 of 2 new pods ready, 2 old remaining').waitFor();
    expect(await clicksOf(page)).toBe(0);
  });

  it.each([
    ['pods', '', '.table-row'],
    ['an opened pod', '?open=v1/pods:shop/web-h2-a', '.drawer .owners a'],
    ['workloads', '?view=workloads', '.table-row'],
    ['an opened Deployment', '?view=workloads&open=apps/v1/deployments:shop/web', '.related-rows a'],
    ['kinds', '?view=kinds', '.kind-groups .count'],
    ['a kind', '?view=kinds&kind=v1/pods', '.table-row'],
    ['logs', '?view=logs', '.log-tools'],
  ])('has targets of 24 pixels, or with as much room around them: %s', async (_, search, there) => {
    const { page } = await begin(search);
    await page.locator(there).first().waitFor();
    expect(await smallTargets(page)).toEqual([]);
  });

  it('is answered by an empty cluster, which says that it has no pods', async () => {
    const { url } = await start();
    const { page } = await open(url, { prepare: countInputs });
    await page.getByText('There are no pods here yet. They appear as they are created.').waitFor();
    await filterField(page).fill('web');
    await page.getByText('No pod matches the filter.').waitFor();
    expect(await clicksOf(page)).toBe(0);
  });
});
