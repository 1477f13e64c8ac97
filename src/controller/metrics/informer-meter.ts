import { Subscription, type SchedulerLike } from 'rxjs';
import { wallTime } from '../../time/steady.js';
import type { SourceStatus } from '../../sources/source-status.js';
import { ByName, greatest, sum } from './by-name.js';
import { classOf } from './class-of.js';
import { inSeconds } from './in-seconds.js';
import type { Instruments, ReadFact, Sample } from './instruments.js';
import type { ObservableInformer } from './metrics.js';

interface Observed {
  /** An informer that is observed several times is one, and here until the last observer has left. */
  readonly informers: Map<ObservableInformer, { observers: number; readonly subscription: Subscription }>;
  readonly errors: Map<string, { readonly labels: ErrorLabels; count: number }>;
}

type ErrorLabels = ReturnType<typeof classOf>;

/** All states, so that each is 0 where no informer is in it. */
const states = Object.keys({
  listing: true,
  watching: true,
  reconnecting: true,
  'backing-off': true,
  forbidden: true,
  'not-found': true,
  stopped: true,
} satisfies Record<SourceStatus['state'], true>);

/** Informers by name, for as long as they are observed; all but their errors and their announcements is read off them. */
export function informerMeter(
  instruments: Instruments,
  scheduler: SchedulerLike,
): (name: string, informer: ObservableInformer) => Subscription {
  const observed = new ByName<Observed>(() => ({ informers: new Map(), errors: new Map() }));
  const read = (fact: ReadFact, samplesOf: (observed: Observed, name: string) => readonly Sample[]): void =>
    instruments.read(fact, () => observed.map(samplesOf).flat());

  read('cacheObjects', ({ informers }, name) => [
    { value: sum(informers.keys(), ({ snapshot }) => snapshot.size), labels: { name } },
  ]);
  read('isSynced', ({ informers }, name) => [
    { value: [...informers.keys()].every(({ hasSynced }) => hasSynced) ? 1 : 0, labels: { name } },
  ]);
  read('informerStatus', ({ informers }, name) =>
    states.map((state) => ({
      value: sum(informers.keys(), ({ status }) => (status.state === state ? 1 : 0)),
      labels: { name, state },
    })),
  );
  read('staleness', ({ informers }, name) => {
    const lastMessages = [...informers.keys()].flatMap(({ lastMessageAt }) => lastMessageAt ?? []);
    if (lastMessages.length === 0) return [];
    // Both are times of day: after the clock was set back, the message seems to be of the future.
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
      informer.announcementTimes$?.subscribe((took) => {
        instruments.record('announcementDuration', inSeconds(took), { name });
      }),
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
