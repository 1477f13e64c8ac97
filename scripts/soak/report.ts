import Table from 'cli-table3';
import { slope, type Sample } from '../slope.js';
import type { Comparison, Difference } from './comparison.js';
import type { Observer } from './observers/observer.js';
import type { Writers } from './writers.js';

/** The record of a whole soak. */
export interface Run {
  /** The seed of the choice of faults and writes: `SEED`. */
  readonly seed: number;
  readonly kind: string;
  readonly protocol: string;
  readonly scanner: string;
  readonly observers: readonly Observer[];
  readonly writers: Writers;
  /** The number of times that each fault occurred. */
  readonly faults: Map<string, number>;
  readonly comparisons: Comparison[];
  /** The heap in bytes after a garbage collection, with milliseconds since the beginning. */
  readonly heap: Sample[];
}

/** A watch that sends more requests than this within a minute counts as a storm. */
const storm = 120;
/** The number of bytes by which the heap may grow in a minute, once all code has run. */
const heapGrowth = 1_000_000;
/**
 * The number of comparisons before the heap is judged. Until then, code is compiled and caches
 * fill.
 */
const warmUp = 3;
/** The number of comparisons after them that show a growth: single ones differ by 5 MB. */
const fewestSamples = 6;

/** Returns the failures of the soak, a sentence for each. */
export function judge(run: Run): readonly string[] {
  const { observers, comparisons } = run;
  const differences = comparisons.flatMap((comparison) => comparison.differences);
  return [
    ...(comparisons.length === 0 ? ['nothing was compared'] : []),
    ...firstOfEachObserver(differences).map(sentenceOf),
    ...(run.writers.unprovoked.length === 0
      ? []
      : [
          `${run.writers.unprovoked.length} writes failed while the API server worked, the first one: ${run.writers.unprovoked[0]}`,
        ]),
    ...observers.flatMap(({ name, contradictions }) =>
      contradictions.slice(0, 3).map((contradiction) => `${name}: contradicts itself: ${contradiction}`),
    ),
    // The soak restores no backup.
    ...observers
      .filter(({ errors }) => errors.has('RXI_SERVER_RESTORED'))
      .map(({ name }) => `${name}: takes the API server for one that was restored from a backup`),
    ...observers
      .filter((observer) => busiestMinute(observer) > storm)
      .map(
        (observer) =>
          `${observer.name}: ${busiestMinute(observer)} requests by one watch in a minute, at most ${storm} are expected`,
      ),
    ...(growth(run) > heapGrowth ? [`the heap grows by ${megabytes(growth(run))} MB a minute`] : []),
  ];
}

/** Returns the table that the soak prints. */
export function tableOf(run: Run): string {
  const table = new Table({
    head: ['observer', 'lost', 'phantom', 'contradictions', 'requests', 'of them lists', 'most a minute', 'errors'],
    style: { head: [], border: [] },
  });
  const differences = run.comparisons.flatMap((comparison) => comparison.differences);
  for (const observer of run.observers) {
    const own = differences.filter((difference) => difference.observer === observer.name);
    table.push([
      observer.name,
      count(own, 'lost'),
      count(own, 'phantom'),
      observer.contradictions.length,
      observer.client.requests,
      observer.client.lists,
      busiestMinute(observer),
      Array.from(observer.errors, ([name, times]) => `${times} ${name}`).join('\n'),
    ]);
  }
  const slowest = Math.max(0, ...run.comparisons.map(({ waited }) => waited));
  const heap = run.heap.map(({ value }) => megabytes(value));
  const total = [...run.faults.values()].reduce((sum, times) => sum + times, 0);
  return [
    table.toString(),
    `server ${run.kind} over ${run.protocol}, scanner ${run.scanner}, SEED=${run.seed}: ${run.writers.writes} writes (and ${run.writers.provoked} that failed because the server was in trouble), ${total} faults`,
    Array.from(run.faults, ([name, times]) => `${times} × ${name}`).join(', '),
    `${run.comparisons.length} comparisons of ${run.comparisons.map(({ objects }) => objects).join(', ')} objects; the slowest catch-up took ${Math.round(slowest)} ms`,
    `heap after each, MB: ${heap.join(', ')}; ${megabytes(growth(run))} MB a minute after the first ${warmUp}`,
  ].join('\n');
}

/**
 * Returns the growth of the heap in bytes a minute, by linear regression. Returns 0 if there are
 * too few samples.
 */
function growth({ heap }: Run): number {
  const settled = heap.slice(warmUp);
  return settled.length < fewestSamples ? 0 : slope(settled) * 60_000;
}

function busiestMinute({ client, watches }: Observer): number {
  return Math.ceil(client.busiestMinute / watches);
}

function sentenceOf({ observer, view, lost, phantom }: Difference): string {
  const some = (keys: readonly string[]): string =>
    `${keys.length}${keys.length > 0 ? ` (${keys.slice(0, 3).join(', ')})` : ''}`;
  return `${observer}: ${view} lacks ${some(lost)}, has ${some(phantom)} that must not be there`;
}

/**
 * Returns the first difference of each observer, because views of one observer mostly differ
 * together.
 */
function firstOfEachObserver(differences: readonly Difference[]): readonly Difference[] {
  return differences.filter(
    ({ observer }, position) => differences.findIndex((earlier) => earlier.observer === observer) === position,
  );
}

function count(differences: readonly Difference[], what: 'lost' | 'phantom'): number {
  return differences.reduce((sum, difference) => sum + difference[what].length, 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
