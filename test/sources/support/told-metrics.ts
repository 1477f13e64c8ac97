import type { ListWatchMetrics } from 'rx-informers';
import { asyncScheduler } from 'rxjs';

export interface ToldMetrics extends ListWatchMetrics {
  /**
   * The calls of the hooks, each with its time: `0: list`, `2: listed 1 in 2`,
   * `5: list after StatusError`.
   */
  readonly told: readonly string[];
}

export function toldMetrics(): ToldMetrics {
  const told: string[] = [];
  const tell = (text: string): void => void told.push(`${asyncScheduler.now()}: ${text}`);
  return {
    told,
    listStarted: (cause) => tell(cause === undefined ? 'list' : `list after ${cause.name}`),
    listFinished: (took, items) => tell(`listed ${items} in ${took}`),
    watchOpened: () => tell('watch'),
    watchEnded: (took, events) => tell(`watched ${events} in ${took}`),
    resourceVersion: (resourceVersion) => tell(`at ${resourceVersion}`),
  };
}
