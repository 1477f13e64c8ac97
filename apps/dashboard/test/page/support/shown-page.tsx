import { waitFor } from '@testing-library/react';
import { useContext, type ReactNode } from 'react';
import type { KubeClient } from 'rx-informers';
import {
  createInMemoryApiServer,
  virtualClock,
  type Appliable,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
} from 'rx-informers/testing';
import { ClusterContext } from '../../../page/cluster/cluster.js';
import { Dashboard } from '../../../page/frame/dashboard.js';
import { open, type Page } from './page.js';

/** The dashboard with a server in memory. */
export interface ShownPage {
  readonly server: InMemoryApiServer;
  readonly page: Page;
  /** Returns the time of the server, and of what the page has recorded. */
  readonly now: () => number;
  /** Waits, frame by frame, until the page meets an expectation. */
  readonly eventually: (check: () => void) => Promise<void>;
}

/** Sends requests that are not watches, such as requests for logs, to the server, too. */
function InCluster({ client, children }: { readonly client: KubeClient; readonly children: ReactNode }): ReactNode {
  const cluster = useContext(ClusterContext);
  return (
    <ClusterContext.Provider value={{ ...cluster, client, tables: new Map() }}>{children}</ClusterContext.Provider>
  );
}

/** Opens the dashboard at an address, with these objects in the cluster. */
export async function showPage(
  address: string,
  objects: Appliable,
  options: InMemoryApiServerOptions = {},
): Promise<ShownPage> {
  history.replaceState(null, '', address);
  const scheduler = virtualClock({ now: Date.now() });
  const server = createInMemoryApiServer({ scheduler, ...options });
  server.apply(objects);
  const { client } = server;
  const content = (
    <InCluster client={client}>
      <Dashboard />
    </InCluster>
  );
  const page = open(content, { client, scheduler });
  await page.pass(500);
  return {
    server,
    page,
    now: () => scheduler.now(),
    eventually: (check) =>
      waitFor(
        async () => {
          await page.pass(100);
          check();
        },
        { timeout: 5000 },
      ),
  };
}

/**
 * Adds browser functions that jsdom lacks. Elements get a size, because lists draw only the rows
 * that fit into their height.
 */
export function addWhatJsdomLacks(pixels: number): void {
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }),
  });
  Object.assign(performance, { getEntriesByType: () => [] });
  HTMLCanvasElement.prototype.getContext = () => null;
  HTMLElement.prototype.scrollTo = () => undefined;
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  };
  for (const side of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth']) {
    Object.defineProperty(HTMLElement.prototype, side, { configurable: true, value: pixels });
  }
}
