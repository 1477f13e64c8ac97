import type { Page } from 'playwright-core';
import { aNode, aPod, type ApiServer, serverFaults } from 'rx-informers/testing';
import { useStage, type OpenOptions } from './support/dashboard.js';
import { expectVisible } from './support/expect-visible.js';
import { podCount, podRow, statusText } from './support/places.js';
import { watchFor } from './support/watch-for.js';

describe('the connection of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  /** A page whose watches have brought something: such a watch is resumed at once when it is cut. */
  async function live(options: OpenOptions = {}): Promise<{ api: ApiServer; page: Page }> {
    const { api, url } = await start();
    const { page } = await open(url, options);
    await statusText(page, 'pods: live').waitFor();
    await statusText(page, 'nodes: live').waitFor();
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'before', node: 'worker-1' })]);
    await podRow(page, 'before').waitFor();
    await page.getByRole('button', { name: 'Show the node worker-1' }).waitFor();
    return { api, page };
  }

  it('says that it reconnects when a watch is cut, how old the pods are when that lasts, and goes on where it was', async () => {
    const { api, page } = await live();

    api.faults.always('watch', serverFaults.stall());
    api.restart();
    await statusText(page, 'pods: reconnecting').waitFor();
    await page
      .getByText(/^as of \d+s ago$/)
      .first()
      .waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectVisible(podRow(page, 'before'));

    api.apply(aPod({ name: 'meanwhile' }));
    api.faults.clear();
    api.restart();
    await podRow(page, 'meanwhile').waitFor({ timeout: 60_000 });
    await statusText(page, 'pods: live').waitFor();
    await statusText(page, 'nodes: live').waitFor();
    expect(await page.getByText(/^as of/).count()).toBe(0);
  });

  it('gives up a connection that is silent for too long, and counts the silence to the age of what is shown', async () => {
    const { api, page } = await live({ prepare: (prepared) => prepared.clock.install() });
    // Answered, and then nothing more: for the page it is live.
    api.faults.always('watch', serverFaults.stall({ afterBytes: 0 }));
    const answered = page.waitForResponse((response) => response.url().includes('/pods?'));
    api.restart();
    await answered;
    await statusText(page, 'pods: live').waitFor();
    api.apply(aPod({ name: 'meanwhile' }));

    api.faults.always('watch', serverFaults.stall());
    await page.clock.fastForward('12:00');
    await statusText(page, 'pods: reconnecting').waitFor();
    await page
      .getByText(/^as of 1[12]m ago$/)
      .first()
      .waitFor();
    expect(await podRow(page, 'meanwhile').count()).toBe(0);

    api.faults.clear();
    api.restart();
    await podRow(page, 'meanwhile').waitFor({ timeout: 60_000 });
    await statusText(page, 'pods: live').waitFor();
  });

  it('lists again when its version has expired (410), and nothing on the page flickers', async () => {
    const { api, page } = await live();
    const listed = page.waitForRequest((request) => /\/pods\?.*sendInitialEvents=true/.test(request.url()));
    const seen = await watchFor(page, () => ({
      heading: document.querySelector('#pods-title')?.textContent,
      hasPod: document.querySelector('.pod-rows')?.textContent.includes('before'),
      alerts: document.querySelectorAll('[role=alert]').length,
      loading: document.body.textContent.includes('Loading'),
    }));

    api.faults.next('watch', serverFaults.expire(), { times: 2 });
    api.restart();
    api.apply(aPod({ name: 'meanwhile' }));
    await listed;
    await podCount(page, 2).waitFor();
    await podRow(page, 'meanwhile').waitFor();
    await statusText(page, 'pods: live').waitFor();

    const steady = { hasPod: true, alerts: 0, loading: false };
    expect(await seen()).toEqual([
      { heading: 'Pods 1', ...steady },
      { heading: 'Pods 2', ...steady },
    ]);
  });
});
