import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { drawer, filterField, notice, openTab, podCount, podRow, statusText } from './support/places.js';

describe('the accessibility of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('axe finds no violation in either theme', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 40, nodes: 3 });
    api.apply([
      aPod({ name: 'pending', phase: 'Pending' }),
      aPod({ name: 'failed', node: 'worker-1', phase: 'Failed' }),
    ]);
    const { page } = await open(url);
    await podCount(page, 42).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await podRow(page, 'failed').click();
    await openTab(page, 'YAML');
    await drawer(page).getByText('kind: Pod').waitFor();
    await filterField(page).fill('nothing has this name');
    await podCount(page, 0).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('axe finds no violation while the dashboard shows an error', async () => {
    const { url } = await start({
      users: { token: { name: 'viewer', allow: [{ resources: ['nodes'] }] } },
      token: 'token',
    });
    const { page } = await open(url);
    await notice(page, 'pods: no permission').waitFor();
    await statusText(page, 'live').waitFor();

    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('axe finds no violation on a phone', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 40, nodes: 3 });
    const { page } = await open(url, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await podRow(page, 'pod-00001').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await podRow(page, 'pod-00001').click();
    await drawer(page).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
