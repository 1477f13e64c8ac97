import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon } from './support/page-conditions.js';
import { facetValue, podCount, podRow } from './support/places.js';
import { troubledPods } from './support/troubled-pods.js';

describe('the first screen of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  async function troubled() {
    const dashboard = await start();
    troubledPods(dashboard.api);
    return dashboard;
  }

  it('narrows facets by each other, and offers to clear a filter that matches nothing', async () => {
    const { url } = await troubled();
    const { page } = await open(url);
    await facetValue(page, 'blog 2').click();
    await facetValue(page, 'web 0').waitFor();
    await facetValue(page, 'shop 3').waitFor();
    await facetValue(page, 'web 0').click();
    await podCount(page, 0).waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await podCount(page, 5).waitFor();
    await expectSoon(() => facetValue(page, 'blog 2').getAttribute('aria-pressed'), 'false');
    await expectSoon(() => new URL(page.url()).search, '');
  });

  it('has facets in a sheet on a phone, and two lines for each pod', async () => {
    const { url } = await troubled();
    const { page } = await open(url, { viewport: { width: 390, height: 844 } });
    expect((await podRow(page, 'a').boundingBox())?.height).toBe(56);
    await page.getByRole('button', { name: 'Filters' }).click();
    await facetValue(page, 'blog 2').click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show 2 pods' }).click();
    await podCount(page, 2).waitFor();
  });
});
