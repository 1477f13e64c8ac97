/** The seed of all random tests and scripts. `SEED` changes it. */
export const seed: number;

/** The number by which random tests multiply their cases. `RUNS` changes it. */
export const runs: number;

/** The variables that repeat this run, as one writes them before a command. */
export const variables: string;

/**
 * Returns the seed for what has this name: the same one each time, and another one with another
 * `SEED`.
 *
 * @param name the name, unique in the project and the same on every machine
 */
export function seedOf(name: string): number;
