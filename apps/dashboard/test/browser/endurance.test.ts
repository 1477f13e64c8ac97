import { pods } from 'rx-informers';
import { aPod, randomFromSeed, workload } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { useStage } from './support/dashboard.js';
import { memoryMeter, type Memory } from './support/memory.js';
import { drawer, facetValue, filterField, openTab, podTable, statusText } from './support/places.js';

const minutes = 18;
/** The page keeps ten minutes of history, so its memory is largest after that. */
const early = [11, 12, 13];
const late = [16, 17, 18];

describe('the memory of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('holds no more memory, listeners and nodes after 18 minutes of churn than after 13', async () => {
    const { api, url } = await start({ maxBacklog: 20_000 });
    // The minutes pass as fast as the page can follow.
    const scheduler = new VirtualTimeScheduler(undefined, 0);
    workload(api, { nodes: 10, pods: 500, rate: 20, random: randomFromSeed(6), scheduler }).subscribe();
    scheduler.flush();
    // The clock is installed before the page has set a timer, so all of its timers follow it.
    const { page, errors } = await open(url, { prepare: (opened) => opened.clock.install() });
    await statusText(page, 'live').waitFor();
    const measure = await memoryMeter(page);
    const measured = new Map<number, Memory>();

    for (let minute = 1; minute <= minutes; minute++) {
      for (let second = 1; second <= 60; second += 10) {
        scheduler.maxFrames = (minute - 1) * 60_000 + second * 1000 + 9000;
        scheduler.flush();
        // A watch is ordered: a page that shows this has received everything before it.
        const mark = `${minute}-${second}`;
        api.apply(aPod({ name: 'mark', namespace: 'marks', labels: { mark } }));
        if (mark === '1-1') await facetValue(page, 'mark').click();
        await facetValue(page, `${mark} 1`).waitFor();
      }
      await page.clock.fastForward(60_000);
      await filterField(page).fill('web');
      await podTable(page).locator('[aria-rowindex="2"]').click();
      await openTab(page, 'YAML');
      await drawer(page).getByText('kind: Pod').waitFor();
      await page.keyboard.press('Escape');
      await drawer(page).waitFor({ state: 'detached' });
      await filterField(page).fill('');
      if (![...early, ...late].includes(minute)) continue;
      // Timers that still hold something, such as those of highlighted rows, have ended by then.
      await page.clock.fastForward(10_000);
      measured.set(minute, await measure());
    }
    for (const [minute, { retained, listeners, nodes }] of measured)
      process.stdout.write(
        `after ${minute} minutes: ${(retained / 1e6).toFixed(2)} MB, ${listeners} listeners, ${nodes} nodes\n`,
      );
    const valuesOf = (when: readonly number[], name: keyof Memory): readonly number[] =>
      when.map((minute) => measured.get(minute)?.[name] ?? NaN);
    const most = (name: keyof Memory): number => Math.max(...valuesOf(early, name));
    const least = (name: keyof Memory): number => Math.min(...valuesOf(late, name));

    expect(api.history(pods).length).toBeGreaterThan(9000);
    // One value varies by a few per cent, because the number of pods varies. A leak raises all of
    // them.
    expect(least('retained')).toBeLessThanOrEqual(most('retained') * 1.01);
    // A value of a facet, or a tile, more or less has listeners of its own.
    expect(least('listeners')).toBeLessThanOrEqual(most('listeners') + 10);
    // One for each filter: Chromium keeps the text that was typed over, to undo it, in a page with
    // a field and no script too; a thousand steps of it, and then no more.
    expect(least('nodes')).toBeLessThanOrEqual(most('nodes') + (minutes - early[0]!));
    expect(errors).toEqual([]);
  }, 300_000);
});
