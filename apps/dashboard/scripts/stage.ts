import { KubeConfig } from '@kubernetes/client-node';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { createApiServer, randomFromSeed } from 'rx-informers/testing';
import { demoScene, demoWorkload } from '../demo-cluster/demo-workload.js';
import { startDashboardServer, type DashboardServer } from '../server/dashboard-server.js';

/** The dashboard of the demo cluster, and a browser to look at it. */
export interface DashboardStage {
  readonly server: DashboardServer;
  readonly browser: Browser;
  /** Closes the browser, the server of the page and the cluster. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the dashboard from its last build, over the demo cluster, which plays the same events each
 * time.
 */
export async function startDashboardStage(): Promise<DashboardStage> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(`there is no ${executablePath}: set $CHROMIUM to the path of a Chromium`);
  }
  const api = await createApiServer(demoScene.serverOptions);
  const workload = demoWorkload(api, { nodes: 12, pods: 300, rate: 12, random: randomFromSeed(6) }).subscribe();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(api.kubeconfig());
  const server = await startDashboardServer({
    kubeConfig,
    page: fileURLToPath(new URL('../dist', import.meta.url)),
    demo: true,
  });
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  return {
    server,
    browser,
    close: async () => {
      await browser.close();
      workload.unsubscribe();
      await server.close();
      await api.close();
    },
  };
}
