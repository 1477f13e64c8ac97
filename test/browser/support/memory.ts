import type { CDPSession, Page } from 'playwright-core';

/** What a page holds on to, after everything that can be collected has been. */
export interface Memory {
  /** Bytes of the JavaScript heap in use. */
  readonly heap: number;
  readonly listeners: number;
  /** Nodes of the document, and those that something still refers to. */
  readonly nodes: number;
}

export interface MemoryMeter {
  measure(): Promise<Memory>;
}

export async function memoryMeter(page: Page): Promise<MemoryMeter> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return {
    async measure() {
      // What has a finalizer goes with the second collection.
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      return read(session);
    },
  };
}

async function read(session: CDPSession): Promise<Memory> {
  const { metrics } = await session.send('Performance.getMetrics');
  const valueOf = (name: string): number => {
    const metric = metrics.find((one) => one.name === name);
    if (metric === undefined) throw new Error(`this Chromium does not measure ${name}`);
    return metric.value;
  };
  return { heap: valueOf('JSHeapUsedSize'), listeners: valueOf('JSEventListeners'), nodes: valueOf('Nodes') };
}
