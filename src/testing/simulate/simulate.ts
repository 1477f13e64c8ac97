import { RxInformersError, invalidOptionError } from '../../kubernetes/errors.js';
import { checkedCount } from '../api-server/faults/server-fault.js';
import {
  choicesOfSchedule,
  choicesOfSeed,
  choiceText,
  parseSchedule,
  simulationPoints,
  type Choice,
  type PointCount,
  type SimulationPoint,
} from './choices.js';
import { play, type Run, type Failure, type SimulatedProgram, type TimelineEntry } from './run.js';
import { shrink } from './shrink.js';

/** Options of {@link simulate}. */
export interface SimulateOptions extends SimulatedProgram {
  /** The number of schedules. Default 100. */
  readonly runs?: number | undefined;
  /** The seed of the first schedule; the next ones have the following numbers. Default 1. */
  readonly seed?: number | undefined;
  /** Repeats one schedule: the `schedule` of an error. Then `runs` and `seed` do not count. */
  readonly schedule?: readonly string[] | undefined;
  /** What may differ from the usual course. Default: everything. */
  readonly points?: readonly SimulationPoint[] | undefined;
}

/** What {@link simulate} has run. */
export interface SimulationReport {
  readonly runs: number;
  /** The share of schedules that no other run had, from 0 to 1. */
  readonly distinct: number;
  /** How often each point was asked, and how often it fired. */
  readonly points: Readonly<Record<SimulationPoint, PointCount>>;
  /**
   * The requests, deliveries, commits and choices of the last run, in order. The same seed always
   * returns the same lines.
   */
  readonly trace: readonly string[];
}

/**
 * Runs controllers against the embedded API server in virtual time, again and again, each time with
 * other faults: late, lost and refused requests, late and silent watches, conflicts, outages,
 * crashes, and replicas that stand still. A seed determines each run.
 *
 * First, the program runs without faults. Each further run must come to the same end state, its
 * writes must stop, the goal must be met at the end, and the invariants must hold after each
 * commit. No promise may be rejected without a handler, and no timer may be left.
 *
 * A failed run is repeated with fewer faults, until each remaining one is necessary for the
 * failure. The error shows them as a timeline.
 *
 * **Guarantees**: the same seed repeats the same run, byte for byte. A crashed replica sends no
 * request, and none of its timers and subscriptions runs. Faults end 20 s after the last action of
 * the user, so that the controllers can recover.
 *
 * **Does not guarantee**: that a program without failures has no bugs. Code that reads the clock of
 * the machine, sets real timers or does other input and output is not simulated. Nor are CPU time,
 * clocks that differ between replicas, and a server that answers from an old cache.
 *
 * @param options what starts the controllers, what the user does, and what must hold
 * @returns a promise of a report
 * @throws (rejects) `RXI_SIMULATION` for the first run that fails; `RXI_INVALID_OPTION`
 * @example
 * import { configMaps, informer } from 'rx-informers';
 * import { controller } from 'rx-informers/controller';
 * import { resourceClient } from 'rx-informers/requests';
 * import { aConfigMap, simulate } from 'rx-informers/testing';
 *
 * const report = await simulate({
 *   start: ({ client }) => {
 *     const settings = informer(client, configMaps, { namespace: 'default' });
 *     const written = resourceClient(client, configMaps);
 *     return controller({
 *       for: settings,
 *       client,
 *       reconcile: ({ key, object, clientOf }) =>
 *         object && clientOf(written).patch(key, { data: { checked: 'yes' } }),
 *     });
 *   },
 *   user: [(server) => server.apply(aConfigMap({ name: 'web' }))],
 *   goal: ({ get }) => get(configMaps, 'web', 'default')?.data?.['checked'] === 'yes',
 *   runs: 20,
 * });
 * console.log(`${report.runs} runs`);
 */
