import type { Page } from 'playwright-core';

/**
 * The share of the time for which the main thread of a page worked, from 0 to 1, in total and by
 * kind of work.
 */
export interface MainThreadLoad {
  readonly busy: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
}

/** Measures the load of the main thread of a page while `work` runs. */
export async function mainThreadLoad(page: Page, work: () => Promise<void>): Promise<MainThreadLoad> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const read = async (): Promise<ReadonlyMap<string, number>> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return new Map(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await read();
  await work();
  const after = await read();
  const passed = (name: string): number => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
  const share = (name: string): number => passed(name) / passed('Timestamp');
  return {
    busy: share('TaskDuration'),
    script: share('ScriptDuration'),
    style: share('RecalcStyleDuration'),
    layout: share('LayoutDuration'),
  };
}
