import { KubeConfig } from '@kubernetes/client-node';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { createApiServer, randomFromSeed } from 'rx-informers/testing';
import { demoScene, demoWorkload } from '../demo-cluster/demo-workload.js';
import { startDashboardServer } from '../server/dashboard-server.js';

/*
 * Prints the Lighthouse scores of the dashboard of the demo cluster, on a desktop and on a phone,
 * and fails if a score is below 95. Lighthouse is not among the dependencies: `npx` fetches it. The
 * performance score is only meaningful on a machine that does nothing else.
 */
const lighthouse = 'lighthouse@13.5.0';
const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
const least = 0.95;
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
if (!existsSync(executablePath))
  throw new Error(`there is no ${executablePath}: set $CHROMIUM to the path of a Chromium`);

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
}

const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
const api = await createApiServer(demoScene.serverOptions);
const workload = demoWorkload(api, { nodes: 12, pods: 300, rate: 12, random: randomFromSeed(6) }).subscribe();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(api.kubeconfig());
const server = await startDashboardServer({
  kubeConfig,
  page: fileURLToPath(new URL('../dist', import.meta.url)),
  demo: true,
});
const port = 9333;
const browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
  executablePath,
  args: [`--remote-debugging-port=${port}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
// The response sets the key of the page as a cookie of this browser.
await browser.request.get(server.pageUrl);
for (const preset of ['desktop', 'mobile']) print(preset, await scoresOf(preset));
await browser.close();
workload.unsubscribe();
await server.close();
await api.close();
rmSync(folder, { recursive: true });

/** Runs Lighthouse in a process of its own, because this process serves the page. */
async function scoresOf(preset: string): Promise<Report['categories']> {
  const path = join(folder, `${preset}.json`);
  const options = [`--port=${port}`, '--output=json', `--output-path=${path}`, '--quiet'];
  const chosen = [`--only-categories=${categories.join(',')}`, ...(preset === 'desktop' ? ['--preset=desktop'] : [])];
  await promisify(execFile)('npx', ['--yes', lighthouse, server.url, ...options, ...chosen]);
  return (JSON.parse(readFileSync(path, 'utf8')) as Report).categories;
}

function print(preset: string, scores: Report['categories']): void {
  const texts = categories.map((name) => `${name} ${Math.round((scores[name]?.score ?? 0) * 100)}`);
  process.stdout.write(`${preset}: ${texts.join(', ')}\n`);
  if (categories.some((name) => (scores[name]?.score ?? 0) < least)) process.exitCode = 1;
}
