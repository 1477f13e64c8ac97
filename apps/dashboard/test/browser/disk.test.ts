import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { pods } from 'rx-informers';
import { aNode, aPod } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { openPersistent } from './support/chromium.js';
import { useStage } from './support/dashboard.js';
import { historyOnDisk } from './support/database.js';
import { expectVisible } from './support/page-conditions.js';

const stage = useStage();

const podNamed = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });
const slider = (page: Page) => page.getByRole('slider', { name: 'Time shown' });
const choice = (page: Page) => page.getByRole('checkbox', { name: 'Keep the history on disk' });

/** A browser profile on disk, which a test opens several times. */
async function profile(): Promise<() => Promise<BrowserContext>> {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-profile-'));
  stage.closeAfterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return async () => {
    const context = await openPersistent(folder);
    stage.closeAfterwards(() => context.close());
    return context;
  };
}

/** Opens the dashboard as on the first visit after the start of the browser. */
async function opened(context: BrowserContext, url: string): Promise<Page> {
  const page = context.pages()[0] ?? (await context.newPage());
  await context.request.get(stage.pageUrlOf(url));
  await page.goto(`${url}/?page.informers=open`);
  await expectVisible(podNamed(page, 'second'));
  return page;
}

describe('the history on disk in Chromium', () => {
  it.each([true, false])('is shown after a restart of the browser exactly if it was chosen: %s', async (isChosen) => {
    const { api, url } = await stage.start();
    api.apply([
      aNode({ name: 'n1' }),
      aPod({ name: 'first', namespace: 'shop', node: 'n1' }),
      aPod({ name: 'second', namespace: 'shop', node: 'n1' }),
    ]);
    const start = await profile();
    const before = await start();
    const page = await opened(before, url);
    await choice(page).waitFor();
    if (isChosen) {
      await choice(page).check();
      await until(async () => (await historyOnDisk(page)).includes('"first"'), { what: 'the pods are on disk' });
      await page.reload();
      expect(await choice(page).isChecked()).toBe(true);
    }
    await before.close();

    api.remove(pods, 'shop/first');
    const after = await opened(await start(), url);
    await podNamed(after, 'first').waitFor({ state: 'detached' });
    if (isChosen) await expectVisible(after.getByText('The last hour, without Secrets', { exact: false }));
    await slider(after).waitFor();
    if (isChosen) {
      await until(async () => {
        await slider(after).press('Home');
        return podNamed(after, 'first').isVisible();
      });
      await after.getByRole('button', { name: 'Back to live' }).click();
      await choice(after).uncheck();
      await until(async () => (await historyOnDisk(after)) === '', { what: 'nothing is on disk' });
    } else {
      await slider(after).press('Home');
      await expectVisible(podNamed(after, 'second'));
      expect(await podNamed(after, 'first').count()).toBe(0);
      expect(await historyOnDisk(after)).toBe('');
    }
  });
});
