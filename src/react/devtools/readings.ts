import { interval, map, scan, startWith, type Observable, type SchedulerLike } from 'rxjs';
import { internalsOf } from '../../collections/log-collection.js';
import type { InformerRegistry } from '../../informer/informer-registry.js';
import type { Informer } from '../../informer/source-informer.js';
import { wallTime } from '../../scheduling/clock.js';
import type { SourceStatus } from '../../sources/model/watch-event.js';
import { usageOf } from '../usage.js';

/** The state of one informer of a registry at one time. */
export interface InformerReading {
  readonly name: string;
  readonly state: SourceStatus['state'];
  /** Milliseconds since bytes last arrived; `undefined` before the first byte. */
  readonly silence: number | undefined;
  readonly objects: number;
  /** The mean length of some objects as JSON, times the number of objects. */
  readonly bytes: number;
  /** The number of commits in the last second. */
  readonly commits: number;
  /** The number of answers that changed in the last second, for all hooks together. */
  readonly emissions: number;
  /** The hooks that use the informer, grouped by query. */
  readonly holders: readonly Holder[];
}

/** A query, and the number of mounted hooks that use it. */
interface Holder {
  readonly question: string;
  readonly hooks: number;
}

/** Emits the state of all informers of a registry, now and each second. */
export function readings$(
  registry: InformerRegistry,
  scheduler: SchedulerLike,
): Observable<readonly InformerReading[]> {
  return interval(SECOND, scheduler).pipe(
    startWith(0),
    map(() => registry.informers.map((informer) => totalsOf(informer, wallTime(scheduler)))),
    scan((before, totals) => ({ totals, readings: totals.map((total) => readingOf(total, before.totals)) }), {
      totals: [] as readonly Totals[],
      readings: [] as readonly InformerReading[],
    }),
    map(({ readings }) => readings),
  );
}

const SECOND = 1000;

/** A reading whose commits and emissions are counted from the beginning. */
interface Totals extends InformerReading {
  readonly informer: object;
}

function totalsOf(informer: Informer<unknown>, now: number): Totals {
  const { snapshot, lastHeardAt } = informer;
  const { questions, emissions } = usageOf(informer);
  return {
    informer,
    name: internalsOf(informer).name,
    state: informer.status.state,
    silence: lastHeardAt === undefined ? undefined : Math.max(0, now - lastHeardAt),
    objects: snapshot.size,
    bytes: estimatedBytes(informer),
    commits: snapshot.version,
    emissions,
    holders: [...questions]
      .map(([question, hooks]) => ({ question, hooks }))
      .sort((a, b) => b.hooks - a.hooks || (a.question < b.question ? -1 : 1)),
  };
}

function readingOf({ informer, ...total }: Totals, before: readonly Totals[]): InformerReading {
  const last = before.find((other) => other.informer === informer) ?? total;
  // A stopped informer counts its commits from 0 again.
  const counted = total.commits < last.commits ? 0 : last.commits;
  return { ...total, commits: total.commits - counted, emissions: total.emissions - last.emissions };
}

/** The number of objects that are written as JSON for the estimate. */
const SAMPLE = 10;

function estimatedBytes({ snapshot }: Informer<unknown>): number {
  const keys = snapshot.keys();
  if (keys.length === 0) return 0;
  const step = Math.max(1, Math.floor(keys.length / SAMPLE));
  const sample = keys.filter((_, position) => position % step === 0).slice(0, SAMPLE);
  const length = sample.reduce((sum, key) => sum + JSON.stringify(snapshot.get(key)).length, 0);
  return Math.round((length / sample.length) * keys.length);
}
