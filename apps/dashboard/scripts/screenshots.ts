import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { startDashboardStage } from './stage.js';

/*
 * Takes the pictures of the dashboard that the README and the guide show, docs/dashboard/*.png. The
 * demo cluster plays the same events each time, and each picture is taken after half a minute of
 * them: the first screen with a failing pod opened, in both colour schemes; a rollout; a phone.
 */
const folder = fileURLToPath(new URL('../../../docs/dashboard', import.meta.url));
const { server, browser, close } = await startDashboardStage();
mkdirSync(folder, { recursive: true });
const desk = { width: 1440, height: 900 };
const pictures = [
  { name: 'light', view: 'pods', colorScheme: 'light', viewport: desk, isOpened: true },
  { name: 'dark', view: 'pods', colorScheme: 'dark', viewport: desk, isOpened: true },
  { name: 'workloads', view: 'workloads', colorScheme: 'dark', viewport: desk, isOpened: false },
  { name: 'phone', view: 'pods', colorScheme: 'light', viewport: { width: 390, height: 844 }, isOpened: false },
] as const;
await Promise.all(pictures.map((picture) => takePicture(browser, picture)));
await close();

async function takePicture(within: Browser, picture: (typeof pictures)[number]): Promise<void> {
  const { name, view, colorScheme, viewport, isOpened } = picture;
  const page = await within.newPage({ viewport, colorScheme });
  // The response sets the key of the page as a cookie of this browser.
  await page.context().request.get(server.pageUrl);
  await page.goto(new URL(`/?view=${view}`, server.url).href);
  // Waits until the timeline below the page has something to show.
  await page.waitForTimeout(30_000);
  if (isOpened) {
    await page.getByRole('gridcell', { name: /^fraud-scorer/ }).click();
    await page.getByRole('complementary').getByText('Conditions').waitFor();
  }
  // Moves the pointer away, because elements under the pointer are coloured.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
