import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { chromium, type Browser } from 'playwright-core';
import { VirtualTimeScheduler } from 'rxjs';
import { createApiServer, randomFromSeed, workload, aPod } from 'rx-informers/testing';
import { startDashboardServer } from '../examples/dashboard/server/dashboard-server.js';
import { projectRoot } from './entry-points.js';

/*
 * Takes the pictures of the dashboard that the README shows, docs/dashboard/{light,dark}.png: the same cluster each time, as it
 * is after half a minute of its life.
 */
const folder = join(projectRoot, 'docs/dashboard');
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) throw new Error(`there is no ${executablePath}: say in $CHROMIUM where a Chromium is`);

const api = await createApiServer();
const scheduler = new VirtualTimeScheduler(undefined, 30_000);
workload(api, { nodes: 12, pods: 500, rate: 40, random: randomFromSeed(6), scheduler }).subscribe();
scheduler.flush();
const phases = ['Pending', 'Failed', 'Succeeded', 'Unknown'] as const;
const unusual = Array.from({ length: 24 }, (_, index) =>
  aPod({
    name: `import-${index}`,
    namespace: 'jobs',
    labels: { app: 'import' },
    node: `worker-${1 + ((index * 5) % 12)}`,
    phase: phases[index % phases.length],
  }),
);
api.apply(unusual);

const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(api.kubeconfig());
const server = await startDashboardServer({ kubeConfig, page: join(projectRoot, 'examples/dashboard/dist') });
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
mkdirSync(folder, { recursive: true });
for (const colorScheme of ['light', 'dark'] as const) await takePicture(browser, colorScheme);
await browser.close();
await server.close();
await api.close();

async function takePicture(within: Browser, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await within.newPage({ viewport: { width: 1440, height: 900 }, colorScheme });
  await page.goto(server.url);
  const first = page.getByRole('grid', { name: 'Pods' }).locator('[aria-rowindex="2"]');
  await first.click();
  await page.getByRole('complementary').getByText('kind: Pod').waitFor();
  await page.screenshot({ path: join(folder, `${colorScheme}.png`) });
  await page.close();
}
