import { pods } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { countRequests, expectFocused, expectVisible } from '../support/page-conditions.js';
import { podCount, podRow, statusText } from '../support/places.js';
import { useTeamStage } from '../support/team.js';

describe('the dashboard of a team in Chromium, with a hub behind a proxy', () => {
  const { start, profile } = useTeamStage();

  it('signs a viewer in by keyboard, watches nothing itself, and follows the part of the viewer live', async () => {
    const { api, publicUrl } = await start({ hub: true });
    const watches: string[] = [];
    api.requests$.subscribe(({ query, path, headers }) => {
      if (query.get('watch') !== null) watches.push(`${headers['authorization'] ?? ''} ${path}`);
    });
    const page = await (await profile()).newPage();
    countRequests(page);
    await page.goto(`${publicUrl}/?namespace=shop`);
    const token = page.getByLabel('Your bearer token');
    await expectFocused(token);
    expect(await accessibilityViolations(page, { isSettled: false })).toEqual([]);
    await page.keyboard.type('token-of-grace');
    await page.keyboard.press('Enter');

    await podCount(page, 1).waitFor();
    await expectVisible(podRow(page, 'web'));
    await statusText(page, 'live').waitFor();
    await expectVisible(page.getByText('as grace'));
    await expectVisible(page.getByTitle(/reads through the hub of its server/));
    expect(await accessibilityViolations(page)).toEqual([]);
    api.apply([aPod({ name: 'hidden', namespace: 'lab' }), aPod({ name: 'later', namespace: 'shop' })]);
    await podRow(page, 'later').waitFor();
    api.remove(pods, 'web', 'shop');
    await podRow(page, 'web').waitFor({ state: 'detached' });

    expect(watches.filter((each) => each.endsWith('/api/v1/pods'))).toEqual(['Bearer token-of-server /api/v1/pods']);
    expect(watches.filter((each) => !each.startsWith('Bearer token-of-server '))).toEqual([]);
    expect(await page.getByText('hidden').count()).toBe(0);

    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await token.waitFor();
  });
});
