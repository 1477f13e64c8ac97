import { KubeConfig } from '@kubernetes/client-node';
import type { BrowserContext } from 'playwright-core';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { startDashboardServer, type DashboardServer } from '../../server/dashboard-server.js';
import { useChromium } from './support/chromium.js';
import { builtPage } from './support/dashboard.js';
import { historyOnDisk } from './support/database.js';
import { expectVisible } from './support/page-conditions.js';
import { podRow, statusText } from './support/places.js';
import { signIn, startTlsProxy, type TlsProxy } from './support/tls-proxy.js';

describe('the dashboard of a team in Chromium, behind a server that ends TLS', () => {
  // A profile that ignores errors of certificates does so in pages, not in WebSockets of workers.
  const openProfile = useChromium(['--ignore-certificate-errors']);
  let api: ApiServer;
  let dashboard: DashboardServer;
  let proxy: TlsProxy;
  let publicUrl: string;
  let start: (hub: boolean) => Promise<void>;

  beforeEach(async () => {
    const reads = (namespaces: readonly string[]) => [
      { verbs: ['get', 'list', 'watch', 'patch', 'delete'], resources: ['pods'], namespaces },
    ];
    api = await createApiServer({
      users: {
        'token-of-ada': { name: 'ada', allow: 'everything' },
        'token-of-grace': { name: 'grace', allow: reads(['shop']) },
        'token-of-server': { name: 'server', allow: 'everything' },
      },
    });
    api.apply([aPod({ name: 'secret-plan', namespace: 'lab' }), aPod({ name: 'web', namespace: 'shop' })]);
    proxy = await startTlsProxy();
    ({ publicUrl } = proxy);
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig('token-of-server'));
    start = async (hub) => {
      dashboard = await startDashboardServer({
        kubeConfig,
        page: builtPage,
        allowWrites: true,
        team: { publicUrl, hub },
      });
      proxy.forwardTo(dashboard.url);
    };
    await start(false);
  });
  afterEach(async () => {
    await dashboard.close();
    proxy.close();
    await api.close();
  });

  const profile = (): Promise<BrowserContext> =>
    openProfile({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });

  it('deletes the history on disk at the sign-out', async () => {
    const page = await (await profile()).newPage();
    await page.goto(`${publicUrl}/?page.informers=open`);
    await signIn(page, 'token-of-ada');
    await page.getByRole('checkbox', { name: 'Keep the history on disk' }).check();
    await until(async () => (await historyOnDisk(page)).includes('secret-plan'), { what: 'the pods are on disk' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your bearer token').waitFor();
    expect(await historyOnDisk(page)).toBe('');
  });

  it('asks for a token, shows what the token may read, and returns to the screen of the link', async () => {
    const page = await (await profile()).newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    await page.goto(`${publicUrl}/?ns=lab`);
    await signIn(page, 'wrong');
    await page.getByRole('alert').filter({ hasText: 'does not accept this token' }).waitFor();
    await signIn(page, 'token-of-ada');

    await podRow(page, 'secret-plan').waitFor();
    await statusText(page, 'live').waitFor();
    await expectVisible(page.getByText('as ada'));
    expect(new URL(page.url()).search).toContain('ns=lab');
    expect(problems.filter((text) => /Content.Security.Policy/i.test(text))).toEqual([]);
  });

  it('a write of the page reaches the cluster, so it has its origin and its header', async () => {
    const page = await (await profile()).newPage();
    await page.goto(publicUrl);
    await signIn(page, 'token-of-ada');
    await podRow(page, 'web').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
    await page
      .getByRole('button', { name: /Delete/ })
      .last()
      .click();
    await podRow(page, 'web').waitFor({ state: 'detached' });
    expect(await podRow(page, 'secret-plan').count()).toBe(1);
  });

  it('the sign-out leads every tab to the sign-in, and the next viewer sees nothing of the first one', async () => {
    const context = await profile();
    const [first, second] = [await context.newPage(), await context.newPage()];
    await first.goto(publicUrl);
    await signIn(first, 'token-of-ada');
    await podRow(first, 'secret-plan').waitFor();
    await second.goto(publicUrl);
    await podRow(second, 'secret-plan').waitFor();

    await first.getByRole('button', { name: 'Sign out' }).click();

    await first.getByLabel('Your bearer token').waitFor();
    await second.getByLabel('Your bearer token').waitFor();
    expect((await context.cookies()).map(({ name }) => name)).toEqual([]);
    await first.goto(`${publicUrl}/?namespace=shop`);
    await signIn(first, 'token-of-grace');
    await podRow(first, 'web').waitFor();
    expect(await first.getByText('secret-plan').count()).toBe(0);
  });

  it.each([
    ['a shared worker', true],
    ['connections of its own', false],
  ])('with a hub, a page with %s watches nothing itself, and follows its part live', async (_, hasWorkers) => {
    await dashboard.close();
    await start(true);
    const watches: string[] = [];
    api.requests$.subscribe(({ query, path, headers }) => {
      if (query.get('watch') !== null) watches.push(`${headers['authorization'] ?? ''} ${path}`);
    });
    const context = await profile();
    if (!hasWorkers) await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    const page = await context.newPage();
    await page.goto(`${publicUrl}/?namespace=shop`);
    await signIn(page, 'token-of-grace');
    await podRow(page, 'web').waitFor();
    await statusText(page, 'live').waitFor();
    await expectVisible(page.getByTitle(/reads through the hub of its server/));
    api.apply([aPod({ name: 'later', namespace: 'shop' }), aPod({ name: 'hidden', namespace: 'lab' })]);
    await podRow(page, 'later').waitFor();

    expect(watches.filter((each) => each.endsWith('/api/v1/pods'))).toEqual(['Bearer token-of-server /api/v1/pods']);
    expect(watches.filter((each) => !each.startsWith('Bearer token-of-server '))).toEqual([]);
    expect(await page.getByText('hidden').count()).toBe(0);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your bearer token').waitFor();
  });

  it('with a hub, a session that ends at the API server leads to the sign-in', async () => {
    await dashboard.close();
    await start(true);
    const page = await (await profile()).newPage();
    await page.goto(publicUrl);
    await signIn(page, 'token-of-ada');
    await podRow(page, 'web').waitFor();
    await statusText(page, 'live').waitFor();
    api.revoke('token-of-ada');
    // Any request of the page finds out, for example that of the drawer.
    await podRow(page, 'web').click();
    await page.getByLabel('Your bearer token').waitFor({ timeout: 60_000 });
    await expectVisible(page.getByLabel('Your bearer token'));
  });
});
