import { deployments, type Deployment } from 'rx-informers';
import { until } from '../../../../test/support/until.js';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { drawer } from './support/places.js';
import { rollout } from './support/rollout.js';

const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no more replicas', code: 403 };

describe('a write of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it("is shown at once in the table and the drawer, and is reverted with the server's message if it is refused", async () => {
    const { api, url } = await start({ allowWrites: true });
    rollout(api);
    const { page } = await open(`${url}/?view=workloads&open=apps/v1/deployments:shop/web`);
    const gates: (() => void)[] = [];
    await page.route('**/scale', async (route) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      await (gates.length === 1 ? route.continue() : route.fulfill({ status: 403, json: refusal }));
    });
    const scale = async (replicas: string): Promise<void> => {
      await drawer(page).getByRole('button', { name: 'Scale' }).click();
      await drawer(page).getByLabel('Replicas').fill(replicas);
      await drawer(page).getByLabel('Replicas').press('Enter');
    };
    const saving = page.getByText('saving…');
    await scale('5');
    await drawer(page).getByText('saving…').waitFor();
    await page.locator('.workloads').getByText('saving…').waitFor();
    expect(api.objects.get<Deployment>(deployments, 'web', 'shop')?.spec?.replicas).toBe(2);
    expect(await accessibilityViolations(page, { isSettled: false })).toEqual([]);
    await until(() => gates.length === 1, { what: 'the first request' });
    gates[0]?.();
    await drawer(page).getByText('Scaled to 5. Confirmed by the watch.').waitFor();
    await saving.first().waitFor({ state: 'detached' });

    await scale('9');
    await drawer(page).getByText('saving…').waitFor();
    await until(() => gates.length === 2, { what: 'the second request' });
    gates[1]?.();
    await drawer(page).getByText('No permission: no more replicas').waitFor();
    await saving.first().waitFor({ state: 'detached' });
    expect(api.objects.get<Deployment>(deployments, 'web', 'shop')?.spec?.replicas).toBe(5);
  });
});
