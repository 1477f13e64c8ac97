import { invalidOptionError } from '../../kubernetes/errors.js';
import { randomFromSeed } from '../virtual-clock.js';

/**
 * What may differ from the usual course of a simulated run.
 *
 * | point | is asked | choices |
 * | --- | --- | --- |
 * | `user` | for each action of the user, and each first start of a replica | when it happens |
 * | `lease` | once | the durations that `replica.lease` has |
 * | `latency` | for each request and each response | how long it takes |
 * | `fail-before` | for each request | it fails, and has no effect |
 * | `fail-after` | for each write | it takes effect, and its response is lost |
 * | `conflict` | for each write to an object | another writer changes the object just before |
 * | `watch` | for each event of a watch | how late it arrives, from milliseconds to minutes; the later ones wait for it |
 * | `outage` | for each request | all connections break; the server may lose its history, and may be away |
 * | `crash` | for each request, and each restart | the replica dies before it is sent, or when it has taken effect; when it starts again |
 * | `pause` | for each request | the replica stands still for longer than a lease, before or after |
 * | `slice` | for each computation in slices | the event loop is yielded to first |
 */
export type SimulationPoint = (typeof simulationPoints)[number];

/** All points, which is the default of the option `points` of {@link simulate}. */
export const simulationPoints = [
  'user',
  'lease',
  'latency',
  'fail-before',
  'fail-after',
  'conflict',
  'watch',
  'outage',
  'crash',
  'pause',
  'slice',
] as const;

/** How often a point was asked, and how often the choice was not the default. */
export interface PointCount {
  readonly asked: number;
  readonly fired: number;
}

/** A choice that is not the default. */
export interface Choice {
  /** The point, the replica, the request or event, and how many equal ones came before. */
  readonly key: string;
  /** The position in the list of alternatives; 0 is the default. */
  readonly value: number;
}

/** Decides one choice: returns a position in a list of alternatives, of which 0 is the default. */
export type Decide = (point: SimulationPoint, key: string, alternatives: number, weight: number) => number;

/** The factors of points that are asked only a few times in a run. */
const weights: Partial<Record<SimulationPoint, number>> = { user: 4, lease: 8 };
const maxChoices = 15;

/**
 * Returns choices that a seed determines. Most of them are the default. Each run has its own rate,
 * its own limit, and about half of the points, because a fault that is common in all runs would
 * hide the bugs that need a calm run.
 */
export function choicesOfSeed(seed: number, points: readonly SimulationPoint[]): Decide {
  const random = randomFromSeed(seed);
  const enabled = new Set(points.filter(() => random() < 0.5));
  const rate = 0.6 * 0.04 ** random();
  let left = 1 + Math.floor(maxChoices * random() ** 2);
  return (point, _key, alternatives, weight) => {
    if (left === 0 || !enabled.has(point)) return 0;
    if (random() >= rate * weight * (weights[point] ?? 1)) return 0;
    left -= 1;
    return 1 + Math.floor(random() * (alternatives - 1));
  };
}

/** Returns the choices of a schedule. All others are the default. */
export function choicesOfSchedule(schedule: readonly Choice[]): Decide {
  const values = new Map(schedule.map(({ key, value }) => [key, value]));
  return (_point, key, alternatives) => Math.min(values.get(key) ?? 0, alternatives - 1);
}

/** Returns a choice as the text that the option `schedule` accepts. */
export function choiceText({ key, value }: Choice): string {
  return `${key} = ${value}`;
}

/** Parses the texts of `choiceText`. Throws `RXI_INVALID_OPTION`. */
export function parseSchedule(texts: readonly string[]): readonly Choice[] {
  return texts.map((text) => {
    const [, key, value] = /^(.+ #\d+) = (\d+)$/.exec(text) ?? [];
    if (key === undefined) throw invalidOptionError('schedule', text, 'the texts that the error has in `schedule`');
    return { key, value: Number(value) };
  });
}

/** The choices of one run, and what was asked. */
export class Choices {
  /** The choices that are not the default, in the order in which they were made. */
  readonly made: Choice[] = [];
  readonly counts = new Map<SimulationPoint, { asked: number; fired: number }>();
  /** When true, every choice is the default. */
  isCalm = false;
  readonly #occurrences = new Map<string, number>();

  constructor(private readonly decide: Decide) {}

  /**
   * Chooses one of the alternatives; the first one is the default.
   *
   * @param where the replica, and its request or event
   * @param weight scales the probability
   */
  choose<T>(point: SimulationPoint, where: string, alternatives: readonly T[], weight = 1): T {
    const subject = `${point} ${where}`;
    const occurrence = (this.#occurrences.get(subject) ?? 0) + 1;
    this.#occurrences.set(subject, occurrence);
    if (this.isCalm) return alternatives[0] as T;
    const key = `${subject} #${occurrence}`;
    const value = this.decide(point, key, alternatives.length, weight);
    const count = this.counts.get(point) ?? { asked: 0, fired: 0 };
    this.counts.set(point, count);
    count.asked += 1;
    if (value > 0) {
      count.fired += 1;
      this.made.push({ key, value });
    }
    return alternatives[value] as T;
  }
}
