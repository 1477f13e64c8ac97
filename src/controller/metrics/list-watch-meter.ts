import type { ListWatchMetrics } from '../../sources/reflector/list-watch-metrics.js';
import { ByName } from './by-name.js';
import { classOf } from './class-of.js';
import { inSeconds } from './in-seconds.js';
import type { Instruments } from './instruments.js';

/** In milliseconds: what client-go counts as a short watch (R14) ended sooner, and without an event. */
const shortLife = 1_000;

interface ListWatches {
  readonly hooks: ListWatchMetrics;
  lastResourceVersion: string;
}

/** List-watches by name: client-go's figures, and why there was a list. */
export function listWatchMeter(instruments: Instruments): (name: string) => ListWatchMetrics {
  const listWatches = new ByName<ListWatches>((name) => {
    for (const fact of ['lists', 'watches', 'shortWatches'] as const) instruments.count(fact, 0, { name });
    const told: ListWatches = {
      lastResourceVersion: '',
      hooks: {
        listStarted: (cause) => {
          instruments.count('lists', 1, { name });
          if (cause !== undefined) instruments.count('relists', 1, { name, ...classOf(cause) });
        },
        listFinished: (took, items) => {
          instruments.record('listDuration', inSeconds(took), { name });
          instruments.record('listItems', items, { name });
        },
        watchOpened: () => instruments.count('watches', 1, { name }),
        watchEnded: (took, events) => {
          if (events === 0 && took < shortLife) instruments.count('shortWatches', 1, { name });
          instruments.record('watchDuration', inSeconds(took), { name });
          instruments.record('watchItems', events, { name });
        },
        resourceVersion: (resourceVersion) => {
          told.lastResourceVersion = resourceVersion;
        },
      },
    };
    return told;
  });
  instruments.read('lastResourceVersion', () =>
    listWatches
      .map(({ lastResourceVersion }, name) => ({ value: asNumber(lastResourceVersion), labels: { name } }))
      .filter(({ value }) => !Number.isNaN(value)),
  );
  return (name) => listWatches.of(name).hooks;
}

/** As client-go does: a version is opaque, but nearly always a number, and its last 15 digits are what a double can hold. */
function asNumber(resourceVersion: string): number {
  return /^\d+$/.test(resourceVersion) ? Number(resourceVersion.slice(-15)) : NaN;
}
