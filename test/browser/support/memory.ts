import type { CDPSession, Page } from 'playwright-core';
import { heapContent } from './heap-snapshot.js';
import { until } from '../../support/until.js';

/** What a page holds on to, after everything that can be collected has been, and what lingered has gone. */
export interface Memory {
  /** Bytes that scripts have made and hold. */
  readonly held: number;
  readonly listeners: number;
  /** Nodes of the document, and those that something still refers to. */
  readonly nodes: number;
}

export interface MemoryMeter {
  /** @param timersAtRest how many timers are set while nothing lingers */
  measure(timersAtRest: number): Promise<Memory>;
}

export async function memoryMeter(page: Page): Promise<MemoryMeter> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return {
    async measure(timersAtRest) {
      let held = Infinity;
      await until(
        async () => {
          // What has a finalizer goes with the second collection.
          await session.send('HeapProfiler.collectGarbage');
          await session.send('HeapProfiler.collectGarbage');
          const content = await heapContent(session);
          held = content.held;
          return content.timers <= timersAtRest;
        },
        { what: 'what lingers has gone', within: 60_000 },
      );
      return { held, ...(await counts(session)) };
    },
  };
}

async function counts(session: CDPSession): Promise<Pick<Memory, 'listeners' | 'nodes'>> {
  const { metrics } = await session.send('Performance.getMetrics');
  const valueOf = (name: string): number => {
    const metric = metrics.find((one) => one.name === name);
    if (metric === undefined) throw new Error(`this Chromium does not measure ${name}`);
    return metric.value;
  };
  return { listeners: valueOf('JSEventListeners'), nodes: valueOf('Nodes') };
}
