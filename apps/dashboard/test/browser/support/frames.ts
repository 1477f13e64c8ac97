import type { Page } from 'playwright-core';

/** The smoothness of a page. All values except the median are in milliseconds. */
export interface Smoothness {
  /** The median rate of frames: half of the frames were at least this fast. */
  readonly medianFramesPerSecond: number;
  /** The 95th percentile of the times between frames. */
  readonly frame95: number;
  readonly slowestFrame: number;
  /** The durations of tasks of more than 50 ms, as the browser reports them. */
  readonly longTasks: readonly number[];
}

/** Records the frames and tasks of a page until this many frames have been drawn. */
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
    frame95: sorted[Math.floor(sorted.length * 0.95)] as number,
    slowestFrame: sorted.at(-1) as number,
    longTasks,
  };
}
