import { VirtualTimeScheduler } from 'rxjs';
import { pods } from 'rx-informers';
import { aPod, randomFromSeed, workload } from 'rx-informers/testing';
import { useStage } from './support/dashboard.js';
import { memoryMeter, type Memory } from './support/memory.js';
import { drawer, facetValue, filterField, podTable, statusText } from './support/places.js';

describe('the dashboard in Chromium, for long', () => {
  const { start, open } = useStage();

  it('holds no more memory, listeners and nodes after twenty minutes of churn than after five', async () => {
    const { api, url } = await start({ maxBacklog: 20_000 });
    // The minutes pass as fast as the page can follow.
    const scheduler = new VirtualTimeScheduler(undefined, 0);
    workload(api, { nodes: 10, pods: 500, rate: 20, random: randomFromSeed(6), scheduler }).subscribe();
    scheduler.flush();
    const { page, errors } = await open(url);
    await statusText(page, 'pods: live').waitFor();
    const meter = await memoryMeter(page);
    const measured: Memory[] = [];

    for (let minute = 1; minute <= 20; minute++) {
      for (let second = 1; second <= 60; second += 10) {
        scheduler.maxFrames = (minute - 1) * 60_000 + second * 1000 + 9000;
        scheduler.flush();
        // A watch tells things in their order: who shows this has been told everything before.
        const mark = `${minute}-${second}`;
        api.apply(aPod({ name: 'mark', namespace: 'marks', labels: { mark } }));
        await facetValue(page, `${mark} 1`).waitFor();
      }
      await filterField(page).fill('web');
      await podTable(page).locator('[aria-rowindex="2"]').click();
      await drawer(page).getByText('kind: Pod').waitFor();
      await page.keyboard.press('Escape');
      await drawer(page).waitFor({ state: 'detached' });
      await filterField(page).fill('');
      if (minute % 5 === 0) measured.push(await meter.measure());
    }
    process.stdout.write(
      `after 5, 10, 15 and 20 minutes of churn: ${measured
        .map(({ heap, listeners, nodes }) => `${(heap / 1e6).toFixed(1)} MB, ${listeners} listeners, ${nodes} nodes`)
        .join('; ')}\n`,
    );

    expect(api.history(pods).length).toBeGreaterThan(9000);
    const [first, ...later] = measured as [Memory, ...Memory[]];
    // What churned since would be three times as much, if it were held.
    const last = later.at(-1)!;
    expect(last.heap).toBeLessThan(first.heap * 1.25);
    expect(last.listeners).toBeLessThanOrEqual(first.listeners + 10);
    expect(last.nodes).toBeLessThan(first.nodes * 1.25);
    expect(errors).toEqual([]);
  });
});
