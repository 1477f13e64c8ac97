import type { CDPSession, Page } from 'playwright-core';
import { retainedBytes } from './heap-snapshot.js';

/** The memory that a page uses after a garbage collection. */
export interface Memory {
  /** The bytes that scripts have allocated and still reference. */
  readonly retained: number;
  readonly listeners: number;
  /** The number of nodes of the document, including detached nodes that are still referenced. */
  readonly nodes: number;
}

/** Returns a function that measures the memory of a page. */
export async function memoryMeter(page: Page): Promise<() => Promise<Memory>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return async () => {
    // The second collection frees objects with a finalizer.
    await session.send('HeapProfiler.collectGarbage');
    await session.send('HeapProfiler.collectGarbage');
    return { retained: await retainedBytes(session), ...(await counts(session)) };
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
