import { aNode, aPod } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { alteredList } from './support/altered-list.js';
import { useStage } from './support/dashboard.js';
import { expectSoon, expectVisible, settled } from './support/page-conditions.js';
import { drawer, facetValue, filterField, openTab, podCount, podRow } from './support/places.js';

describe('user input in the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('exposes the selected and the open row to assistive technology', async () => {
    const { api, url } = await start();
    api.apply([aPod({ name: 'a', namespace: 'shop' }), aPod({ name: 'b', namespace: 'blog' })]);
    const { page } = await open(url);

    await facetValue(page, 'shop 1').click();
    await podCount(page, 1).waitFor();
    await expectSoon(() => facetValue(page, 'shop 1').getAttribute('aria-pressed'), 'true');
    await expectSoon(() => facetValue(page, 'blog 1').getAttribute('aria-pressed'), 'false');
    await podRow(page, 'a').click();
    await drawer(page).waitFor();
    await expectSoon(() => podRow(page, 'a').getAttribute('aria-selected'), 'true');
  });

  it('clears the typed filter with one Escape, and closes the object with the next', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1' }));
    const { page } = await open(url);
    await podRow(page, 'web-1').click();
    await drawer(page).waitFor();

    await filterField(page).fill('web');
    await page.keyboard.press('Escape');
    await expectSoon(() => filterField(page).inputValue(), '');
    await settled(page);
    expect(await drawer(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
  });

  it('dims the pods on the map that do not match the filter, and none after the filter is cleared', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'worker-1' }), ...['alpha', 'beta'].map((name) => aPod({ name, node: 'worker-1' }))]);
    const { page } = await open(url);
    await podCount(page, 2).waitFor();
    /** Counts pixels of the map that are neither empty nor opaque. */
    const dimmed = (): Promise<number> =>
      page.evaluate(() => {
        const canvas = document.querySelector('canvas')!;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((alpha, at) => at % 4 === 3 && alpha > 0 && alpha < 128).length;
      });

    await filterField(page).fill('alpha');
    await podCount(page, 1).waitFor();
    await until(async () => (await dimmed()) > 0, { what: 'a pod is dimmed' });
    await filterField(page).fill('');
    await podCount(page, 2).waitFor();
    await expectSoon(dimmed, 0);
  });

  it('resets the drawer for each object: changes of one object are not shown for another', async () => {
    const { api, url } = await start();
    api.apply([aPod({ name: 'a' }), aPod({ name: 'b' })]);
    const { page } = await open(url);
    await podRow(page, 'a').click();
    await openTab(page, 'Changes');
    await drawer(page).getByText('Nothing has changed since then.').waitFor();
    api.apply(aPod({ name: 'a', labels: { app: 'web' } }));
    await drawer(page).getByRole('insertion').waitFor();

    await podRow(page, 'b').click();
    await drawer(page).getByRole('heading', { name: 'Pod default/b' }).waitFor();
    await openTab(page, 'Changes');
    await expectVisible(drawer(page).getByText('Nothing has changed since then.'));
    expect(await drawer(page).getByRole('insertion').count()).toBe(0);
  });

  it('opens a pod from its map cell, and draws the map in the colours of the chosen theme, which it remembers', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'web-1', node: 'worker-1' })]);
    const { page } = await open(url, { colorScheme: 'light' });
    await page.getByRole('button', { name: /^worker-1\W+1 pod: 1 running$/ }).waitFor();
    const canvas = page.locator('.tile canvas').first();
    const colour = (): Promise<string> =>
      canvas.evaluate((drawn: HTMLCanvasElement) => drawn.getContext('2d')!.getImageData(5, 5, 1, 1).data.join());
    await until(async () => (await colour()) !== '0,0,0,0', { what: 'the cell is drawn', within: 60_000 });
    const light = await colour();

    await canvas.click({ position: { x: 5, y: 5 } });
    await drawer(page).getByRole('heading', { name: 'Pod default/web-1' }).waitFor();
    for (const theme of ['system', 'light']) await page.getByRole('button', { name: `Theme: ${theme}` }).click();
    await until(async () => (await colour()) !== light, { what: 'the map is drawn in another colour', within: 60_000 });
    await page.reload();
    await podRow(page, 'web-1').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Theme: dark' }).isVisible(), true);
  });

  it('shows the latest event first, and all values of a facet on request', async () => {
    const { api, url } = await start();
    const [pod] = api.apply(aPod({ name: 'web-1' }));
    api.apply(Array.from({ length: 10 }, (_, index) => aPod({ name: `p-${index}`, namespace: `team-${index}` })));
    api.apply(
      ['10:00:00', '12:00:00', '11:00:00'].map((time) => ({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `web-1.${time.slice(0, 2)}`, namespace: 'default' },
        involvedObject: { kind: 'Pod', name: 'web-1', namespace: 'default', uid: pod?.metadata.uid },
        message: `at ${time}`,
        lastTimestamp: `2026-03-01T${time}Z`,
      })),
    );
    const { page } = await open(url);
    await podRow(page, 'web-1').click();
    await openTab(page, 'Events');
    await drawer(page).getByText('at 10:00:00').waitFor();
    await expectSoon(
      () => drawer(page).locator('.events .message').allTextContents(),
      ['at 12:00:00', 'at 11:00:00', 'at 10:00:00'],
    );

    expect(await facetValue(page, 'team-9 1').count()).toBe(0);
    await page.getByRole('button', { name: '5 more' }).click();
    await expectVisible(facetValue(page, 'team-9 1'));
  });

  it("shows escape codes for characters that change the text direction, in rows and in the object's title", async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1', namespace: 'shop' }));
    api.faults.always('any', alteredList({ 'web-1': 'web\u202e1' }));
    const { page } = await open(url);

    await podRow(page, 'web\\u202e1').click();
    await expectVisible(drawer(page).getByRole('heading', { name: 'Pod shop/web\\u202e1' }));
    expect(await page.evaluate(() => document.body.innerText.includes('\u202e'))).toBe(false);
  });
});
