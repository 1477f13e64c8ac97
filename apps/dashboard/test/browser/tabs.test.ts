import type { Page } from 'playwright-core';
import { aNode, aPod, type ApiServer } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { useStage } from './support/dashboard.js';
import { expectVisible, settled } from './support/page-conditions.js';
import { drawer, openTab, podRow, statusText } from './support/places.js';

/** The watches that the API server has received, by plural. */
function countWatches(api: ApiServer): () => readonly string[] {
  const watches: string[] = [];
  api.requests$.subscribe(({ path, query }) => {
    if (query.get('watch') === 'true' || query.get('watch') === '1') watches.push(path.replace(/.*\//, ''));
  });
  return () => [...watches].sort();
}

/**
 * Ends all shared workers of the browser of a page, as the browser does with one that runs out of
 * memory.
 */
async function crashWorkers(page: Page): Promise<number> {
  const browser = page.context().browser();
  const session = await browser!.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  const workers = targetInfos.filter(({ type }) => type === 'shared_worker');
  for (const { targetId } of workers) await session.send('Target.closeTarget', { targetId });
  await session.detach();
  return workers.length;
}

describe('ten tabs of the dashboard in Chromium', () => {
  const { start, open } = useStage();
  const live = async (page: Page): Promise<void> => {
    await statusText(page, 'live').waitFor();
  };

  it('share one cache: with one object open they use four connections, and all tabs are live', async () => {
    const { api, url } = await start();
    const [, pod] = api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'before', node: 'worker-1' })]);
    const watches = countWatches(api);
    const { page, errors } = await open(url);
    await live(page);
    await podRow(page, 'before').click();
    await until(() => watches().includes('services'));
    await openTab(page, 'Events');
    await until(() => watches().includes('events'));
    // An event that comes later is seen: events are watched, too, and no further request follows.
    api.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'before.1', namespace: 'default' },
      involvedObject: { kind: 'Pod', name: 'before', namespace: 'default', uid: pod?.metadata.uid },
      message: 'seen by the watch',
      lastTimestamp: new Date().toISOString(),
    });
    await drawer(page).getByText('seen by the watch').waitFor();
    await settled(page);
    const ofFirst = watches();
    const others = await Promise.all(Array.from({ length: 9 }, () => page.context().newPage()));
    for (const other of others) await other.goto(url);
    for (const other of others) await live(other);
    // If the server does not stream a list, the list is followed by a separate watch.
    expect([...new Set(ofFirst)]).toEqual(['events', 'nodes', 'pods', 'services']);
    expect(watches()).toEqual(ofFirst);

    api.apply(aPod({ name: 'meanwhile', node: 'worker-1' }));
    for (const each of [page, ...others]) await expectVisible(podRow(each, 'meanwhile'));
    expect(errors).toEqual([]);

    await page.close();
    api.apply(aPod({ name: 'after', node: 'worker-1' }));
    for (const other of others) await expectVisible(podRow(other, 'after'));
    expect(watches()).toEqual(ofFirst);
  });

  it('start a crashed worker once more, then read over their own connections, and show that', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'before', node: 'worker-1' })]);
    const { page } = await open(url);
    await live(page);
    expect(await crashWorkers(page)).toBe(1);
    await expectVisible(podRow(page, 'before'));
    api.apply(aPod({ name: 'again' }));
    await podRow(page, 'again').waitFor();
    await live(page);
    expect(await statusText(page, 'own connections').count()).toBe(0);

    expect(await crashWorkers(page)).toBe(1);
    await statusText(page, 'own connections').waitFor();
    api.apply(aPod({ name: 'own' }));
    await podRow(page, 'own').waitFor();
    await live(page);
  });

  it('read over their own connections if the browser has no shared workers, and show that', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'before', node: 'worker-1' })]);
    const watches = countWatches(api);
    const { page } = await open(url, { hasSharedWorker: false });
    await live(page);
    await expectVisible(podRow(page, 'before'));
    await expectVisible(statusText(page, 'this browser cannot share them between tabs'));
    await until(() => watches().includes('events'));
    expect([...new Set(watches())]).toEqual(['events', 'nodes', 'pods']);
  });
});
