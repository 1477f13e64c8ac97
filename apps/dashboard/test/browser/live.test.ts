import { pods } from 'rx-informers';
import { aPod, serverFaults } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { useStage } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { expectSoon } from './support/page-conditions.js';
import { facetValue, filterField, lostText, podCount, podRow, podTable, statusText } from './support/places.js';
import { setVisibility } from './support/visibility.js';

describe('the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('shows 5,000 pods, and only the visible rows are in the document', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 5000, nodes: 50 });

    const { page, errors } = await open(url);

    await podCount(page, 5000).waitFor();
    await podRow(page, 'pod-00000').or(podRow(page, 'pod-00001')).first().waitFor();
    expect(await podTable(page).getAttribute('aria-rowcount')).toBe('5001');
    const rows = await podTable(page).getByRole('row').count();
    expect(rows).toBeGreaterThan(5);
    expect(rows).toBeLessThan(100);
    // The map draws and counts visible pods.
    await page.getByRole('button', { name: /^worker-49\b/ }).scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: /^worker-49\W+100 pods: 100 running$/ }).waitFor();
    expect(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length)).toBe(1);
    expect(errors).toEqual([]);
  });

  it('shows a facet for a label as soon as a pod has it, with a count and a filter', async () => {
    const { api, url } = await start();
    api.apply([aPod({ name: 'plain' })]);
    const { page } = await open(url);
    await podRow(page, 'plain').waitFor();
    expect(await page.getByRole('heading', { name: 'tier' }).count()).toBe(0);

    api.apply([aPod({ name: 'web-1', labels: { tier: 'front' } }), aPod({ name: 'web-2', labels: { tier: 'front' } })]);
    await page.getByRole('button', { name: 'tier', exact: true }).click();
    await facetValue(page, 'front 2').click();

    await podCount(page, 2).waitFor();
    expect(await podRow(page, 'plain').count()).toBe(0);
    api.remove(pods, 'web-2', 'default');
    await facetValue(page, 'front 1').waitFor();
    await page.getByRole('button', { name: 'Remove the filter tier front' }).click();
    await podRow(page, 'plain').waitFor();
  });

  it('shows that the connection is lost and how old the pods are, keeps them, and catches up after reconnecting', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'before' }));
    const { page } = await open(url);
    await statusText(page, 'live').waitFor();
    await podRow(page, 'before').waitFor();

    api.faults.always('any', serverFaults.refuse());
    api.restart();
    await lostText(page, 'The cluster does not respond, but the server of this page does.').waitFor();
    await page.getByText(/Data as of \d+s ago\. Retrying/).waitFor();
    expect(await podRow(page, 'before').count()).toBe(1);

    api.apply(aPod({ name: 'meanwhile' }));
    api.faults.clear();
    await podRow(page, 'meanwhile').waitFor();
    await statusText(page, 'live').waitFor();
    await page.getByText(/as of \d/).waitFor({ state: 'detached' });
  });

  it('draws nothing while the tab is hidden, and is up to date when the tab is shown again', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'before' }));
    const { page } = await open(url);
    await podCount(page, 1).waitFor();
    await setVisibility(page, 'hidden');
    api.apply(Array.from({ length: 50 }, (_, index) => aPod({ name: `hidden-${index}` })));
    // Requests are answered in order: when this one is, the page has the pods, and had frames to
    // draw them in.
    await page.evaluate(async () => {
      await (await fetch('/api/v1/pods')).text();
      for (let frame = 0; frame < 10; frame++) await new Promise(requestAnimationFrame);
    });
    expect(await podTable(page).getAttribute('aria-rowcount')).toBe('2');

    await setVisibility(page, 'visible');
    await podCount(page, 51).waitFor();
  });

  it('filters while the user types, and sorts by column titles', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 200, nodes: 4 });
    const { page } = await open(url);
    await podCount(page, 200).waitFor();

    await filterField(page).fill('pod-0012');
    await podCount(page, 10).waitFor();
    const title = podTable(page).getByRole('columnheader', { name: 'Name', exact: true });
    const sortByName = title.getByRole('button');
    await sortByName.click();
    await sortByName.click();

    await expectSoon(() => title.getAttribute('aria-sort'), 'descending');
    await until(
      async () => {
        const first = podTable(page).locator('[aria-rowindex="2"]');
        return (await first.textContent())?.startsWith('pod-00129') ?? false;
      },
      { what: 'the last name is first', within: 60_000 },
    );
  });
});
