import { KubeConfig } from '@kubernetes/client-node';
import type { Page } from 'playwright-core';
import { aNode, aPod, createApiServer, type ApiRequest, type ApiServer, serverFaults } from 'rx-informers/testing';
import { filter, firstValueFrom } from 'rxjs';
import { until } from '../../../../test/support/until.js';
import { startDashboardServer } from '../../server/dashboard-server.js';
import { builtPage, useStage, type OpenOptions } from './support/dashboard.js';
import { expectVisible, settled } from './support/page-conditions.js';
import { lostText, podCount, podRow, statusText } from './support/places.js';
import { watchFor } from './support/watch-for.js';

/** Runs in the page before its script: keeps the addresses of the WebSockets that were opened. */
function recordSockets(): void {
  const opened: string[] = [];
  Object.assign(globalThis, {
    openedSockets: opened,
    WebSocket: class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        this.addEventListener('open', () => opened.push(String(url)));
      }
    },
  });
}

function openedSockets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => [
    ...(globalThis as unknown as { readonly openedSockets: readonly string[] }).openedSockets,
  ]);
}

/** Resolves with the next such request. */
function requestFor(api: ApiServer, isWanted: (request: ApiRequest) => boolean): Promise<ApiRequest> {
  return firstValueFrom(api.requests$.pipe(filter(isWanted)));
}

describe('the connection of the dashboard in Chromium', () => {
  const { start, open, closeAfterwards } = useStage();

  /**
   * A page whose watches have delivered data: such a watch is resumed at once when it is cut.
   */
  async function live(options: OpenOptions = {}): Promise<{ api: ApiServer; page: Page }> {
    const { api, url } = await start();
    // These tests check the requests of the page, and control its clock.
    const { page } = await open(url, { hasSharedWorker: false, ...options });
    await statusText(page, 'live').waitFor();
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'before', node: 'worker-1' })]);
    await podRow(page, 'before').waitFor();
    await page.getByRole('button', { name: 'Show the node worker-1' }).waitFor();
    await settled(page);
    return { api, page };
  }

  it('shows that it reconnects when a watch is cut, shows the age of the pods after a while, and resumes from the last version', async () => {
    const { api, page } = await live();

    api.faults.always('watch', serverFaults.stall());
    api.restart();
    await statusText(page, 'reconnecting').waitFor();
    await page.getByText(/^as of \d+s ago$/).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectVisible(podRow(page, 'before'));

    api.apply(aPod({ name: 'meanwhile' }));
    api.faults.clear();
    api.restart();
    await podRow(page, 'meanwhile').waitFor();
    await statusText(page, 'live').waitFor();
    await page.getByText(/^as of/).waitFor({ state: 'detached' });
  });

  it('gives up a connection that is silent for too long, and includes the silence in the displayed age', async () => {
    const { api, page } = await live({
      prepare: async (prepared) => {
        await prepared.clock.install();
        await prepared.addInitScript(recordSockets);
      },
    });
    // The watch is answered, and then silent: for the page it is live.
    api.faults.always('watch', serverFaults.stall({ afterBytes: 0 }));
    const before = await openedSockets(page);
    api.restart();
    for (const plural of ['pods', 'nodes']) {
      const ofKind = (urls: readonly string[]): number => urls.filter((url) => url.includes(`/${plural}?`)).length;
      await until(async () => ofKind(await openedSockets(page)) > ofKind(before), { what: `a watch of ${plural}` });
    }
    await statusText(page, 'live').waitFor();
    api.apply(aPod({ name: 'meanwhile' }));

    api.faults.always('watch', serverFaults.stall());
    await page.clock.fastForward('12:00');
    await lostText(page, 'No data received for').waitFor();
    await page.getByText(/as of 1[12]m ago/).waitFor();
    expect(await podRow(page, 'meanwhile').count()).toBe(0);

    api.faults.clear();
    api.restart();
    await podRow(page, 'meanwhile').waitFor();
    await statusText(page, 'live').waitFor();
  });

  it('lists again when its version has expired (410), without flicker on the page', async () => {
    const { api, page } = await live();
    const listed = requestFor(
      api,
      ({ path, query }) => path === '/api/v1/pods' && query.get('sendInitialEvents') === 'true',
    );
    const seen = await watchFor(page, () => ({
      heading: document.querySelector('#pods-title')?.textContent,
      hasPod: document.querySelector('.table-rows')?.textContent.includes('before'),
      alerts: document.querySelectorAll('[role=alert]').length,
      loading: document.body.textContent.includes('Loading'),
    }));

    api.faults.next('watch', serverFaults.expire(), { times: 2 });
    api.restart();
    api.apply(aPod({ name: 'meanwhile' }));
    await listed;
    await podCount(page, 2).waitFor();
    await podRow(page, 'meanwhile').waitFor();
    await statusText(page, 'live').waitFor();

    const steady = { hasPod: true, alerts: 0, loading: false };
    expect(await seen()).toEqual([
      { heading: 'Pods 1', ...steady },
      { heading: 'Pods 2', ...steady },
    ]);
  });

  it('shows how long ago the server last sent data', async () => {
    const { page } = await live();
    await expectVisible(page.getByText(/^heard \d+s ago$/));
  });

  it('reports that the page’s own server does not respond, and is live again after a click on "Try now"', async () => {
    const api = await createApiServer();
    closeAfterwards(() => api.close());
    api.apply(aPod({ name: 'before' }));
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig());
    const server = await startDashboardServer({ kubeConfig, page: builtPage });
    closeAfterwards(() => server.close());
    const { page } = await open(server.pageUrl);
    const place = await podRow(page, 'before').boundingBox();
    await server.close();

    await lostText(page, 'Is npm run dashboard still running?').waitFor();
    await settled(page);
    expect(await podRow(page, 'before').boundingBox()).toEqual(place);
    expect(await page.getByRole('alert').count()).toBe(1);
    const { key } = server;
    const again = await startDashboardServer({
      kubeConfig,
      page: builtPage,
      port: Number(new URL(server.url).port),
      key,
    });
    closeAfterwards(() => again.close());
    await page.getByRole('button', { name: 'Try now' }).click();
    await statusText(page, 'live').waitFor();
  });
});
