import { randomFromSeed } from 'rx-informers/testing';
import { aPod, type Pod } from '../../fixtures/pods.js';

/**
 * The number of random commits in the oracle test of each operator. `RUNS` multiplies it:
 * `RUNS=25 npm test -- test/derived -t 'random commits'` makes about 5,000.
 */
export const randomCommits = 200;

/** A source of random choices. The same number always produces the same choices. */
export interface Random {
  /** Returns an integer of at least 0 and less than `limit`. */
  nat(limit: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  oneOf<V>(values: readonly V[]): V;
  /** Returns some of the values in their order, each with probability one half. */
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

/** A small number of names, so that random objects often have the same name. */
export const names = ['a', 'b', 'c', 'd', 'e'] as const;
export const nodes = ['n1', 'n2', 'n3'] as const;

/**
 * Returns a pod with one of few names, on one of few nodes or on no node. One pod in twelve has the
 * status `fails`, for which the function under test throws (`failsOn`).
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

/** Throws for an object with the status `fails`, as a faulty function of a user does. */
export function failsOn(...objects: readonly ({ readonly status?: unknown } | undefined)[]): void {
  for (const object of objects) if (object?.status === 'fails') throw new Error('the function of the user failed');
}

/**
 * Returns the result of `compute`, or `undefined` if it throws. The naive function of an oracle
 * test uses this.
 */
export function unlessItFails<V>(compute: () => V): V | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
