import { KubeConfig } from '@kubernetes/client-node';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createApiServer, type ApiServer, type ApiServerOptions } from 'rx-informers/testing';
import { startDashboardServer } from '../../../server/dashboard-server.js';
import { useChromium } from './chromium.js';
import { countRequests, settled } from './page-conditions.js';

export const builtPage = fileURLToPath(new URL('../../../dist', import.meta.url));

export interface DashboardOptions extends ApiServerOptions {
  /** The token of the dashboard for the API server. It determines the rights of the dashboard. */
  readonly token?: string;
  /** True if the page may change the cluster. Default: false. */
  readonly allowWrites?: boolean;
}

/** An embedded API server, and a dashboard that shows it. */
export interface Dashboard {
  readonly api: ApiServer;
  readonly url: string;
}

export interface OpenOptions extends BrowserContextOptions {
  /**
   * True if the page may use a shared worker. Default: true. Without a shared worker, the page
   * itself sends the requests for watches. Tests need this if they observe these requests or set
   * the clock of the page.
   */
  readonly hasSharedWorker?: boolean;
  /**
   * True if `open` waits until the page has settled, so that all lists are complete. Default: true.
   * Tests set it to false if they look at the page earlier, or if the page never settles.
   */
  readonly isSettled?: boolean;
  /** Prepares the page before the dashboard is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors that the page wrote to the console, and errors without a handler. */
  readonly errors: readonly string[];
}

export interface Stage {
  /** Calls `close` at the end of the test, whether the test passes or fails. */
  closeAfterwards(close: () => Promise<void>): void;
  start(options?: DashboardOptions): Promise<Dashboard>;
  /** Starts the dashboard for any other API server, or for several, and returns its URL. */
  serve(kubeConfig: KubeConfig, otherContexts?: readonly KubeConfig[]): Promise<string>;
  /** Returns the address with the key, which a user opens first. */
  pageUrlOf(url: string): string;
  /** Opens the dashboard in a new browser profile. */
  open(url: string, options?: OpenOptions): Promise<OpenPage>;
}

/**
 * Starts one browser for the tests of a file. Dashboards end with the test that started them.
 *
 * @param flags options of the command line of the browser
 */
export function useStage(flags?: readonly string[]): Stage {
  // Pages must be closed before the servers that they are connected to.
  const openProfile = useChromium(flags);
  const closings: (() => Promise<void>)[] = [];
  /** The address with the key, by the address of each server. */
  const pageUrls = new Map<string, string>();

  afterEach(async () => {
    const failures: unknown[] = [];
    // If a call fails, the next calls still run, so that nothing stays open for the next test.
    for (const close of closings.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
    expect(failures).toEqual([]);
  });

  async function serve(
    kubeConfig: KubeConfig,
    otherContexts: readonly KubeConfig[] = [],
    allowWrites = false,
  ): Promise<string> {
    const server = await startDashboardServer({ kubeConfig, otherContexts, page: builtPage, allowWrites });
    closings.push(() => server.close());
    pageUrls.set(server.url, server.pageUrl);
    return server.url;
  }

  return {
    closeAfterwards(close) {
      closings.push(close);
    },
    pageUrlOf: (url) => pageUrls.get(url) ?? url,
    serve: (kubeConfig, otherContexts) => serve(kubeConfig, otherContexts),
    async start({ token, allowWrites, ...options } = {}) {
      const api = await createApiServer(options);
      closings.push(() => api.close());
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromString(api.kubeconfig(token));
      return { api, url: await serve(kubeConfig, [], allowWrites) };
    },
    async open(url, { prepare, hasSharedWorker = true, isSettled = true, ...options } = {}) {
      const context = await openProfile({ viewport: { width: 1440, height: 900 }, ...options });
      if (!hasSharedWorker) await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
      const page = await context.newPage();
      countRequests(page);
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
      });
      // Another request gets the key, so that the page opens as on a later visit.
      const pageUrl = pageUrls.get(new URL(url).origin);
      if (pageUrl !== undefined) await context.request.get(pageUrl);
      await prepare?.(page);
      await page.goto(url);
      if (isSettled) await settled(page);
      return { page, errors };
    },
  };
}
