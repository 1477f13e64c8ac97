import { randomFromSeed } from 'rx-informers/testing';
import { aPod, type Pod } from '../../fixtures/pods.js';

/**
 * How many commits the oracle test of each operator makes, at random. `.ci/run` makes 100,000 of each:
 * `RANDOM_COMMITS=100000 npm test -- test/derived -t 'random commits'`.
 */
export const randomCommits = Number(process.env['RANDOM_COMMITS'] ?? 2_000);

/** What a random object is made of: the same choices for the same number. */
export interface Random {
  /** An integer from 0 on, below `limit`. */
  nat(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  oneOf<V>(values: readonly V[]): V;
  /** Each of the values with probability one half, in their order. */
  someOf<V>(values: readonly V[]): V[];
}

export function randomOf(seed: number): Random {
  const next = randomFromSeed(seed);
  const nat = (limit: number): number => Math.floor(next() * limit);
  return {
    nat,
    chance: (probability) => next() < probability,
    oneOf: <V>(values: readonly V[]) => values[nat(values.length)] as V,
    someOf: (values) => values.filter(() => next() < 0.5),
  };
}

/** Few names, so that random objects meet each other. */
export const names = ['a', 'b', 'c', 'd', 'e'] as const;
export const nodes = ['n1', 'n2', 'n3'] as const;

/**
 * A pod with one of few names, on one of few nodes or none. One in twelve has the status `fails`, on which the
 * function under test throws (`failsOn`).
 */
export function randomPod(random: Random): Pod {
  return aPod({
    name: random.oneOf(names),
    uid: random.oneOf(['u1', 'u1', 'u1', 'u2']),
    labels: { app: random.oneOf(['x', 'y']), ...(random.chance(0.5) && { tier: random.oneOf(['web', 'db']) }) },
    ...(random.chance(0.8) && { node: random.oneOf(nodes) }),
    ...(random.chance(0.5) && { values: random.someOf(['v', 'w', 'x']) }),
    ...(random.chance(1 / 12) && { status: 'fails' }),
  });
}

/** Throws for an object with the status `fails`: what a faulty function of the user does. */
export function failsOn(...objects: readonly ({ readonly status?: unknown } | undefined)[]): void {
  for (const object of objects) if (object?.status === 'fails') throw new Error('the function of the user failed');
}

/** Returns what `compute` returns, `undefined` if it throws: for the naive side of an oracle test. */
export function unlessItFails<V>(compute: () => V): V | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
