import { aNode, aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { expectVisible, settled } from '../support/page-conditions.js';
import { podNamed, secondsPass, slider } from '../support/time-bar.js';

describe('the time bar of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('shows the whole page at an earlier time, keeps that time in the address, and returns to live', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'n1' }), aPod({ name: 'first', namespace: 'shop', node: 'n1' })]);
    const { page, errors } = await open(url);
    await expectVisible(podNamed(page, 'first'));
    await slider(page).waitFor();
    await secondsPass(page);
    api.apply([aPod({ name: 'second', namespace: 'blog', node: 'n1' })]);
    await expectVisible(podNamed(page, 'second'));
    await expectVisible(page.getByRole('button', { name: /^n1 2 pods/ }));

    await slider(page).press('Home');
    await podNamed(page, 'second').waitFor({ state: 'detached' });
    // Map, table and facets show the same time.
    await expectVisible(podNamed(page, 'first'));
    await expectVisible(page.getByRole('button', { name: /^n1 1 pod/ }));
    await settled(page);
    expect(await page.getByRole('region', { name: 'Namespace' }).textContent()).not.toContain('blog');
    await expectVisible(page.getByText(/^Past/));
    await page.waitForURL(/at=/);
    expect(await accessibilityViolations(page)).toEqual([]);

    api.apply([aPod({ name: 'third', namespace: 'shop', node: 'n1' })]);
    await page.getByRole('button', { name: 'Back to live' }).click();
    await expectVisible(podNamed(page, 'third'));
    await page.waitForURL((address) => !address.searchParams.has('at'));
    await page.goBack();
    await podNamed(page, 'third').waitFor({ state: 'detached' });
    expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
  });
});
