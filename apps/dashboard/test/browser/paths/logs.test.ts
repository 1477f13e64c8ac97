import { pods } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { facetValue } from '../support/places.js';
import { startTalkingPods } from '../support/talking-pods.js';

describe('the page of logs in Chromium', () => {
  const { start, open } = useStage();

  it('follows the logs of all pods that match the filter, including pods that are added later, until they leave', async () => {
    const { api, url, say } = await startTalkingPods(start);
    const web = (name: string) => aPod({ name, namespace: 'shop', node: 'n1' });
    api.apply([web('web-1'), aPod({ name: 'other', namespace: 'blog', node: 'n1' })]);
    const { page, errors } = await open(`${url}/?view=logs&is.namespace=shop`);
    const log = page.getByRole('log');
    await log.getByText('web-1 begins').waitFor();
    api.apply(web('web-2'));
    await log.getByText('web-2 begins').waitFor();
    say('web-2', 'hello from two');
    await log.getByText('hello from two').waitFor();
    await page.getByText('2 followed live').waitFor();
    expect(await log.getByText('other begins').count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    say('web-2', 'while paused');
    await page.getByRole('button', { name: 'Resume (1 new)' }).press('Enter');
    await log.getByText('while paused').waitFor();

    api.remove(pods, 'web-1', 'shop');
    await page.getByText('1 followed live').waitFor();
    await facetValue(page, 'blog 1').press('Enter');
    await log.getByText('other begins').waitFor();
    expect(errors).toEqual([]);
  });
});
