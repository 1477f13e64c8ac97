import type { Page } from 'playwright-core';

/** How smoothly a page is drawn. Milliseconds, but for the median. */
export interface Smoothness {
  /** Half of the frames came at this rate or faster. */
  readonly medianFramesPerSecond: number;
  readonly slowestFrame: number;
  /** Tasks of more than 50 ms, as the browser itself tells them. */
  readonly longTasks: readonly number[];
}

/** Watches the frames and tasks of a page until so many frames have been drawn. */
export async function watchFrames(page: Page, frames: number): Promise<Smoothness> {
  const { gaps, longTasks } = await page.evaluate(
    (wanted) =>
      new Promise<{ gaps: number[]; longTasks: number[] }>((resolve) => {
        const gaps: number[] = [];
        const longTasks: number[] = [];
        const observer = new PerformanceObserver((list) => {
          longTasks.push(...list.getEntries().map(({ duration }) => duration));
        });
        observer.observe({ type: 'longtask' });
        let previous: number | undefined;
        const onFrame = (at: number): void => {
          if (previous !== undefined) gaps.push(at - previous);
          previous = at;
          if (gaps.length < wanted) {
            requestAnimationFrame(onFrame);
            return;
          }
          longTasks.push(...observer.takeRecords().map(({ duration }) => duration));
          observer.disconnect();
          resolve({ gaps, longTasks });
        };
        requestAnimationFrame(onFrame);
      }),
    frames,
  );
  const sorted = [...gaps].sort((a, b) => a - b);
  return {
    medianFramesPerSecond: 1000 / (sorted[Math.floor(sorted.length / 2)] as number),
    slowestFrame: sorted.at(-1) as number,
    longTasks,
  };
}
