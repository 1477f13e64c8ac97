import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Pod } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { parse } from 'yaml';
import { until } from '../../../../test/support/until.js';
import { useStage } from './support/dashboard.js';
import { expectFocused, hasFocus, settled } from './support/page-conditions.js';
import { drawer, openTab, podRow } from './support/places.js';

describe('an object that is exported from the dashboard in Chromium', () => {
  const { start, open } = useStage();
  const large = 'x'.repeat(10_000_000);

  it('is downloaded completely, even if only a part is shown, and the browser keeps no copy', async () => {
    const { api, url } = await start();
    const [stored] = api.apply(aPod({ name: 'large', annotations: { large, yes: 'no' } }));
    const { page, errors } = await open(url, {
      acceptDownloads: true,
      prepare: (prepared) =>
        prepared.addInitScript(() => {
          const urls = new Set<string>();
          const { createObjectURL, revokeObjectURL } = URL;
          URL.createObjectURL = (blob) => {
            const made = createObjectURL.call(URL, blob);
            urls.add(made);
            return made;
          };
          URL.revokeObjectURL = (revoked) => {
            urls.delete(revoked);
            revokeObjectURL.call(URL, revoked);
          };
          Object.assign(globalThis, { objectUrls: urls });
        }),
    });
    await podRow(page, 'large').click();
    await openTab(page, 'YAML');
    await drawer(page).getByText('10.0 M characters, 1.0 k shown').waitFor();
    expect(await objectUrls(page)).toBe(0);

    const downloading = page.waitForEvent('download');
    await drawer(page).getByRole('button', { name: 'Download YAML' }).press('Enter');
    const download = await downloading;
    const saved = parse(readFileSync(await download.path(), 'utf8')) as Pod;

    expect(download.suggestedFilename()).toBe('pod-default-large.yaml');
    expect(saved.metadata.annotations?.['large'] === large).toBe(true);
    expect(withoutLarge(saved)).toEqual(withoutLarge(stored as Pod));
    await said(page, /^Downloaded as pod-default-large\.yaml: version \d+, 10\.0 M characters\.$/);
    await until(async () => (await objectUrls(page)) === 0, { what: 'the blob is given back', within: 60_000 });
    expect(errors).toEqual([]);
  });

  it('is copied completely, by keyboard too, and the page confirms it', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'large', annotations: { large } }));
    const { page, errors } = await open(url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await podRow(page, 'large').click();

    await openTab(page, 'YAML');
    const copy = drawer(page).getByRole('button', { name: 'Copy YAML' });
    await copy.waitFor();
    await settled(page);
    for (let stop = 0; stop < 8 && !(await hasFocus(copy)); stop++) await page.keyboard.press('Tab');
    await expectFocused(copy);
    await page.keyboard.press('Space');

    await said(page, /^Copied: version \d+, 10\.0 M characters\.$/);
    const copied = parse(await page.evaluate(() => navigator.clipboard.readText())) as Pod;
    expect([copied.kind, copied.metadata.annotations?.['large'] === large]).toEqual(['Pod', true]);
    expect(errors).toEqual([]);
  });

  it.each([
    { where: 'the browser refuses it', prepare: refuseClipboard },
    {
      where: 'the browser has no clipboard',
      prepare: (page: Page) =>
        page.addInitScript(() => {
          Object.defineProperty(navigator, 'clipboard', { value: undefined });
        }),
    },
  ])('is not copied where $where, and the page reports it', async ({ prepare }) => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1' }));
    const { page, errors } = await open(url, { prepare });
    await podRow(page, 'web-1').click();
    await openTab(page, 'YAML');
    await drawer(page).getByRole('button', { name: 'Copy YAML' }).click();

    await said(page, /^Not copied: the browser does not let this page write to the clipboard\. Download it instead\.$/);
    expect(errors).toEqual([]);
  });
});

/** Waits until the drawer has announced something to screen readers. */
async function said(page: Page, text: RegExp): Promise<void> {
  await drawer(page).getByRole('status').filter({ hasText: text }).waitFor();
}

/** For the context of this page only: the permission of the browser itself is separate. */
async function refuseClipboard(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  await session.send('Browser.setPermission', {
    permission: { name: 'clipboard-write' },
    setting: 'denied',
    browserContextId: targetInfo.browserContextId!,
  });
}

function objectUrls(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { readonly objectUrls: ReadonlySet<string> }).objectUrls.size);
}

function withoutLarge(pod: Pod): Pod {
  const { large: _, ...annotations } = pod.metadata.annotations ?? {};
  const { managedFields: __, ...metadata } = { ...pod.metadata, annotations } as Pod['metadata'] & {
    readonly managedFields?: unknown;
  };
  return { ...pod, metadata };
}
