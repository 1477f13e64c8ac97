import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { expectSoon } from '../support/page-conditions.js';
import { drawer } from '../support/places.js';

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const widget = (name: string, size: number): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'shop' },
  spec: { size },
});

describe('the page of kinds in Chromium', () => {
  const { start, open } = useStage();

  it('counts the objects of a custom kind, has its printer columns, and follows its objects, by keyboard', async () => {
    const { api, url } = await start();
    api.apply(widgets);
    api.apply(widget('a', 3));
    const { page, errors } = await open(`${url}/?view=kinds`);
    await page.getByRole('link', { name: 'Widget 1' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search kinds' }).focus();
    await page.keyboard.type('widg');
    await expectSoon(() => page.getByRole('navigation', { name: 'Kinds' }).getByRole('link').count(), 1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('columnheader', { name: 'Size' }).waitFor();
    await page.getByRole('gridcell', { name: '3', exact: true }).waitFor();
    api.apply(widget('b', 42));
    await page.getByRole('gridcell', { name: '42', exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('grid', { name: 'Widget' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // The drawer shows the columns, too.
    await drawer(page).locator('.facts div').filter({ hasText: 'Size42' }).first().waitFor();
    expect(errors).toEqual([]);
  });
});
