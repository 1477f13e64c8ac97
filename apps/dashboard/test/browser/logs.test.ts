import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { drawer } from './support/places.js';
import { startTalkingPods } from './support/talking-pods.js';

describe('the log view of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('follows the log of a pod, without colours and control characters, and marks search results', async () => {
    const { api, url, say } = await startTalkingPods(start);
    api.apply(aPod({ name: 'web-1', node: 'n1' }));
    const { page, errors } = await open(`${url}/?open=v1/pods:default/web-1&tab=logs`);
    await drawer(page).getByText('web-1 begins').waitFor();
    say('web-1', '\u001b[31mred\u001b[0m \u202eevil <b>bold</b>');
    await drawer(page).getByText('red \\u202eevil <b>bold</b>').waitFor();
    await drawer(page).getByRole('searchbox', { name: 'Search in the logs' }).fill('EVIL');
    await drawer(page).locator('mark').filter({ hasText: 'evil' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('does not move while it is paused, and then shows all lines', async () => {
    const { api, url, say } = await startTalkingPods(start);
    api.apply(aPod({ name: 'web-1', node: 'n1' }));
    const { page } = await open(`${url}/?view=logs`, { viewport: { width: 390, height: 844 } });
    const log = page.getByRole('log');
    await log.getByText('web-1 begins').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    say('web-1', 'while paused');
    await page.getByRole('button', { name: 'Resume (1 new)' }).click();
    await log.getByText('while paused').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('streams the logs of a few pods, polls the next ones, and shows how many it does not follow', async () => {
    const { api, url } = await startTalkingPods(start);
    api.apply(Array.from({ length: 45 }, (_, at) => aPod({ name: `web-${at}`, node: 'n1' })));
    const { page } = await open(`${url}/?view=logs`);
    await page.getByText(/^3 followed live, 37 read every 2 s, because .*; 5 not followed\./).waitFor();
    const firstLine = page.getByRole('log').getByText('begins');
    await firstLine.nth(20).waitFor();
    expect(await firstLine.count()).toBeLessThanOrEqual(40);
  });
});
