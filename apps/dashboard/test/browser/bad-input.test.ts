import { aConfigMap, aNode, aPod, createApiServer, serverFaults } from 'rx-informers/testing';
import { alteredList } from './support/altered-list.js';
import { useStage } from './support/dashboard.js';
import { expectVisible, settled } from './support/page-conditions.js';
import {
  drawer,
  facetValue,
  fieldChange,
  lostText,
  notice,
  openTab,
  podRow,
  podTable,
  statusText,
} from './support/places.js';

describe('the dashboard in Chromium with bad input', () => {
  const { start, open } = useStage();

  it('reports that there is no API behind the proxy, and shows the cluster when there is one', async () => {
    const { api, url } = await start();
    await api.close();

    const { page } = await open(url, { isSettled: false });
    await lostText(page, 'The cluster does not respond').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);

    const returned = await createApiServer({ port: Number(new URL(api.url).port) });
    try {
      returned.apply(aPod({ name: 'web-1' }));
      await podRow(page, 'web-1').waitFor();
      await statusText(page, 'live').waitFor();
    } finally {
      await returned.close();
    }
  });

  it('reports in the panel of a kind that reading it is forbidden (403), and the other kinds work', async () => {
    const { api, url } = await start({
      users: { token: { name: 'viewer', allow: [{ resources: ['pods'] }] } },
      token: 'token',
    });
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'web-1', node: 'worker-1' })]);

    const { page } = await open(url);
    await notice(page, 'nodes: no permission').filter({ hasText: 'viewer' }).waitFor();
    await podRow(page, 'web-1').waitFor();
    await page.getByRole('button', { name: /^worker-1\W+1 pod: 1 running$/ }).waitFor();
    await podRow(page, 'web-1').click();

    await openTab(page, 'Events');
    await drawer(page).getByRole('alert').filter({ hasText: 'events: no permission' }).waitFor();
    await openTab(page, 'YAML');
    await drawer(page).getByText('nodeName: worker-1').waitFor();
    await expectVisible(statusText(page, 'live'));
  });

  it('reports that the credentials are no longer valid (401)', async () => {
    const { api, url } = await start({ users: { token: { name: 'viewer', allow: 'everything' } }, token: 'token' });
    api.revoke('token');

    const { page } = await open(url);

    await notice(page, 'pods: expired credentials').waitFor();
    await expectVisible(notice(page, 'nodes: expired credentials'));
    // Nothing on the page looks as if it were loading.
    await settled(page);
    expect(await page.locator('.skeleton, [aria-busy=true]').count()).toBe(0);
  });

  it('reports a 401 for a single kind in the panel of that kind, and the other kinds work', async () => {
    const { api, url } = await start();
    api.faults.always(({ path }) => /\/(nodes|events)$/.test(path), serverFaults.respond(401));
    api.apply(aPod({ name: 'web-1', node: 'worker-1' }));

    const { page } = await open(url);
    await notice(page, 'nodes: expired credentials').waitFor();
    await page.getByRole('button', { name: /^worker-1\W+1 pod: 1 running$/ }).waitFor();
    await podRow(page, 'web-1').click();

    await openTab(page, 'Events');
    await drawer(page).getByRole('alert').filter({ hasText: 'events: expired credentials' }).waitFor();
    await openTab(page, 'YAML');
    await drawer(page).getByText('nodeName: worker-1').waitFor();
    await expectVisible(statusText(page, 'live'));
    expect(await notice(page, 'pods').count()).toBe(0);
  });

  it('reports that a kind is not installed, and the other kinds work', async () => {
    const { api, url } = await start();
    api.faults.always(({ path }) => path.endsWith('/nodes'), serverFaults.respond(404));
    api.apply(aPod({ name: 'web-1', node: 'worker-1' }));

    const { page } = await open(url);

    await expectVisible(notice(page, 'nodes: not found').filter({ hasText: 'not installed' }));
    await expectVisible(podRow(page, 'web-1'));
  });

  it('shows hostile strings as text everywhere', async () => {
    const { api, url } = await start();
    const hostile = '<img src=x onerror="globalThis.isHacked=true">';
    api.apply([
      aNode({ name: 'worker-1' }),
      aPod({
        name: 'web-1',
        namespace: 'shop',
        node: 'worker-1',
        labels: { first: 'app', second: 'app' },
        annotations: { note: '</script><script>globalThis.isHacked = true</script>\u202Etxt.exe' },
        image: 'javascript:globalThis.isHacked=true',
      }),
    ]);
    api.faults.always(
      'any',
      alteredList({
        'web-1': hostile,
        'worker-1': hostile,
        shop: '__proto__',
        first: '__proto__',
        second: hostile,
        app: 'constructor',
        note: hostile,
        Running: hostile,
      }),
    );

    const { page, errors } = await open(url);
    await podTable(page).getByRole('gridcell', { name: hostile }).first().click();
    await openTab(page, 'YAML');
    await drawer(page).getByText('javascript:globalThis.isHacked=true').first().waitFor();
    await facetValue(page, '__proto__ 1').waitFor();
    await expectVisible(page.getByRole('button', { name: `Show the node ${hostile}` }));

    expect(await drawer(page).textContent()).toContain('\\u202etxt.exe');
    expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    expect(await page.evaluate(() => 'isHacked' in globalThis)).toBe(false);
    expect(errors).toEqual([]);
  });

  it('shows the beginning of a 10 MB annotation and its size', async () => {
    const { api, url } = await start();
    const large = 'x'.repeat(10_000_000);
    api.apply([aPod({ name: 'large', annotations: { large } }), aConfigMap({ name: 'other' })]);

    const { page, errors } = await open(url);
    await podRow(page, 'large').click();

    await openTab(page, 'YAML');
    await drawer(page).getByText('10.0 M characters, 1.0 k shown').waitFor();
    expect((await drawer(page).innerHTML()).length).toBeLessThan(100_000);
    api.apply(aPod({ name: 'large', annotations: { large, small: 'y' } }));
    await openTab(page, 'Changes');
    await fieldChange(page, 'metadata.annotations.small').waitFor();
    expect(errors).toEqual([]);
  });

  it.each([
    { clock: 'an hour behind', shift: -3_600_000 },
    { clock: 'three hours ahead', shift: 3 * 3_600_000 },
  ])("shows ages by the server's clock if the clock of the browser is $clock", async ({ shift }) => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1' }));

    const { page } = await open(url, {
      prepare: (prepared) =>
        prepared.addInitScript((milliseconds) => {
          const { now } = Date;
          Date.now = () => now() + milliseconds;
        }, shift),
    });

    await expectVisible(
      podRow(page, 'web-1')
        .getByRole('gridcell')
        .last()
        .filter({ hasText: /^\d{1,2}s$/ }),
    );
    await expectVisible(statusText(page, 'live'));
  });
});
