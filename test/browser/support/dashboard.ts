import { fileURLToPath } from 'node:url';
import { KubeConfig } from '@kubernetes/client-node';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createApiServer, type ApiServer, type ApiServerOptions } from 'rx-informers/testing';
import { startDashboardServer } from '../../../examples/dashboard/server/dashboard-server.js';
import { launchChromium } from './chromium.js';

export const builtPage = fileURLToPath(new URL('../../../examples/dashboard/dist', import.meta.url));

export interface DashboardOptions extends ApiServerOptions {
  /** Whose rights the dashboard has at the API server. */
  readonly token?: string;
}

/** An embedded API server with the dashboard before it. */
export interface Dashboard {
  readonly api: ApiServer;
  readonly url: string;
}

export interface OpenOptions extends BrowserContextOptions {
  /** What is to be done with the page before the dashboard is in it. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface OpenPage {
  readonly page: Page;
  /** What the page wrote to the console as an error, or threw and nobody caught. */
  readonly errors: readonly string[];
}

export interface Stage {
  start(options?: DashboardOptions): Promise<Dashboard>;
  /** The dashboard before any other API server; gives its URL. */
  serve(kubeConfig: KubeConfig): Promise<string>;
  /** Opens the dashboard in a browser that has never seen it. */
  open(url: string, options?: OpenOptions): Promise<OpenPage>;
}

/** One browser for the tests of a file, and dashboards that go with the test that started them. */
export function useStage(): Stage {
  let browser: Browser;
  const closings: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });
  afterAll(() => browser.close());

  async function serve(kubeConfig: KubeConfig): Promise<string> {
    const server = await startDashboardServer({ kubeConfig, page: builtPage });
    closings.push(() => server.close());
    return server.url;
  }

  return {
    serve,
    async start({ token, ...options } = {}) {
      const api = await createApiServer(options);
      closings.push(() => api.close());
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromString(api.kubeconfig(token));
      return { api, url: await serve(kubeConfig) };
    },
    async open(url, { prepare, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      closings.push(() => context.close());
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await prepare?.(page);
      await page.goto(url);
      return { page, errors };
    },
  };
}
