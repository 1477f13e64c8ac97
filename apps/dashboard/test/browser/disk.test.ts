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

/**
 * Shows two pods, prepares the page, starts the browser again, and opens the page without one of
 * the pods.
 */
async function restarted(prepare: (page: Page) => Promise<void>): Promise<Page> {
  const { api, url } = await stage.start();
  const pod = (name: string) => aPod({ name, namespace: 'shop', node: 'n1' });
  api.apply([aNode({ name: 'n1' }), pod('first'), pod('second')]);
  const start = await profile();
  const before = await start();
  const page = await opened(before, url);
  await choice(page).waitFor();
  await prepare(page);
  await before.close();
  api.remove(pods, 'shop/first');
  const after = await opened(await start(), url);
  await podNamed(after, 'first').waitFor({ state: 'detached' });
  await slider(after).waitFor();
  return after;
}

describe('the history on disk in Chromium', () => {
  it('is shown after a restart of the browser if it was chosen, and deleted with the choice', async () => {
    const page = await restarted(async (before) => {
      await choice(before).check();
      await until(async () => (await historyOnDisk(before)).includes('"first"'), { what: 'the pods are on disk' });
    });
    await expectVisible(page.getByText('The last hour, without Secrets', { exact: false }));
    await until(async () => {
      await slider(page).press('Home');
      return podNamed(page, 'first').isVisible();
    });
    await choice(page).uncheck();
    await until(async () => (await historyOnDisk(page)) === '', { what: 'nothing is on disk' });
    expect(await choice(page).isChecked()).toBe(false);
  });

  it('has nothing if it was not chosen', async () => {
    const page = await restarted(async () => undefined);
    await slider(page).press('Home');
    await expectVisible(podNamed(page, 'second'));
    expect(await podNamed(page, 'first').count()).toBe(0);
    expect(await historyOnDisk(page)).toBe('');
  });
});
