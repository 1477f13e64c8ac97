import { deployments, pods, type Deployment } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { expectSoon } from '../support/page-conditions.js';
import { drawer, fieldChange, openTab, podRow } from '../support/places.js';
import { rollout } from '../support/rollout.js';

describe('an opened object of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('is shown as YAML, with its events and the diff of its last update, in tabs in which axe finds no violation', async () => {
    const { api, url } = await start();
    const [stored] = api.apply(aPod({ name: 'web-1', node: 'worker-1', labels: { app: 'web' } }));
    api.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web-1.1', namespace: 'default' },
      involvedObject: { kind: 'Pod', name: 'web-1', namespace: 'default', uid: stored?.metadata.uid },
      type: 'Warning',
      reason: 'BackOff',
      message: 'restarting failed container',
      lastTimestamp: new Date().toISOString(),
    });
    const { page, errors } = await open(url);
    const found: Record<string, readonly string[]> = {};

    await podRow(page, 'web-1').click();
    await drawer(page).getByRole('heading', { name: 'Pod default/web-1' }).waitFor();
    found['Summary'] = await accessibilityViolations(page);
    await openTab(page, 'YAML');
    await drawer(page).getByText('nodeName: worker-1').waitFor();
    found['YAML'] = await accessibilityViolations(page);
    await openTab(page, 'Events');
    await drawer(page).getByText('restarting failed container').waitFor();
    found['Events'] = await accessibilityViolations(page);
    await openTab(page, 'Logs');
    found['Logs'] = await accessibilityViolations(page);
    await openTab(page, 'Changes');
    await drawer(page).getByText('Nothing has changed since then.').waitFor();
    api.apply(aPod({ name: 'web-1', node: 'worker-1', labels: { app: 'shop' } }));

    const change = fieldChange(page, 'metadata.labels.app');
    await change.waitFor();
    expect(await change.getByRole('deletion').textContent()).toBe('"web"');
    expect(await change.getByRole('insertion').textContent()).toBe('"shop"');
    found['Changes'] = await accessibilityViolations(page);
    api.remove(pods, 'web-1', 'default');
    await drawer(page).getByText('Deleted. This is its last state.').waitFor();
    expect(found).toEqual({ Summary: [], YAML: [], Events: [], Logs: [], Changes: [] });
    expect(errors).toEqual([]);
  });

  it('has tabs that the address names and that the arrow keys move through', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1', namespace: 'shop' }));
    const { page } = await open(`${url}/?open=v1/pods:shop/web-1&tab=yaml`);
    const tab = (name: string) => drawer(page).getByRole('tab', { name });
    await drawer(page).getByText('kind: Pod').waitFor();
    await tab('YAML').press('ArrowRight');
    await expectSoon(() => tab('Summary').getAttribute('aria-selected'), 'true');
    await page.waitForURL((address) => !address.searchParams.has('tab'));
    await tab('Summary').press('ArrowRight');
    await page.waitForURL(/tab=changes/);
  });

  it('is changed by a write, if writes are allowed, and the watch confirms it', async () => {
    const { api, url } = await start({ allowWrites: true });
    rollout(api);
    const { page } = await open(`${url}/?view=workloads&open=apps/v1/deployments:shop/web`);
    await drawer(page).getByRole('button', { name: 'Scale' }).click();
    await drawer(page).getByLabel('Replicas').fill('4');
    await drawer(page).getByLabel('Replicas').press('Enter');
    await drawer(page).getByText('Scaled to 4. Confirmed by the watch.').waitFor();
    expect(api.objects.get<Deployment>(deployments, 'web', 'shop')?.spec?.replicas).toBe(4);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
