import { pods } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { expectVisible } from '../support/page-conditions.js';
import { drawer } from '../support/places.js';
import { rollout } from '../support/rollout.js';

describe('the page of the timeline in Chromium', () => {
  const { start, open } = useStage();

  it('shows what happens, and groups the pods of a workload into one line', async () => {
    const { api, url } = await start();
    rollout(api);
    const { page, errors } = await open(`${url}/?view=timeline`);
    await page.getByText('Nothing has happened yet').waitFor();
    const recent = page.getByRole('list', { name: 'Recent changes' });
    api.remove(pods, 'old-a', 'shop');
    api.remove(pods, 'old-b', 'shop');
    await recent.getByRole('listitem').filter({ hasText: 'deleted ×2' }).waitFor();
    api.apply(aPod({ name: 'batch', namespace: 'jobs', node: 'n1', phase: 'Failed' }));
    await expectVisible(recent.getByRole('link', { name: 'batch' }).first());
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.keyboard.press('f');
    await page.keyboard.type('batch');
    await recent.getByRole('listitem').filter({ hasText: 'deleted ×2' }).waitFor({ state: 'detached' });
    await recent.getByRole('link', { name: 'batch' }).first().press('Enter');
    await drawer(page).getByRole('heading', { name: 'Pod jobs/batch' }).waitFor();
    expect(errors).toEqual([]);
  });
});
