import { aPod } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { historyOnDisk } from './support/database.js';
import { expectVisible } from './support/page-conditions.js';
import { podRow, statusText } from './support/places.js';
import { useTeamStage } from './support/team.js';
import { signIn } from './support/tls-proxy.js';

describe('the dashboard of a team in Chromium, behind a server that ends TLS', () => {
  const { start, profile } = useTeamStage();

  it('deletes the history on disk at the sign-out', async () => {
    const { publicUrl } = await start();
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
    const { publicUrl } = await start();
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
    const { publicUrl } = await start();
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
    const { publicUrl } = await start();
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

  it('with a hub, a page without a shared worker watches nothing itself either', async () => {
    const { api, publicUrl } = await start({ hub: true });
    const watches: string[] = [];
    api.requests$.subscribe(({ query, path, headers }) => {
      if (query.get('watch') !== null) watches.push(`${headers['authorization'] ?? ''} ${path}`);
    });
    const context = await profile();
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
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
    const { api, publicUrl } = await start({ hub: true });
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
