import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { chromium, type Browser } from 'playwright-core';
import { VirtualTimeScheduler } from 'rxjs';
import type { Pod } from 'rx-informers';
import { aNode, aPod, createApiServer, randomFromSeed, workload } from 'rx-informers/testing';
import { startDashboardServer } from '../examples/dashboard/server/dashboard-server.js';
import { projectRoot } from './entry-points.js';

/*
 * Takes the pictures of the dashboard that the README shows, docs/dashboard/{light,dark}.png: the same cluster each time, forty minutes
 * old. Somebody looks at the pods of one namespace, those that restarted most on top, and has opened one whose new image does not start.
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
api.apply([...unusual, aNode({ name: 'worker-9', unschedulable: true })]);

const minute = 60_000;
const age = 40 * minute;
const checkout = { name: 'checkout-6c5d8f9b7-x2kqp', namespace: 'shop', labels: { app: 'checkout' }, node: 'worker-4' };
const [opened] = api.apply(aPod({ ...checkout, image: 'checkout:1.8.2', restarts: 2 }));
api.apply(
  [
    { reason: 'Scheduled', message: 'Successfully assigned shop/checkout-6c5d8f9b7-x2kqp to worker-4', ago: age },
    { reason: 'Killing', message: 'Container main definition changed, will be restarted', ago: 2 * minute },
    { reason: 'BackOff', message: 'Back-off restarting failed container main', ago: minute, type: 'Warning', count: 3 },
  ].map(({ ago, reason, type = 'Normal', ...what }) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${checkout.name}.${reason.toLowerCase()}`, namespace: checkout.namespace },
    involvedObject: { kind: 'Pod', name: checkout.name, namespace: checkout.namespace, uid: opened?.metadata.uid },
    lastTimestamp: new Date(Date.now() + age - ago).toISOString(),
    reason,
    type,
    ...what,
  })),
);

/** The pod with another image, which fails. */
function failing(restarts: number): Pod {
  const pod = aPod({ ...checkout, image: 'checkout:1.9.0', ready: false, restarts });
  const containerStatuses = pod.status?.containerStatuses?.map((status) => ({
    ...status,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
  }));
  return { ...pod, status: { ...pod.status, ...(containerStatuses && { containerStatuses }) } };
}

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
  api.apply(aPod({ ...checkout, image: 'checkout:1.8.2', restarts: 2 }));
  const page = await within.newPage({ viewport: { width: 1440, height: 900 }, colorScheme });
  await page.addInitScript((milliseconds) => {
    const { now } = Date;
    Date.now = () => now() + milliseconds;
  }, age);
  await page.goto(server.url);
  await page.getByRole('navigation', { name: 'Filters' }).getByRole('button', { name: /^shop/ }).click();
  const byRestarts = page.getByRole('columnheader', { name: 'Restarts' }).getByRole('button');
  await byRestarts.click();
  await byRestarts.click();
  await page.getByRole('gridcell', { name: checkout.name }).click();
  const drawer = page.getByRole('complementary');
  await drawer.getByText('Back-off restarting').waitFor();
  await drawer.getByText('kind: Pod').waitFor();
  api.apply(failing(7));
  await drawer.getByRole('insertion').filter({ hasText: 'CrashLoopBackOff' }).waitFor();
  // What has just come is coloured for a moment, and where the pointer is, too.
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => document.getAnimations().length === 0);
  await page.screenshot({ path: join(folder, `${colorScheme}.png`) });
  await page.close();
}
