import type { ListWatchMetrics } from 'rx-informers/client';
import { asyncScheduler } from 'rxjs';

export interface RecordedMetrics extends ListWatchMetrics {
  /**
   * The calls of the hooks, each with its time: `0: list`, `2: listed 1 in 2`,
   * `5: list after RXI_STATUS`.
   */
  readonly received: readonly string[];
}

export function recordedMetrics(): RecordedMetrics {
  const received: string[] = [];
  const notify = (text: string): void => void received.push(`${asyncScheduler.now()}: ${text}`);
  return {
    received,
    listStarted: (cause) => notify(cause === undefined ? 'list' : `list after ${cause.code}`),
    listFinished: (took, items) => notify(`listed ${items} in ${took}`),
    watchOpened: () => notify('watch'),
    watchEnded: (took, events) => notify(`watched ${events} in ${took}`),
    resourceVersion: (resourceVersion) => notify(`at ${resourceVersion}`),
  };
}
