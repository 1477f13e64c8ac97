import { Subscription, type Observable, type SchedulerLike } from 'rxjs';
import { wallTime } from '../../scheduling/clock.js';
import type { SourceStatus } from '../../sources/model/watch-event.js';
import type { ListWatchMetrics } from '../../sources/reflector/metrics.js';
import { ByName, greatest, total, classOf, inSeconds, type Instruments, type Sample } from './instruments.js';
import type { ReadFact } from './metric-definitions.js';

/** Milliseconds below which a watch without an event counts as short, as in client-go (R14). */
const shortLifetime = 1_000;

interface ListWatches {
  readonly hooks: ListWatchMetrics;
  lastResourceVersion: string;
}

/** Returns the hooks for list-watches by name: metrics of client-go, and reasons for lists. */
export function listWatchMeter(instruments: Instruments): (name: string) => ListWatchMetrics {
  const listWatches = new ByName<ListWatches>((name) => {
    for (const fact of ['lists', 'watches', 'shortWatches'] as const) instruments.count(fact, 0, { name });
    const entry: ListWatches = {
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
          if (events === 0 && took < shortLifetime) instruments.count('shortWatches', 1, { name });
          instruments.record('watchDuration', inSeconds(took), { name });
          instruments.record('watchItems', events, { name });
        },
        resourceVersion: (resourceVersion) => {
          entry.lastResourceVersion = resourceVersion;
        },
      },
    };
    return entry;
  });
  instruments.read('lastResourceVersion', () =>
    listWatches
      .map(({ lastResourceVersion }, name) => ({ value: asNumber(lastResourceVersion), labels: { name } }))
      .filter(({ value }) => !Number.isNaN(value)),
  );
  return (name) => listWatches.of(name).hooks;
}

/** Returns the last 15 digits of a version as a number, as client-go does: a double holds them. */
function asNumber(resourceVersion: string): number {
  return /^\d+$/.test(resourceVersion) ? Number(resourceVersion.slice(-15)) : NaN;
}

/** The part of an `Informer` that is observed. */
export interface ObservableInformer {
  readonly snapshot: { readonly size: number };
  readonly hasSynced: boolean;
  readonly status: SourceStatus;
  readonly lastMessageAt: number | undefined;
  readonly errors$: Observable<Error>;
  /** Milliseconds that subscribers took per commit. If omitted, these are not recorded. */
  readonly announcementTimes$?: Observable<number> | undefined;
  /** Milliseconds from a commit to its announcement. If omitted, these are not recorded. */
  readonly announcementDelays$?: Observable<number> | undefined;
}

interface Observed {
  /** An informer that is observed several times counts once, until its last observer left. */
  readonly informers: Map<ObservableInformer, { observers: number; readonly subscription: Subscription }>;
  readonly errors: Map<string, { readonly labels: ErrorLabels; count: number }>;
}

type ErrorLabels = ReturnType<typeof classOf>;

/** All states, so that a state without informers is reported as 0. */
const states = Object.keys({
  listing: true,
  watching: true,
  reconnecting: true,
  'backing-off': true,
  forbidden: true,
  'not-found': true,
  stopped: true,
} satisfies Record<SourceStatus['state'], true>);

/**
 * Returns a function that reports an informer under a name until it is unsubscribed. Values with
 * one name are combined. Errors and times are recorded as they occur, other values at collection.
 */
export function informerMeter(
  instruments: Instruments,
  scheduler: SchedulerLike,
): (name: string, informer: ObservableInformer) => Subscription {
  const observed = new ByName<Observed>(() => ({ informers: new Map(), errors: new Map() }));
  const read = (fact: ReadFact, samplesOf: (observed: Observed, name: string) => readonly Sample[]): void =>
    instruments.read(fact, () => observed.map(samplesOf).flat());

  read('cacheObjects', ({ informers }, name) => [
    { value: total(informers.keys(), ({ snapshot }) => snapshot.size), labels: { name } },
  ]);
  read('isSynced', ({ informers }, name) => [
    { value: [...informers.keys()].every(({ hasSynced }) => hasSynced) ? 1 : 0, labels: { name } },
  ]);
  read('informerStatus', ({ informers }, name) =>
    states.map((state) => ({
      value: total(informers.keys(), ({ status }) => (status.state === state ? 1 : 0)),
      labels: { name, state },
    })),
  );
  read('staleness', ({ informers }, name) => {
    const lastMessages = [...informers.keys()].flatMap(({ lastMessageAt }) => lastMessageAt ?? []);
    if (lastMessages.length === 0) return [];
    // `now` and the times of the messages are times of day. If the clock was set back, the last
    // message seems to be in the future.
    const now = wallTime(scheduler);
    return [{ value: Math.max(0, inSeconds(greatest(lastMessages, (at) => now - at))), labels: { name } }];
  });
  read('informerErrors', ({ errors }, name) =>
    Array.from(errors.values(), ({ count, labels }) => ({ value: count, labels: { name, ...labels } })),
  );

  function count(error: Error, { errors }: Observed): void {
    const labels = classOf(error);
    const kind = `${labels.error} ${labels.code}`;
    const counted = errors.get(kind) ?? { labels, count: 0 };
    counted.count += 1;
    errors.set(kind, counted);
  }

  function listen(informer: ObservableInformer, name: string, ofName: Observed): Subscription {
    const subscription = informer.errors$.subscribe((error) => count(error, ofName));
    subscription.add(
      informer.announcementTimes$?.subscribe((took) =>
        instruments.record('announcementDuration', inSeconds(took), { name }),
      ),
    );
    subscription.add(
      informer.announcementDelays$?.subscribe((delay) =>
        instruments.record('announcementDelay', inSeconds(delay), { name }),
      ),
    );
    return subscription;
  }

  return (name, informer) => {
    const ofName = observed.of(name);
    const entry = ofName.informers.get(informer) ?? { observers: 0, subscription: listen(informer, name, ofName) };
    entry.observers += 1;
    ofName.informers.set(informer, entry);
    return new Subscription(() => {
      entry.observers -= 1;
      if (entry.observers > 0) return;
      entry.subscription.unsubscribe();
      ofName.informers.delete(informer);
      if (ofName.informers.size === 0) observed.forget(name);
    });
  };
}