export async function simulate(options: SimulateOptions): Promise<SimulationReport> {
  const { seed = 1, points = simulationPoints } = options;
  const runs = checkedCount('runs', options.runs ?? 100, 1);
  if (!Number.isSafeInteger(seed)) throw invalidOptionError('seed', seed, 'a whole number');
  const replayed = options.schedule && parseSchedule(options.schedule);
  const simulation = new Simulation(options);
  const usual = await play(options, choicesOfSchedule([]));
  if (usual.failure) throw simulationError(usual.failure, usual, undefined);
  const again = await play(options, choicesOfSchedule([]));
  const difference = again.lines.findIndex((line, index) => line !== usual.lines[index]);
  if (difference >= 0) {
    const message = `two runs without faults differ: the program reads real time, Math.random or a variable that outlives a run.\n  first: ${usual.lines[difference]}\n  then:  ${again.lines[difference]}`;
    throw simulationError({ kind: 'nondeterminism', message }, again, undefined);
  }
  const schedules = new Set<string>();
  const counts = new Map(simulationPoints.map((point) => [point, { asked: 0, fired: 0 }]));
  let trace: readonly string[] = [];
  const decisions: readonly (number | undefined)[] = replayed
    ? [undefined]
    : Array.from({ length: runs }, (_, index) => seed + index);
  for (const runSeed of decisions) {
    const decide = runSeed === undefined ? choicesOfSchedule(replayed ?? []) : choicesOfSeed(runSeed, points);
    const run = await play(options, decide, usual.state);
    if (run.failure) throw await simulation.shrunkError(run, run.failure, usual.state, runSeed);
    schedules.add(run.choices.made.map(choiceText).join('\n'));
    for (const [point, { asked, fired }] of run.choices.counts) {
      const sum = counts.get(point) ?? { asked: 0, fired: 0 };
      counts.set(point, { asked: sum.asked + asked, fired: sum.fired + fired });
    }
    trace = run.lines;
  }
  return {
    runs: decisions.length,
    distinct: schedules.size / decisions.length,
    points: Object.fromEntries(counts) as Record<SimulationPoint, PointCount>,
    trace,
  };
}

/** The runs of one call of `simulate`. */
class Simulation {
  constructor(private readonly program: SimulatedProgram) {}

  async shrunkError(
    run: Run,
    failure: Failure,
    expected: readonly string[],
    seed: number | undefined,
  ): Promise<RxInformersError<'RXI_SIMULATION'>> {
    let smallest = run;
    let isRepeatable = false as boolean;
    const fails = async (schedule: readonly Choice[]): Promise<boolean> => {
      const candidate = await play(this.program, choicesOfSchedule(schedule), expected);
      if (candidate.failure?.kind !== failure.kind) return false;
      isRepeatable = true;
      smallest = candidate;
      return true;
    };
    await shrink(run.choices.made, fails);
    if (!isRepeatable && !(await fails(run.choices.made))) {
      const message = `${failure.message}\nThe same schedule did not fail again: the program reads real time, Math.random or a variable that outlives a run.`;
      return simulationError({ kind: 'nondeterminism', message }, run, seed);
    }
    return simulationError(smallest.failure ?? failure, smallest, seed);
  }
}

function simulationError(
  { kind, message }: Failure,
  run: Run,
  seed: number | undefined,
): RxInformersError<'RXI_SIMULATION'> {
  const schedule = run.choices.made.map(choiceText);
  const timeline = timelineText(run.timeline);
  const from = seed === undefined ? '' : `seed ${seed}, `;
  const [last] = schedule.slice(-1);
  const summary =
    last === undefined
      ? 'without any fault'
      : `${from}${schedule.length === 1 ? 'one choice differs' : `${schedule.length} choices differ`} from the usual course; without "${last}", this does not happen`;
  const repeat =
    last === undefined
      ? []
      : ['', 'To repeat this run:', `  schedule: ${JSON.stringify(schedule, undefined, 2).replaceAll('\n', '\n  ')}`];
  const text = [message, `(${summary})`, '', timeline, ...repeat].join('\n');
  return new RxInformersError('RXI_SIMULATION', text, { kind, seed, schedule, timeline });
}

const maxLines = 60;

/** Returns the timeline with a mark at each choice. A long one is shortened to its last lines. */
function timelineText(entries: readonly TimelineEntry[]): string {
  const width = Math.max(...entries.map(({ who }) => who.length));
  const lines = entries
    .filter(({ point }, index) => point !== undefined || index >= entries.length - maxLines)
    .map(({ at, who, what, point }) => {
      const time = (at / 1_000).toFixed(3).padStart(9);
      return `${point === undefined ? ' ' : '▶'} ${time} s  ${who.padEnd(width)}  ${what}`;
    });
  return lines.join('\n');
}
