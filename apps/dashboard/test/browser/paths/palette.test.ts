import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { drawer, podCount } from '../support/places.js';
import { troubledPods } from '../support/troubled-pods.js';

describe('the palette and the keys of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('open a pod by a few letters, the views and the help', async () => {
    const { api, url } = await start();
    troubledPods(api);
    const { page, errors } = await open(url);
    await podCount(page, 5).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox');
    await field.fill('unrea');
    await page.getByRole('option', { name: /unready/, selected: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('heading', { name: 'Pod blog/unready' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
    // The second key belongs to the first one only if it comes soon.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('w')]);
    await page.waitForURL(/view=workloads/);
    await page.getByRole('grid', { name: 'Workloads' }).waitFor();
    expect(errors).toEqual([]);
  });
});
