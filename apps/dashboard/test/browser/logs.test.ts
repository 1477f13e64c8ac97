import { pods } from 'rx-informers';
import { aPod, type PodLogLine } from 'rx-informers/testing';
import { Subject } from 'rxjs';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { drawer, facetValue } from './support/places.js';

describe('the log view of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  /** A server whose pods write the given lines. */
  async function talking() {
    const lines = new Map<string, Subject<PodLogLine>>();
    const of = (pod: string): Subject<PodLogLine> => {
      const known = lines.get(pod) ?? new Subject<PodLogLine>();
      lines.set(pod, known);
      return known;
    };
    const dashboard = await start({
      podLogs: ({ pod }) => ({
        lines: [{ time: Date.now() - 60_000, text: `${pod.metadata.name} begins` }],
        lines$: of(pod.metadata.name),
      }),
    });
    const say = (pod: string, text: string): void => {
      of(pod).next({ time: Date.now(), text });
    };
    return { ...dashboard, say };
  }

  it('follows the log of a pod, without colours and control characters, and marks search results', async () => {
    const { api, url, say } = await talking();
    api.apply(aPod({ name: 'web-1', node: 'n1' }));
    const { page, errors } = await open(`${url}/?open=v1/pods:default/web-1&tab=logs`);
    await drawer(page).getByText('web-1 begins').waitFor();
    say('web-1', '\u001b[31mred\u001b[0m \u202eevil <b>bold</b>');
    await drawer(page).getByText('red \\u202eevil <b>bold</b>').waitFor();
    await drawer(page).getByRole('searchbox', { name: 'Search in the logs' }).fill('EVIL');
    await drawer(page).locator('mark').filter({ hasText: 'evil' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'follows the logs of all pods that match the filter, including pods that are added later, until they leave: %s',
    async (colorScheme) => {
      const { api, url, say } = await talking();
      const web = (name: string) => aPod({ name, namespace: 'shop', node: 'n1' });
      api.apply([web('web-1'), aPod({ name: 'other', namespace: 'blog', node: 'n1' })]);
      const { page } = await open(`${url}/?view=logs&is.namespace=shop`, { colorScheme });
      const log = page.getByRole('log');
      await log.getByText('web-1 begins').waitFor();
      api.apply(web('web-2'));
      await log.getByText('web-2 begins').waitFor();
      say('web-2', 'hello from two');
      await log.getByText('hello from two').waitFor();
      await page.getByText('2 followed live').waitFor();
      expect(await log.getByText('other begins').count()).toBe(0);
      expect(await accessibilityViolations(page)).toEqual([]);

      api.remove(pods, 'web-1', 'shop');
      await page.getByText('1 followed live').waitFor();
      await facetValue(page, 'blog 1').click();
      await log.getByText('other begins').waitFor();
    },
  );

  it('does not move while it is paused, and then shows all lines', async () => {
    const { api, url, say } = await talking();
    api.apply(aPod({ name: 'web-1', node: 'n1' }));
    const { page } = await open(`${url}/?view=logs`, { viewport: { width: 390, height: 844 } });
    const log = page.getByRole('log');
    await log.getByText('web-1 begins').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    say('web-1', 'while paused');
    await page.getByRole('button', { name: 'Resume (1 new)' }).click();
    await log.getByText('while paused').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('streams the logs of a few pods, polls the next ones, and shows how many it does not follow', async () => {
    const { api, url } = await talking();
    api.apply(Array.from({ length: 45 }, (_, at) => aPod({ name: `web-${at}`, node: 'n1' })));
    const { page } = await open(`${url}/?view=logs`);
    await page.getByText(/^3 followed live, 37 read every 2 s, because .*; 5 not followed\./).waitFor();
    const firstLine = page.getByRole('log').getByText('begins');
    await firstLine.nth(20).waitFor();
    expect(await firstLine.count()).toBeLessThanOrEqual(40);
  });
});
